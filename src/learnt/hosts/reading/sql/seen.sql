-- name: page
-- Bounds what the page cache holds of the private temporary database (in KiB, hence negative).
PRAGMA cache_size = -4096

-- name: journal
-- Nobody else reads the database and nothing of it survives, so nothing has to be rolled back.
PRAGMA journal_mode = OFF

-- name: create
-- Identities met so far in one transcript, as 64-bit numbers, once they no longer fit in memory.
CREATE TABLE seen (identity INTEGER PRIMARY KEY)

-- name: begin
-- One bulk of identities is one transaction.
BEGIN

-- name: add
-- Keeps one identity.
INSERT OR IGNORE INTO seen (identity) VALUES (?)

-- name: commit
-- The bulk is complete.
COMMIT

-- name: has
-- Whether an identity was met.
SELECT 1 FROM seen WHERE identity = ?
