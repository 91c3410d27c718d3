-- name: page
-- Bounds what the page cache holds of the private temporary database (in KiB, hence negative).
PRAGMA cache_size = -8192

-- name: create
-- Identities met so far in one transcript, once they no longer fit in memory.
CREATE TABLE seen (identity TEXT PRIMARY KEY) WITHOUT ROWID

-- name: add
-- Keeps one identity; changes nothing when it is there already.
INSERT OR IGNORE INTO seen (identity) VALUES (?)

-- name: has
-- Whether an identity was met.
SELECT 1 FROM seen WHERE identity = ?
