"""One PostgreSQL database for a team: the same meaning as `sqlite`, for many machines and tenants.

In comes model values, out go model values; SQL stands in `sql/*.sql` and `schema/*.sql` only. The invariants: every
reading statement holds the scope predicate that `scopes` builds, every row has a tenant, and whatever one operation
changes is one transaction. SQLite gives each operation the whole file for itself; here a transaction locks the scopes
it uses, so different repositories are written in parallel (`connection`). The audit chain is one for each tenant and
is written last, together with the commit, so that nobody waits for it longer than that takes (`events`).

`address` takes a URL apart, `opening` looks at the server before anything is written, `migrate` applies the numbered
schema files, `pool` keeps connections, `faults` says what the server's errors mean.

Tried and rejected: SERIALIZABLE (every flow would have to be ready to begin again), psycopg's own pool (it connects in
threads of its own, so that a wrong password is a time-out without a reason), jsonb (it cannot hold U+0000, and sorts
keys), one advisory lock for all of a tenant (then writers take turns as on one file).

psycopg is imported only here, and this package only when a database URL asks for it.
"""
