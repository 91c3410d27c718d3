-- Statements of a connection: its settings, transactions, and what says whose file this is.

-- name: no_busy_wait
-- SQLite's own back-off is unfair under many writers; after opening we wait ourselves.
PRAGMA busy_timeout = 0;

-- name: foreign_keys
PRAGMA foreign_keys = ON;

-- name: claim
-- "lrnt" as four bytes at offset 68 of the file: this database is ours.
PRAGMA application_id = 1819438708;

-- name: tables
SELECT count(*) FROM sqlite_schema;

-- name: user_version
PRAGMA user_version;

-- name: wal
PRAGMA journal_mode = WAL;

-- name: rollback_journal
PRAGMA journal_mode = DELETE;

-- name: journal_mode
PRAGMA journal_mode;

-- name: synchronous_normal
-- With WAL: a power cut may lose the last commits, never the file.
PRAGMA synchronous = NORMAL;

-- name: synchronous_full
PRAGMA synchronous = FULL;

-- name: query_only
PRAGMA query_only = ON;

-- name: begin
BEGIN IMMEDIATE;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: record_step
INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?);
