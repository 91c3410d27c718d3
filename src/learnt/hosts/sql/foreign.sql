-- name: begin
-- All that follows is of one moment.
BEGIN

-- name: touch
-- The first read takes the lock, or says that it cannot.
SELECT count(*) FROM sqlite_master

-- name: tables
-- What a database holds, by which its owner is recognised.
SELECT name FROM sqlite_master WHERE type IN ('table', 'view')
