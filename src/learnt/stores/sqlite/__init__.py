"""One SQLite file: rows, full text, anchors, audit chain and receipts, changed together.

In comes model values, out go model values; SQL stands in `sql/*.sql` and `schema/*.sql` only. The invariant: every
reading statement holds the scope predicate that `scopes` builds, and whatever one operation changes is one short
`BEGIN IMMEDIATE` transaction. `opening` decides whose file it is before anything is written, `migrate` applies the
numbered schema files, `connection` waits and translates errors.

Tried and rejected: SQLite's own busy handler for writers (unfair: with 16 processes the unluckiest waited over a
second), a scope column inside the full-text MATCH (cost and ranking then depend on other scopes' rows; a scope prefix
on every term cures both), an external-content full-text table (contentless is half the size, and the exact terms to
delete are in the row), and one connection a thread (a lock is simpler, and writers take turns anyway).

The hook process imports `statements` from here, so this package imports nothing by itself.
"""
