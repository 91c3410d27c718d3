-- The queue of requests.

-- name: get
-- One proposal by id, in the scopes given.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json, revision
FROM memory_proposals
WHERE tenant = learnt_tenant() AND id = %(id)s AND scope_key = ANY(%(scopes)s::text[]);

-- name: saying
-- Proposals with the same words.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json, revision
FROM memory_proposals
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
  AND text_no = hashtextextended(%(text)s, 0) AND text = %(text)s
ORDER BY id;

-- name: by_value
-- Most valuable first, then newest: the first of each scope and status, then the first of them all.
SELECT found.*
FROM unnest(%(scopes)s::bigint[]) AS wanted (scope)
CROSS JOIN unnest(%(statuses)s::text[]) AS chosen (status)
CROSS JOIN LATERAL (
    SELECT id, p.status, created_at, expected_value, clearance, text, proposal_json, revision
    FROM memory_proposals AS p
    WHERE p.tenant = learnt_tenant() AND p.scope_no = wanted.scope AND p.status = chosen.status
      AND (NOT %(observations)s OR observation)
    ORDER BY expected_value DESC, created_at DESC, id
    LIMIT %(limit)s) AS found
ORDER BY expected_value DESC, created_at DESC, id
LIMIT %(limit)s;

-- name: by_time
-- A listing, newest first.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json, revision
FROM memory_proposals
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = ANY(%(statuses)s::text[])
  AND (NOT %(observations)s OR observation)
ORDER BY created_at DESC, id
LIMIT %(limit)s;

-- name: total
-- How many a listing matches.
SELECT count(*)
FROM memory_proposals
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = ANY(%(statuses)s::text[])
  AND (NOT %(observations)s OR observation);

-- name: count
-- How many of each status.
SELECT status, count(*)
FROM memory_proposals
WHERE tenant = learnt_tenant() AND scope_no = ANY(%s::bigint[])
GROUP BY status;

-- name: put
-- `observation` marks what may be shown although nobody decided: pending, and resting on exit codes or writes only.
-- Nothing happens to a row of another scope, and no row is given then; else the revision it has now.
INSERT INTO memory_proposals (id, scope_no, scope_key, status, created_at, expected_value, observation, clearance, text,
                              signals, proposal_json)
VALUES (%(id)s, %(scope_no)s, %(scope_key)s, %(status)s, %(created_at)s, %(expected_value)s, %(observation)s,
        %(clearance)s, %(text)s, %(signals)s, %(proposal_json)s)
ON CONFLICT (tenant, id) DO UPDATE SET
    status = excluded.status, expected_value = excluded.expected_value, observation = excluded.observation,
    clearance = excluded.clearance, revision = memory_proposals.revision + 1, text = excluded.text,
    signals = excluded.signals, proposal_json = excluded.proposal_json
WHERE memory_proposals.scope_no = excluded.scope_no
RETURNING revision;

-- name: tie
-- The pairs of an applied merge, both directions.
INSERT INTO memory_relations (scope_no, memory_id, other_id, proposal_id)
SELECT %(scope_no)s, memory_id, other_id, %(id)s
FROM unnest(%(ones)s::text[], %(others)s::text[]) AS given (memory_id, other_id)
ON CONFLICT DO NOTHING;

-- name: untie
-- Before a proposal is kept anew.
DELETE FROM memory_relations WHERE tenant = learnt_tenant() AND proposal_id = %s;

-- name: related
-- Each other memory once, whatever number of merges ties it.
SELECT DISTINCT memory_id, other_id
FROM memory_relations
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND memory_id = ANY(%(ids)s::text[])
ORDER BY memory_id, other_id;
