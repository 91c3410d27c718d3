-- name: begin
-- All that follows is of one moment.
BEGIN

-- name: touch
-- The first read takes the lock, or says that it cannot.
SELECT count(*) FROM sqlite_master

-- name: tables
-- What a database holds, by which its owner is recognised.
-- A view of such a name is none of the client's: it could count without end.
SELECT name FROM sqlite_master WHERE type = 'table'

-- name: distrust
-- What its schema computes may call nothing that does more than compute.
PRAGMA trusted_schema = OFF
