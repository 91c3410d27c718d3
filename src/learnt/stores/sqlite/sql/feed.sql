-- The feed of changes. Triggers write it (schema `changes`); here it is only read.

-- name: changes
-- What changed in a scope after a place in its feed.
SELECT c.change, c.target_id
FROM changes AS c
WHERE c.scope_no = (SELECT no FROM scopes WHERE key = :scope) AND c.change > :after
ORDER BY c.change
LIMIT :limit;

-- name: last
-- The end of a scope's feed.
SELECT max(change) FROM changes WHERE scope_no = (SELECT no FROM scopes WHERE key = ?);
