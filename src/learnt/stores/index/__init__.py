"""Full text as the adapters share it: the forms that an index is stored in, and how they are ranked.

In comes what runs a named statement (`narrow.Rows`; each adapter has statements of these names in its own dialect),
out go candidates and matches. The invariant: one meaning, whatever the database. What holds which term, how rare it is
and who comes first is counted here, in Python, from the same bytes on every store, so that the same rows give the same
order, ties included. What is stored and kept current is each adapter's own affair, in as few statements as it needs.

`bits` and `narrow` are hook-safe: the first answer of a process, without numpy. `postings`, `stack` and `inverted`
keep in memory what a process goes on asking for. `blocks` and `sheets` are the stored forms.

Tried and rejected: ranking by the full-text search of the database (FTS5's bm25() counts foreign scopes and costs
microseconds a matched row; ts_rank knows no rarity at all): two databases would give two orders.
"""
