-- 0006 outcomes: what became of a memory when it was used, and what its readers think of it.

PRAGMA user_version = 6;
