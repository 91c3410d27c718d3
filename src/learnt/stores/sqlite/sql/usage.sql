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

-- name: find
-- By id, for the same readers.
SELECT u.seq, u.usage_json
FROM memory_recall_usage AS u
WHERE u.bundle_id = :bundle
  AND EXISTS (SELECT 1 FROM usage_scopes AS held
              WHERE held.usage_seq = u.seq AND held.scope_no IN (SELECT value FROM json_each(:scopes))
                AND (held.scope_no NOT IN (SELECT no FROM scopes WHERE type = 'global_user')
                     OR NOT EXISTS (SELECT 1 FROM usage_scopes AS other
                                    WHERE other.usage_seq = u.seq AND other.scope_no <> held.scope_no)))
ORDER BY u.seq DESC;

-- name: reward
-- A receipt and the reward it now carries. Two recalls of one millisecond share an id; what else tells them apart stands
-- here, and what nothing tells apart was one and the same.
UPDATE memory_recall_usage AS u
SET q_value = :q_value, last_reward = :last_reward, task_outcome = :task_outcome, reward_key = :reward_key,
    usage_json = :usage_json
WHERE u.bundle_id = :id AND u.timestamp = :timestamp AND u.run_id = :run_id AND u.unit_id = :unit_id
  AND u.context = :context AND u.reward_key IS NULL
  AND EXISTS (SELECT 1 FROM usage_scopes AS held
              WHERE held.usage_seq = u.seq AND held.scope_no IN (SELECT value FROM json_each(:scopes)));

-- name: learn
-- What a memory is worth by its outcomes. Whoever follows the changes of a scope is told by a trigger.
UPDATE memory_items
SET q_value = :q_value
WHERE id = :id AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: valued
-- Those that outcomes have raised above a bound: the index holds learned values alone.
SELECT id
FROM memory_items INDEXED BY memory_items_learned
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND q_value <> 0.5 AND q_value > :above AND status = 'active'
ORDER BY q_value DESC, id
LIMIT :limit;

-- name: unrecalled
-- What nobody was ever given: by the listing index, and a look for each row.
SELECT id
FROM memory_items INDEXED BY memory_items_listing
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'active'
  AND NOT EXISTS (SELECT 1 FROM usage_memories WHERE memory_id = memory_items.id)
ORDER BY updated_at DESC, id
LIMIT :limit;
