-- The queue of requests.

-- name: get
-- One proposal by id, in the scopes given.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE id = :id AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: saying
-- Proposals with the same words. The plus keeps the planner from putting the words into the expression of the index.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals INDEXED BY memory_proposals_said
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND substr(text, 1, 64) = substr(:text, 1, 64)
  AND +text = :text
ORDER BY id;

-- name: by_value
-- Most valuable first, then newest.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND status IN (SELECT value FROM json_each(:statuses))
  AND (NOT :observations OR observation = 1)
ORDER BY expected_value DESC, created_at DESC, id
LIMIT :limit;

-- name: by_time
-- A listing, newest first.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND status IN (SELECT value FROM json_each(:statuses))
  AND (NOT :observations OR observation = 1)
ORDER BY created_at DESC, id
LIMIT :limit;

-- name: total
-- How many a listing matches.
SELECT count(*)
FROM memory_proposals
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND status IN (SELECT value FROM json_each(:statuses))
  AND (NOT :observations OR observation = 1);

-- name: count
-- How many of each status.
SELECT status, count(*)
FROM memory_proposals
WHERE scope_no IN (SELECT value FROM json_each(?))
GROUP BY status;

-- name: scope_of
-- The scope a stored proposal belongs to.
SELECT scope_no FROM memory_proposals WHERE id = ?;

-- name: put
-- `observation` marks what may be shown although nobody decided: pending, and resting on exit codes or writes only.
INSERT INTO memory_proposals (id, scope_no, status, created_at, expected_value, observation, clearance, text, signals,
                              proposal_json)
VALUES (:id, :scope_no, :status, :created_at, :expected_value, :observation, :clearance, :text, :signals,
        :proposal_json)
ON CONFLICT (id) DO UPDATE SET
    status = excluded.status, expected_value = excluded.expected_value, observation = excluded.observation,
    clearance = excluded.clearance, text = excluded.text, signals = excluded.signals,
    proposal_json = excluded.proposal_json;

-- name: tie
-- The pairs of an applied merge, both directions.
INSERT INTO memory_relations (scope_no, memory_id, other_id, proposal_id) VALUES (?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: untie
-- Before a proposal is kept anew.
DELETE FROM memory_relations WHERE proposal_id = ?;

-- name: related
-- Each other memory once, whatever number of merges ties it.
SELECT DISTINCT memory_id, other_id
FROM memory_relations
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND memory_id IN (SELECT value FROM json_each(:ids))
ORDER BY memory_id, other_id;
