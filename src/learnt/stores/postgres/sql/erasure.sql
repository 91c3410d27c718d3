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
       e.record, e.detail, e.clearance, e.crc, e.text
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

-- name: unquoted
-- What memories were while they cited them.
DELETE FROM memory_past
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
  AND EXISTS (SELECT FROM unnest(%(names)s::text[]) AS wanted WHERE strpos(record_json, wanted) > 0);

-- name: said
-- By whom, or with which name in it; both in lower case, ASCII alone.
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length, e.record, e.detail,
       e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[])
  AND EXISTS (SELECT FROM unnest(%(names)s::text[]) AS wanted
              WHERE lower(e.who COLLATE "C") = wanted OR strpos(lower(e.text COLLATE "C"), wanted) > 0
                    OR strpos(lower(e.detail COLLATE "C"), wanted) > 0)
ORDER BY e.seq;

-- name: heard
-- How much these writers said of memories.
SELECT (SELECT count(*) FROM memory_outcomes
        WHERE tenant = learnt_tenant() AND writer = ANY(%(writers)s::text[])
          AND scope_no = ANY(%(scopes)s::bigint[]))
     + (SELECT count(*) FROM memory_flags
        WHERE tenant = learnt_tenant() AND writer = ANY(%(writers)s::text[])
          AND scope_no = ANY(%(scopes)s::bigint[]));

-- name: recount
-- What memories tell of outcomes, without theirs.
UPDATE memory_items AS m
SET useful = (SELECT count(*) FROM memory_outcomes AS o
              WHERE o.tenant = learnt_tenant() AND o.memory_id = m.id AND o.generation = m.created_at
                AND o.result = 'useful' AND NOT o.writer = ANY(%(writers)s::text[])),
    against = (SELECT count(*) FROM memory_outcomes AS o
               WHERE o.tenant = learnt_tenant() AND o.memory_id = m.id AND o.generation = m.created_at
                 AND o.result <> 'useful' AND NOT o.writer = ANY(%(writers)s::text[]))
WHERE m.tenant = learnt_tenant() AND m.scope_no = ANY(%(scopes)s::bigint[])
  AND m.id IN (SELECT memory_id FROM memory_outcomes
               WHERE tenant = learnt_tenant() AND writer = ANY(%(writers)s::text[]));

-- name: unsay_outcomes
-- All of it.
DELETE FROM memory_outcomes
WHERE tenant = learnt_tenant() AND writer = ANY(%(writers)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: unsay_flags
-- All of it.
DELETE FROM memory_flags
WHERE tenant = learnt_tenant() AND writer = ANY(%(writers)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: scopes_of
-- Of a repository, its runs and its agents; or all.
SELECT key FROM scopes
WHERE tenant = learnt_tenant() AND (%(repository)s = '' OR (key::jsonb ->> 'repoId') = %(repository)s)
ORDER BY no;

-- name: memories_of
-- All ids.
SELECT id FROM memory_items WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: units_of
-- Where all evidence stands.
SELECT scope_no, seq FROM evidence_units WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: count_proposals
-- How many will go.
SELECT count(*) FROM memory_proposals WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: count_receipts
-- How many will go.
SELECT count(DISTINCT usage_seq) FROM usage_scopes
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: count_sessions
-- How many will go.
SELECT count(*) FROM sessions WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: count_extractions
-- How many will go.
SELECT count(*) FROM extractions WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: count_recipes
-- How many will go.
SELECT count(*) FROM recipes WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: count_jobs
-- How many will go.
SELECT count(*) FROM jobs WHERE tenant = learnt_tenant() AND scope_key = ANY(%(keys)s::text[]);

-- name: end_receipts
-- What was given in these scopes.
DELETE FROM memory_recall_usage
WHERE tenant = learnt_tenant()
  AND seq IN (SELECT usage_seq FROM usage_scopes
              WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]));

-- name: end_usage
-- The memories in it.
DELETE FROM usage_memories
WHERE tenant = learnt_tenant()
  AND usage_seq IN (SELECT usage_seq FROM usage_scopes
                    WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]));

-- name: end_usage_scopes
-- Its scopes, these and others.
DELETE FROM usage_scopes
WHERE tenant = learnt_tenant()
  AND usage_seq IN (SELECT usage_seq FROM usage_scopes
                    WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]));

-- name: end_jobs
-- All of them.
DELETE FROM jobs WHERE tenant = learnt_tenant() AND scope_key = ANY(%(keys)s::text[]);

-- name: unnamed
-- Other names of the repository.
DELETE FROM aliases WHERE tenant = learnt_tenant() AND repository_id = %s;

-- name: end_anchors
-- Those of observations.
DELETE FROM anchors WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_proposals
-- All of them.
DELETE FROM memory_proposals WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_threads
-- All of them.
DELETE FROM threads WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_extractions
-- All of them.
DELETE FROM extractions WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_summaries
-- All of them.
DELETE FROM summaries WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_sessions
-- All of them.
DELETE FROM sessions WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_recipes
-- All of them.
DELETE FROM recipes WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: count_work
-- How many jobs of these kinds will go.
SELECT count(*) FROM jobs
WHERE tenant = learnt_tenant() AND scope_key = ANY(%(keys)s::text[]) AND kind = ANY(%(kinds)s::text[]);

-- name: end_work
-- All of them.
DELETE FROM jobs
WHERE tenant = learnt_tenant() AND scope_key = ANY(%(keys)s::text[]) AND kind = ANY(%(kinds)s::text[]);

-- name: end_past
-- What memories were.
DELETE FROM memory_past WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_blocks
-- Words of the full text.
DELETE FROM lexicon_blocks WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: end_lengths
-- Their counts.
DELETE FROM lexicon_lengths WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

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
