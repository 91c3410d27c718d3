-- The feed of changes. Triggers write it (schema `changes`), from the moment somebody asked for it.

-- name: begun
-- Whether somebody asked.
SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0;

-- name: begin
-- From now on triggers tell.
INSERT INTO changes (scope_no, change, target_id) VALUES (0, 0, '') ON CONFLICT DO NOTHING;

-- name: before
-- What was there before, once each.
INSERT INTO changes (scope_no, change, target_id)
SELECT scope_no, row_number() OVER (PARTITION BY scope_no ORDER BY at, id), id
FROM (SELECT scope_no, created_at AS at, id FROM memory_items
      UNION ALL
      SELECT scope_no, created_at, id FROM memory_proposals WHERE observation = 1);

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
