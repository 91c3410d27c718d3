-- Receipts: which bundle went to whom.

-- name: put
-- One recall as it was given to somebody.
INSERT INTO memory_recall_usage (id, bundle_id, timestamp, run_id, unit_id, context, moment, usage_json)
VALUES (:id, :id, :timestamp, :run_id, :unit_id, :context, :moment, :usage_json)
RETURNING seq;

-- name: put_memory
-- Which memories were in it.
INSERT INTO usage_memories (memory_id, usage_seq, context, moment) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: put_scope
-- In which scopes it was asked.
INSERT INTO usage_scopes (scope_no, usage_seq) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: page
-- A reader sees a receipt by a scope that is not the user's own: sharing one user is not sharing what was asked
-- elsewhere. A receipt of nothing but the user's scope is the user's.
SELECT u.seq, u.usage_json
FROM memory_recall_usage AS u
WHERE (:run = '' OR u.run_id = :run)
  AND EXISTS (SELECT 1 FROM usage_scopes AS held
              WHERE held.usage_seq = u.seq AND held.scope_no IN (SELECT value FROM json_each(:scopes))
                AND (held.scope_no NOT IN (SELECT no FROM scopes WHERE type = 'global_user')
                     OR NOT EXISTS (SELECT 1 FROM usage_scopes AS other
                                    WHERE other.usage_seq = u.seq AND other.scope_no <> held.scope_no)))
ORDER BY u.seq DESC
LIMIT :limit;

-- name: recalls
-- In how many bundles a memory was.
SELECT count(*) FROM usage_memories WHERE memory_id = ?;

-- name: shown
-- The latest moment wins.
SELECT memory_id, moment FROM usage_memories WHERE context = ? AND context <> '' ORDER BY usage_seq;
