-- What forgetting finds and takes away. Every reader holds the scope predicate, but for receipts: they are found by the
-- ids of memories that are known to be in sight.

-- name: secure
-- What this connection deletes is overwritten.
PRAGMA secure_delete = ON;

-- name: linked
-- What was made of others, superseded, or worded anew.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json
FROM memory_items
WHERE scope_no IN (SELECT value FROM json_each(?))
  AND (superseded_by IS NOT NULL OR instr(record_json, '"consolidatedFrom"') > 0
       OR instr(record_json, '"updateReplacementId"') > 0 OR status = 'consolidated')
ORDER BY id;

-- name: speaking
-- Proposals that hold an id in any of their fields.
SELECT id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND EXISTS (SELECT 1 FROM json_each(:names) AS wanted
              WHERE instr(proposal_json, wanted.value) > 0 OR instr(text, wanted.value) > 0)
ORDER BY id;

-- name: wordings
-- What each asks to be said.
SELECT id, text FROM memory_proposals
WHERE scope_no IN (SELECT value FROM json_each(?)) AND text <> ''
ORDER BY id;

-- name: asked
-- Those of some ids that are there.
SELECT id FROM memory_proposals
WHERE id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY id;

-- name: untie
-- From every anchor.
DELETE FROM anchors WHERE target_id = ?;

-- name: withdraw
-- The feed tells of it (trigger).
DELETE FROM memory_proposals WHERE id = ?;

-- name: citing
-- References stand in a record as JSON strings.
SELECT id FROM memory_items
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND EXISTS (SELECT 1 FROM json_each(:refs) AS wanted WHERE instr(record_json, wanted.value) > 0)
ORDER BY id;

-- name: units
-- By reference or id, with what `unit_of` takes.
SELECT e.scope_no, e.seq, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length,
       e.record, e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes))
  AND (e.ref IN (SELECT value FROM json_each(:names)) OR e.id IN (SELECT value FROM json_each(:names)))
ORDER BY e.seq;

-- name: unproved
-- Commands that were seen to work there.
DELETE FROM recipes
WHERE ref IN (SELECT value FROM json_each(:names)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: unquoted
-- What memories were while they cited them.
DELETE FROM memory_past
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND EXISTS (SELECT 1 FROM json_each(:names) AS wanted WHERE instr(record_json, wanted.value) > 0);

-- name: put_unit
-- The empty one in its place.
INSERT INTO evidence_units (id, scope_no, ref, session_id, type, who, at, cited, path, offset, length, record, detail,
                            clearance, crc, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: listing
-- Receipts that list one of these memories.
SELECT seq, usage_json FROM memory_recall_usage
WHERE seq IN (SELECT usage_seq FROM usage_memories WHERE memory_id IN (SELECT value FROM json_each(:ids)))
ORDER BY seq;

-- name: relist
-- A receipt without them.
UPDATE memory_recall_usage SET usage_json = :usage_json WHERE seq = :seq;

-- name: unlist
-- From every receipt.
DELETE FROM usage_memories WHERE memory_id IN (SELECT value FROM json_each(:ids));

-- name: said
-- By whom, or with which name in it; both in lower case, ASCII alone.
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length, e.record, e.detail,
       e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes))
  AND EXISTS (SELECT 1 FROM json_each(:names) AS wanted
              WHERE lower(e.who) = wanted.value OR instr(lower(e.text), wanted.value) > 0
                    OR instr(lower(e.detail), wanted.value) > 0)
ORDER BY e.seq;

-- name: heard
-- How much these writers said of memories.
SELECT (SELECT count(*) FROM memory_outcomes
        WHERE writer IN (SELECT value FROM json_each(:writers)) AND scope_no IN (SELECT value FROM json_each(:scopes)))
     + (SELECT count(*) FROM memory_flags
        WHERE writer IN (SELECT value FROM json_each(:writers)) AND scope_no IN (SELECT value FROM json_each(:scopes)));

