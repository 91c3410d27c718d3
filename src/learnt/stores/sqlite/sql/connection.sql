-- Statements of a connection: its settings, transactions, and what says whose file this is.

-- name: no_busy_wait
-- SQLite's own back-off is unfair under many writers; after opening we wait ourselves.
PRAGMA busy_timeout = 0;

-- name: foreign_keys
-- Off by default in SQLite.
PRAGMA foreign_keys = ON;

-- name: cache
-- At most 32 MB of pages, as they are used: recall in 100,000 memories reads scattered rows (9 ms at p95 instead of 15).
PRAGMA cache_size = -32000;

-- name: log
-- The log goes into the file every 16 MB: a write fills some twenty pages, many of them the same ones again, so every
-- 4 MB (SQLite's own choice, fifty writes) copied most of them for nothing and waited for the disk four times as often.
PRAGMA wal_autocheckpoint = 4000;

-- name: release
-- Pages nobody needs at the moment go back: what a bulk of writing went through is not read again.
PRAGMA shrink_memory;

-- name: claim
-- "lrnt" as four bytes at offset 68 of the file: this database is ours.
PRAGMA application_id = 1819438708;

-- name: vacuum
-- Before there is anything in the file: pages that become free can be given back later, a few at a time.
PRAGMA auto_vacuum = INCREMENTAL;

-- name: owner
-- Whose database this is; see `claim`.
-- Whose database it is: ours carries our own number.
PRAGMA application_id;

-- name: tables
-- None means an empty file, which may become a store.
SELECT count(*) FROM sqlite_schema;

-- name: user_version
-- Version of the schema, in the header of the file.
PRAGMA user_version;

-- name: wal
-- Where the file system allows it: readers wait for nobody.
PRAGMA journal_mode = WAL;

-- name: rollback_journal
-- Where shared memory is unsafe.
PRAGMA journal_mode = DELETE;

-- name: journal_mode
-- What the file really has.
PRAGMA journal_mode;

-- name: synchronous_normal
-- With WAL: a power cut may lose the last commits, never the file.
PRAGMA synchronous = NORMAL;

-- name: synchronous_full
-- With a rollback journal a lost write would damage the file.
PRAGMA synchronous = FULL;

-- name: query_only
-- A reader cannot write by mistake.
PRAGMA query_only = ON;

-- name: begin
-- Takes the write lock at once, so that a transaction never fails half-way for want of it.
BEGIN IMMEDIATE;

-- name: snapshot
-- Only reads follow; the first of them fixes what all see.
BEGIN DEFERRED;

-- name: commit
-- Row, full text, anchors and event together.
COMMIT;

-- name: rollback
-- None of them.
ROLLBACK;

-- name: record_step
-- One row a step, in the transaction of the step.
INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?);
