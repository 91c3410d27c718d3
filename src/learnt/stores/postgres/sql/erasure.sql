-- What forgetting finds and takes away. Every reader holds the scope predicate, but for receipts: they are found by the
-- ids of memories that are known to be in sight.

-- name: linked
-- What was made of others, superseded, or worded anew.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
  AND (superseded_by IS NOT NULL OR strpos(record_json, '"consolidatedFrom"') > 0
       OR strpos(record_json, '"updateReplacementId"') > 0 OR status = 'consolidated')
ORDER BY id;

-- name: speaking
-- Proposals that hold an id in any of their fields.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
  AND EXISTS (SELECT FROM unnest(%(names)s::text[]) AS wanted
              WHERE strpos(proposal_json, wanted) > 0 OR strpos(text, wanted) > 0)
ORDER BY id;

-- name: wordings
-- What each asks to be said.
SELECT id, text FROM memory_proposals
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND text <> ''
ORDER BY id;

-- name: asked
-- Those of some ids that are there.
SELECT id FROM memory_proposals
WHERE tenant = learnt_tenant() AND id = ANY(%(ids)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[])
ORDER BY id;

-- name: untie
-- From every anchor.
DELETE FROM anchors WHERE tenant = learnt_tenant() AND target_id = ANY(%(ids)s::text[]);

-- name: withdraw
-- The feed tells of it (trigger).
DELETE FROM memory_proposals WHERE tenant = learnt_tenant() AND id = ANY(%(ids)s::text[]);

-- name: citing
-- References stand in a record as JSON strings.
SELECT id FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
  AND EXISTS (SELECT FROM unnest(%(refs)s::text[]) AS wanted WHERE strpos(record_json, wanted) > 0)
ORDER BY id;

-- name: units
-- By reference or id, with what `unit_of` takes.
SELECT e.scope_no, e.seq, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length,
       e.record, e.detail, e.clearance, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[])
  AND (e.id = ANY(%(names)s::text[]) OR e.ref = ANY(%(names)s::text[]))
ORDER BY e.seq;

-- name: unproved
-- Commands that were seen to work there.
DELETE FROM recipes
WHERE tenant = learnt_tenant() AND ref = ANY(%(names)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: remove_units
-- Their vectors go with them (trigger).
DELETE FROM evidence_units
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND seq = ANY(%(seqs)s::bigint[]);

-- name: listing
-- Receipts that list one of these memories.
SELECT seq, usage_json FROM memory_recall_usage
WHERE tenant = learnt_tenant()
  AND seq IN (SELECT usage_seq FROM usage_memories
              WHERE tenant = learnt_tenant() AND memory_id = ANY(%(ids)s::text[]))
ORDER BY seq;

-- name: relist
-- A receipt without them.
UPDATE memory_recall_usage SET usage_json = %(usage_json)s WHERE tenant = learnt_tenant() AND seq = %(seq)s;

-- name: unlist
-- From every receipt.
DELETE FROM usage_memories WHERE tenant = learnt_tenant() AND memory_id = ANY(%(ids)s::text[]);

-- name: hold
-- What keeps a forgotten text away.
INSERT INTO forgotten (scope_no, digest, trace, at)
SELECT %(scope)s, digest, trace, %(at)s
FROM unnest(%(digests)s::text[], %(traces)s::text[]) AS given (digest, trace)
ON CONFLICT DO NOTHING;

-- name: among
-- Which of these keep something away.
SELECT DISTINCT digest FROM forgotten
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND digest = ANY(%(digests)s::text[]);

-- name: lift
-- A person says it again.
DELETE FROM forgotten
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND digest = ANY(%(digests)s::text[]);

-- name: count
-- How many.
SELECT count(*) FROM forgotten WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);