-- name: recount
-- What memories tell of outcomes, without theirs.
UPDATE memory_items
SET useful = (SELECT count(*) FROM memory_outcomes AS o
              WHERE o.memory_id = memory_items.id AND o.generation = memory_items.created_at AND o.result = 'useful'
                AND o.writer NOT IN (SELECT value FROM json_each(:writers))),
    against = (SELECT count(*) FROM memory_outcomes AS o
               WHERE o.memory_id = memory_items.id AND o.generation = memory_items.created_at AND o.result <> 'useful'
                 AND o.writer NOT IN (SELECT value FROM json_each(:writers)))
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND id IN (SELECT memory_id FROM memory_outcomes WHERE writer IN (SELECT value FROM json_each(:writers)));

-- name: unsay_outcomes
-- All of it.
DELETE FROM memory_outcomes
WHERE writer IN (SELECT value FROM json_each(:writers)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: unsay_flags
-- All of it.
DELETE FROM memory_flags
WHERE writer IN (SELECT value FROM json_each(:writers)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: scopes_of
-- Of a repository, its runs and its agents; or all.
SELECT key FROM scopes WHERE :repository = '' OR json_extract(key, '$.repoId') = :repository ORDER BY no;

-- name: memories_of
-- All ids.
SELECT id FROM memory_items WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: units_of
-- Where all evidence stands.
SELECT scope_no, seq FROM evidence_units WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: count_proposals
-- How many will go.
SELECT count(*) FROM memory_proposals WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: count_receipts
-- How many will go.
SELECT count(DISTINCT usage_seq) FROM usage_scopes WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: count_sessions
-- How many will go.
SELECT count(*) FROM sessions WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: count_extractions
-- How many will go.
SELECT count(*) FROM extractions WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: count_recipes
-- How many will go.
SELECT count(*) FROM recipes WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: count_jobs
-- How many will go.
SELECT count(*) FROM jobs WHERE scope_key IN (SELECT value FROM json_each(:keys));

-- name: end_anchors
-- Those of observations.
DELETE FROM anchors WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_proposals
-- All of them.
DELETE FROM memory_proposals WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_usage
-- What was given in these scopes.
DELETE FROM usage_memories
WHERE usage_seq IN (SELECT usage_seq FROM usage_scopes WHERE scope_no IN (SELECT value FROM json_each(:scopes)));

-- name: end_usage_scopes
-- A receipt that is to go loses all of its scopes; the next statement knows it by that.
DELETE FROM usage_scopes
WHERE usage_seq IN (SELECT usage_seq FROM usage_scopes WHERE scope_no IN (SELECT value FROM json_each(:scopes)));

-- name: end_receipts
-- Those without a scope.
DELETE FROM memory_recall_usage WHERE seq NOT IN (SELECT usage_seq FROM usage_scopes);

-- name: end_threads
-- All of them.
DELETE FROM threads WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_extractions
-- All of them.
DELETE FROM extractions WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_summaries
-- All of them.
DELETE FROM summaries WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_sessions
-- All of them.
DELETE FROM sessions WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_recipes
-- All of them.
DELETE FROM recipes WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_jobs
-- All of them.
DELETE FROM jobs WHERE scope_key IN (SELECT value FROM json_each(:keys));

-- name: count_work
-- How many jobs of these kinds will go.
SELECT count(*) FROM jobs
WHERE scope_key IN (SELECT value FROM json_each(:keys)) AND kind IN (SELECT value FROM json_each(:kinds));

-- name: end_work
-- All of them.
DELETE FROM jobs
WHERE scope_key IN (SELECT value FROM json_each(:keys)) AND kind IN (SELECT value FROM json_each(:kinds));

-- name: end_past
-- What memories were.
DELETE FROM memory_past WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_blocks
-- Words of the full text.
DELETE FROM lexicon_blocks WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: end_lengths
-- Their counts.
DELETE FROM lexicon_lengths WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: unnamed
-- Other names of the repository.
DELETE FROM aliases WHERE repository_id = ?;

-- name: hold
-- What keeps a forgotten text away.
INSERT INTO forgotten (scope_no, digest, trace, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: among
-- Which of these keep something away.
SELECT DISTINCT held.digest
FROM json_each(:scopes) AS within
CROSS JOIN json_each(:digests) AS wanted
CROSS JOIN forgotten AS held
WHERE held.scope_no = within.value AND held.digest = wanted.value;

-- name: lift
-- A person says it again.
DELETE FROM forgotten
WHERE digest IN (SELECT value FROM json_each(:digests)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: count
-- How many.
SELECT count(*) FROM forgotten WHERE scope_no IN (SELECT value FROM json_each(?));
