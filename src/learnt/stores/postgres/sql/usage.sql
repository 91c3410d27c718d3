-- Receipts: which bundle went to whom.

-- name: put
-- One recall as it was given to somebody, the memories that were in it and the scopes in which it was asked.
WITH receipt AS (
    INSERT INTO memory_recall_usage (id, bundle_id, timestamp, run_id, unit_id, context, moment, usage_json)
    VALUES (%(id)s, %(id)s, %(timestamp)s, %(run_id)s, %(unit_id)s, %(context)s, %(moment)s, %(usage_json)s)
    RETURNING seq
), given AS (
    INSERT INTO usage_memories (memory_id, usage_seq, context, moment)
    SELECT DISTINCT memory_id, seq, %(context)s, %(moment)s
    FROM receipt, unnest(%(memories)s::text[]) AS memory_id
)
INSERT INTO usage_scopes (scope_no, usage_seq)
SELECT DISTINCT scope_no, seq
FROM receipt, unnest(%(scopes)s::bigint[]) AS scope_no;

-- name: page
-- A reader sees a receipt by a scope that is not the user's own: sharing one user is not sharing what was asked
-- elsewhere. A receipt of nothing but the user's scope is the user's.
SELECT u.seq, u.usage_json
FROM memory_recall_usage AS u
WHERE u.tenant = learnt_tenant()
  AND (%(run)s = '' OR (u.run_id = %(run)s AND u.run_no = hashtextextended(%(run)s, 0)))
  AND EXISTS (SELECT
              FROM usage_scopes AS held
              WHERE held.tenant = learnt_tenant() AND held.usage_seq = u.seq AND held.scope_no = ANY(%(scopes)s::bigint[])
                AND (held.scope_no <> ALL(%(own)s::bigint[])
                     OR NOT EXISTS (SELECT
                                    FROM usage_scopes AS other
                                    WHERE other.tenant = learnt_tenant() AND other.usage_seq = u.seq
                                      AND other.scope_no <> held.scope_no)))
ORDER BY u.seq DESC
LIMIT %(limit)s;

-- name: recalls
-- In how many bundles a memory was.
SELECT count(*) FROM usage_memories WHERE tenant = learnt_tenant() AND memory_id = %s;

-- name: shown
-- The latest moment wins.
SELECT memory_id, moment
FROM usage_memories
WHERE tenant = learnt_tenant() AND context = %s AND context <> ''
ORDER BY usage_seq;

-- name: find
-- By id, for the same readers.
SELECT u.seq, u.usage_json
FROM memory_recall_usage AS u
WHERE u.tenant = learnt_tenant() AND u.bundle_id = %(bundle)s
  AND EXISTS (SELECT
              FROM usage_scopes AS held
              WHERE held.tenant = learnt_tenant() AND held.usage_seq = u.seq AND held.scope_no = ANY(%(scopes)s::bigint[])
                AND (held.scope_no <> ALL(%(own)s::bigint[])
                     OR NOT EXISTS (SELECT
                                    FROM usage_scopes AS other
                                    WHERE other.tenant = learnt_tenant() AND other.usage_seq = u.seq
                                      AND other.scope_no <> held.scope_no)))
ORDER BY u.seq DESC;

-- name: reward
-- A receipt and the reward it now carries. Two recalls of one millisecond share an id; what else tells them apart stands
-- here, and what nothing tells apart was one and the same.
UPDATE memory_recall_usage AS u
SET q_value = %(q_value)s, last_reward = %(last_reward)s, task_outcome = %(task_outcome)s, reward_key = %(reward_key)s,
    usage_json = %(usage_json)s
WHERE u.tenant = learnt_tenant() AND u.bundle_id = %(id)s AND u.timestamp = %(timestamp)s AND u.run_id = %(run_id)s
  AND u.unit_id = %(unit_id)s AND u.context = %(context)s AND u.reward_key IS NULL
  AND EXISTS (SELECT
              FROM usage_scopes AS held
              WHERE held.tenant = learnt_tenant() AND held.usage_seq = u.seq
                AND held.scope_no = ANY(%(scopes)s::bigint[]));

-- name: learn
-- What memories are worth by their outcomes; gives their revisions, which must follow on those that were read.
UPDATE memory_items AS m
SET q_value = given.q_value, revision = m.revision + 1
FROM unnest(%(ids)s::text[], %(q_values)s::float8[]) AS given (id, q_value)
WHERE m.tenant = learnt_tenant() AND m.id = given.id AND m.scope_no = ANY(%(scopes)s::bigint[])
RETURNING m.id, m.revision;

-- name: valued
-- Those that outcomes have raised above a bound: the index holds learned values alone.
SELECT id
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND q_value <> 0.5 AND q_value > %(above)s
  AND status = 'active'
ORDER BY q_value DESC, id
LIMIT %(limit)s;

-- name: unrecalled
-- What nobody was ever given.
SELECT id
FROM memory_items AS m
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = 'active'
  AND NOT EXISTS (SELECT FROM usage_memories AS u WHERE u.tenant = learnt_tenant() AND u.memory_id = m.id)
ORDER BY updated_at DESC, id
LIMIT %(limit)s;
