-- Moving a store: every row of every scope, in the order in which it is kept, from a place on. The first columns are the
-- place. This is no reader of memories: only `learnt migrate` asks, for a person.

-- name: scopes
-- In the order of their numbers.
SELECT no, key FROM scopes WHERE no > ? ORDER BY no LIMIT ?;

-- name: memories
-- A scope's memories lie together.
SELECT row, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against
FROM memory_items
WHERE row > ?
ORDER BY row
LIMIT ?;

-- name: formers
-- What memories were, memory by memory.
SELECT id, until, until, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
       superseded_by, clearance, text, record_json
FROM memory_past
WHERE (id, until) > (?, ?)
ORDER BY id, until
LIMIT ?;

-- name: outcomes
-- In the order in which they came.
SELECT o.seq, s.key, o.id, o.memory_id, o.generation, o.result, o.at, o.writer, o.task, o.correction, o.clearance, o.spots,
       o.repository_id
FROM memory_outcomes AS o
JOIN scopes AS s ON s.no = o.scope_no
WHERE o.seq > ?
ORDER BY o.seq
LIMIT ?;

-- name: flags
-- Open ones, and those that were cleared.
SELECT f.memory_id, f.writer, f.cleared_at, s.key, f.memory_id, f.writer, f.cleared_at, f.at, f.reason, f.person, f.login, f.cleared_by
FROM memory_flags AS f
JOIN scopes AS s ON s.no = f.scope_no
WHERE (f.memory_id, f.writer, f.cleared_at) > (?, ?, ?)
ORDER BY f.memory_id, f.writer, f.cleared_at
LIMIT ?;

-- name: proposals
-- In the order of insertion.
SELECT rowid, id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE rowid > ?
ORDER BY rowid
LIMIT ?;

-- name: events
-- The chain.
SELECT seq, seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE seq > ?
ORDER BY seq
LIMIT ?;

-- name: checkpoints
-- What was signed of the chain.
SELECT installation, epoch, installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks
FROM audit_checkpoints
WHERE (installation, epoch) > (?, ?)
ORDER BY installation, epoch
LIMIT ?;

-- name: receipts
-- With what a hook wrote down of them.
SELECT seq, seq, usage_json FROM memory_recall_usage WHERE seq > ? ORDER BY seq LIMIT ?;

-- name: contexts
-- The present context of each session of a host.
SELECT session, session, generation, at FROM contexts WHERE session > ? ORDER BY session LIMIT ?;

-- name: units
-- In the order in which they were kept: it parts equal scores, and says who stands beside whom.
SELECT e.seq, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.seq > ?
ORDER BY e.seq
LIMIT ?;

-- name: sessions
-- In the order in which they were first read.
SELECT rowid, id, session_json FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ?;

-- name: threads
-- The registry of sessions.
SELECT t.id, s.key, t.id, t.updated_at, t.path, t.cwd, t.host, t.session_id, t.source, t.mode, t.extracted
FROM threads AS t
JOIN scopes AS s ON s.no = t.scope_no
WHERE t.id > ?
ORDER BY t.id
LIMIT ?;

-- name: extractions
-- What sessions taught.
SELECT e.session_id, s.key, e.session_id, e.host, e.source_updated_at, e.generated_at, e.writer, e.summary, e.slug,
       e.usage_count, e.last_usage, e.selected_source, e.facts, e.dropped, e.crc
FROM extractions AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.session_id > ?
ORDER BY e.session_id
LIMIT ?;

-- name: summaries
-- What sessions are told at their start.
SELECT m.scope_no, m.digest, s.key, m.digest, m.text, m.clearance, m.made_at, m.current
FROM summaries AS m
JOIN scopes AS s ON s.no = m.scope_no
WHERE (m.scope_no, m.digest) > (?, ?)
ORDER BY m.scope_no, m.digest
LIMIT ?;

-- name: seen
-- Pairs of numbers.
SELECT lineage, message, lineage, message FROM seen_messages WHERE (lineage, message) > (?, ?) ORDER BY lineage, message LIMIT ?;

-- name: recipes
-- With their scopes.
SELECT r.scope_no, r.key, r.session_id, s.key, r.key, r.session_id, r.command, r.commit_sha, r.ref, r.at
FROM recipes AS r
JOIN scopes AS s ON s.no = r.scope_no
WHERE (r.scope_no, r.key, r.session_id) > (?, ?, ?)
ORDER BY r.scope_no, r.key, r.session_id
LIMIT ?;

-- name: digests
-- Of what was forgotten.
SELECT f.scope_no, f.digest, s.key, f.digest, f.trace, f.at
FROM forgotten AS f
JOIN scopes AS s ON s.no = f.scope_no
WHERE (f.scope_no, f.digest) > (?, ?)
ORDER BY f.scope_no, f.digest
LIMIT ?;

-- name: aliases
-- Other names of repositories.
SELECT value, value, repository_id FROM aliases WHERE value > ? ORDER BY value LIMIT ?;

-- name: facts
-- All; which of them stay is not for SQL to say.
SELECT key, key, value FROM _meta WHERE key > ? ORDER BY key LIMIT ?;

-- name: generations
-- Of vectors.
SELECT no, target, model_version, form, dimension, status, began_at, finished_at
FROM vector_generations
WHERE no > ?
ORDER BY no
LIMIT ?;

-- name: vectors
-- Who has any; the vectors themselves are read by `parts`.
SELECT c.generation, c.scope_no, c.row, g.target, g.model_version, g.form,
       CASE g.target WHEN 'memory' THEN (SELECT id FROM memory_items WHERE row = c.row)
                     ELSE (SELECT id FROM evidence_units WHERE seq = c.row) END
FROM vector_codes AS c
JOIN vector_generations AS g ON g.no = c.generation
WHERE c.part = 0 AND c.vector IS NOT NULL AND (c.generation, c.scope_no, c.row) > (?, ?, ?)
ORDER BY c.generation, c.scope_no, c.row
LIMIT ?;

-- name: parts
-- The vectors from one place to another, both included.
SELECT c.generation, c.scope_no, c.row, v.vector
FROM vector_codes AS c
JOIN vectors AS v ON v.id = c.vector
WHERE (c.generation, c.scope_no, c.row) >= (?, ?, ?) AND (c.generation, c.scope_no, c.row) <= (?, ?, ?)
ORDER BY c.generation, c.scope_no, c.row, c.part;

-- name: failures
-- What could not be embedded.
SELECT f.generation, f.row, g.target, g.model_version, g.form,
       CASE g.target WHEN 'memory' THEN (SELECT id FROM memory_items WHERE row = f.row)
                     ELSE (SELECT id FROM evidence_units WHERE seq = f.row) END,
       f.reason, f.attempts, f.at
FROM vector_failures AS f
JOIN vector_generations AS g ON g.no = f.generation
WHERE (f.generation, f.row) > (?, ?)
ORDER BY f.generation, f.row
LIMIT ?;

-- name: jobs
-- Work that waits, or was done.
SELECT id, id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence, lease_until,
       input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE id > ?
ORDER BY id
LIMIT ?;

-- name: charges
-- What models were asked to do.
SELECT id, id, user_id, repository_id, start, purpose, role, provider, model, at, status, input_tokens, output_tokens,
       cost_nano_usd, settled_at, fault, remaining_percent, resets_at
FROM model_charges
WHERE id > ?
ORDER BY id
LIMIT ?;

-- name: within_memories
-- Of some scopes, by id; the plus keeps the index of ids, which gives this order without sorting.
SELECT id, '', id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
       superseded_by, clearance, text, record_json
FROM memory_items
WHERE +scope_no IN (SELECT value FROM json_each(:scopes)) AND id > :id
ORDER BY id
LIMIT :limit;

-- name: within_proposals
-- The same of proposals.
SELECT id, '', id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE +scope_no IN (SELECT value FROM json_each(:scopes)) AND id > :id
ORDER BY id
LIMIT :limit;

-- name: within_units
-- The same of evidence that is a document or is cited; one document may stand in two scopes.
SELECT e.id, s.key, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length,
       e.record, e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE +e.scope_no IN (SELECT value FROM json_each(:scopes)) AND (e.type = 'document' OR e.cited = 1)
  AND e.id >= :id AND (e.id, s.key) > (:id, :key)
ORDER BY e.id, s.key
LIMIT :limit;

-- name: within_outcomes
-- What became of memories of some scopes, by id.
SELECT o.id, s.key, s.key, o.id, o.memory_id, o.generation, o.result, o.at, o.writer, o.task, o.correction, o.clearance,
       o.spots, o.repository_id
FROM memory_outcomes AS o
JOIN scopes AS s ON s.no = o.scope_no
WHERE o.scope_no IN (SELECT value FROM json_each(:scopes)) AND (o.id, s.key) > (:id, :key)
ORDER BY o.id, s.key
LIMIT :limit;

-- name: within_flags
-- Flags on memories of some scopes, by memory.
SELECT f.memory_id, f.writer || char(10) || f.cleared_at, s.key, f.memory_id, f.writer, f.cleared_at, f.at, f.reason,
       f.person, f.login, f.cleared_by
FROM memory_flags AS f
JOIN scopes AS s ON s.no = f.scope_no
WHERE f.scope_no IN (SELECT value FROM json_each(:scopes)) AND f.memory_id >= :id
  AND (f.memory_id, f.writer || char(10) || f.cleared_at) > (:id, :key)
ORDER BY f.memory_id, 2
LIMIT :limit;

-- name: left
-- What no export gives, counted.
SELECT (SELECT count(*) FROM evidence_units
        WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND type <> 'document' AND cited = 0),
       (SELECT count(*) FROM sessions WHERE scope_no IN (SELECT value FROM json_each(:scopes))),
       (SELECT count(*) FROM extractions WHERE scope_no IN (SELECT value FROM json_each(:scopes))),
       (SELECT count(*) FROM recipes WHERE scope_no IN (SELECT value FROM json_each(:scopes))),
       (SELECT count(DISTINCT usage_seq) FROM usage_scopes
        WHERE scope_no IN (SELECT value FROM json_each(:scopes)));

-- name: count_scopes
-- How many rows of this chapter.
SELECT count(*) FROM scopes;

-- name: count_memories
-- How many rows of this chapter.
SELECT count(*) FROM memory_items;

-- name: count_formers
-- How many rows of this chapter.
SELECT count(*) FROM memory_past;

-- name: count_outcomes
-- How many rows of this chapter.
SELECT count(*) FROM memory_outcomes;

-- name: count_flags
-- How many rows of this chapter.
SELECT count(*) FROM memory_flags;

-- name: count_proposals
-- How many rows of this chapter.
SELECT count(*) FROM memory_proposals;

-- name: count_events
-- How many rows of this chapter.
SELECT count(*) FROM memory_events;

-- name: count_checkpoints
-- Of the chain.
SELECT count(*) FROM audit_checkpoints;

-- name: count_receipts
-- How many rows of this chapter.
SELECT count(*) FROM memory_recall_usage;

-- name: count_contexts
-- How many rows of this chapter.
SELECT count(*) FROM contexts;

-- name: count_units
-- How many rows of this chapter.
SELECT count(*) FROM evidence_units;

-- name: count_threads
-- How many.
SELECT count(*) FROM threads;

-- name: count_extractions
-- How many.
SELECT count(*) FROM extractions;

-- name: count_summaries
-- How many.
SELECT count(*) FROM summaries;

-- name: count_sessions
-- How many rows of this chapter.
SELECT count(*) FROM sessions;

-- name: count_seen
-- How many rows of this chapter.
SELECT count(*) FROM seen_messages;

-- name: count_digests
-- How many rows of this chapter.
SELECT count(*) FROM forgotten;

-- name: count_recipes
-- How many rows of this chapter.
SELECT count(*) FROM recipes;

-- name: count_aliases
-- How many rows of this chapter.
SELECT count(*) FROM aliases;

-- name: count_generations
-- How many rows of this chapter.
SELECT count(*) FROM vector_generations;

-- name: count_vectors
-- How many rows of this chapter.
SELECT count(*) FROM vector_codes WHERE part = 0 AND vector IS NOT NULL;

-- name: count_failures
-- How many rows of this chapter.
SELECT count(*) FROM vector_failures;

-- name: count_jobs
-- How many rows of this chapter.
SELECT count(*) FROM jobs;

-- name: count_charges
-- How many rows of this chapter.
SELECT count(*) FROM model_charges;

-- name: wordy
-- Scopes with evidence enough for a sheet.
SELECT scope_no FROM evidence_units INDEXED BY evidence_units_scope GROUP BY scope_no HAVING count(*) >= ?;

-- name: fact_keys
-- All; which of them stay is not for SQL to say.
SELECT key FROM _meta;

-- name: held
-- Which of these memories are there already.
SELECT id FROM memory_items WHERE id IN (SELECT value FROM json_each(?));

-- name: take_outcome
-- Nothing when it is there.
INSERT INTO memory_outcomes (scope_no, id, memory_id, generation, result, at, writer, task, correction, clearance, spots,
                             repository_id)
VALUES (:scope_no, :id, :memory_id, :generation, :result, :at, :by, :task, :correction, :clearance, :spots,
        :repository_id)
ON CONFLICT DO NOTHING;

-- name: take_event
-- Byte for byte, in its place.
INSERT INTO memory_events (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: take_checkpoint
-- Nothing when it is there.
INSERT INTO audit_checkpoints (installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: take_receipt
-- In its place; nothing when it is there.
INSERT INTO memory_recall_usage (seq, id, bundle_id, timestamp, run_id, unit_id, context, moment, q_value, last_reward,
                                 task_outcome, reward_key, usage_json)
VALUES (:seq, :id, :id, :timestamp, :run_id, :unit_id, :context, :moment, :q_value, :last_reward, :task_outcome,
        :reward_key, :usage_json)
ON CONFLICT DO NOTHING;

-- name: take_context
-- The present one.
INSERT INTO contexts (session, generation, at) VALUES (?, ?, ?)
ON CONFLICT (session) DO UPDATE SET generation = excluded.generation, at = excluded.at;

-- name: take_generation
-- Its number is given anew.
INSERT INTO vector_generations (target, model_version, form, dimension, status, began_at, finished_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (target, model_version, form) DO UPDATE SET
    status = excluded.status, began_at = excluded.began_at, finished_at = excluded.finished_at;

-- name: take_failure
-- How often it was tried, and when last.
UPDATE vector_failures SET attempts = ?, at = ? WHERE generation = ? AND row = ?;

-- name: take_job
-- As it stands; a lease that is held runs out.
INSERT INTO jobs (id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
                  lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    kind = excluded.kind, job_key = excluded.job_key, scope_key = excluded.scope_key, payload =
    excluded.payload, status = excluded.status, attempts = excluded.attempts, max_attempts =
    excluded.max_attempts, due_at = excluded.due_at, ownership_token = excluded.ownership_token, fence =
    excluded.fence, lease_until = excluded.lease_until, input_watermark = excluded.input_watermark,
    last_success_watermark = excluded.last_success_watermark, takeovers = excluded.takeovers, last_error =
    excluded.last_error, created_at = excluded.created_at, updated_at = excluded.updated_at;

-- name: drop_fact
-- One that does not stay.
DELETE FROM _meta WHERE key = ?;

-- name: clear_codes
-- With every code a trigger takes its vector along.
DELETE FROM vector_codes;

-- name: clear_failures
-- Of a move that begins anew.
DELETE FROM vector_failures;

-- name: clear_vectors
-- Of a move that begins anew.
DELETE FROM vectors;

-- name: clear_generations
-- Of a move that begins anew.
DELETE FROM vector_generations;

-- name: clear_config
-- Of a move that begins anew.
DELETE FROM embedding_config;

-- name: clear_terms
-- A contentless table forgets all rows by a word of its own.
INSERT INTO memory_fts (memory_fts) VALUES ('delete-all');

-- name: clear_blocks
-- Of a move that begins anew.
DELETE FROM lexicon_blocks;

-- name: clear_lengths
-- Of a move that begins anew.
DELETE FROM lexicon_lengths;

-- name: clear_anchors
-- Of a move that begins anew.
DELETE FROM anchors;

-- name: clear_claims
-- Of a move that begins anew.
DELETE FROM claims;

-- name: clear_conflicts
-- Of a move that begins anew.
DELETE FROM conflicts;

-- name: clear_formers
-- Of a move that begins anew.
DELETE FROM memory_past;

-- name: clear_outcomes
-- Of a move that begins anew.
DELETE FROM memory_outcomes;

-- name: clear_flags
-- Of a move that begins anew.
DELETE FROM memory_flags;

-- name: clear_memories
-- Of a move that begins anew.
DELETE FROM memory_items;

-- name: clear_proposals
-- Of a move that begins anew.
DELETE FROM memory_proposals;

-- name: clear_relations
-- Of a move that begins anew.
DELETE FROM memory_relations;

-- name: clear_events
-- Of a move that begins anew.
DELETE FROM memory_events;

-- name: clear_checkpoints
-- Of the chain.
DELETE FROM audit_checkpoints;

-- name: clear_nodes
-- Made anew by the next checkpoint, as far as they are needed.
DELETE FROM audit_nodes;

-- name: clear_receipt_memories
-- Of a move that begins anew.
DELETE FROM usage_memories;

-- name: clear_receipt_scopes
-- Of a move that begins anew.
DELETE FROM usage_scopes;

-- name: clear_receipts
-- Of a move that begins anew.
DELETE FROM memory_recall_usage;

-- name: clear_contexts
-- Of a move that begins anew.
DELETE FROM contexts;

-- name: clear_postings
-- Of a move that begins anew.
DELETE FROM evidence_postings;

-- name: clear_sheets
-- Of a move that begins anew.
DELETE FROM evidence_sheets;

-- name: clear_units
-- Of a move that begins anew.
DELETE FROM evidence_units;

-- name: clear_threads
-- All of them.
DELETE FROM threads;

-- name: clear_extractions
-- All of them.
DELETE FROM extractions;

-- name: clear_summaries
-- All of them.
DELETE FROM summaries;

-- name: clear_sessions
-- Of a move that begins anew.
DELETE FROM sessions;

-- name: clear_seen
-- Of a move that begins anew.
DELETE FROM seen_messages;

-- name: clear_digests
-- Of a move that begins anew.
DELETE FROM forgotten;

-- name: clear_recipes
-- Of a move that begins anew.
DELETE FROM recipes;

-- name: clear_aliases
-- Of a move that begins anew.
DELETE FROM aliases;

-- name: clear_jobs
-- Of a move that begins anew.
DELETE FROM jobs;

-- name: clear_charges
-- Of a move that begins anew.
DELETE FROM model_charges;

-- name: clear_changes
-- Also what the lines above told.
DELETE FROM changes;

-- name: clear_scopes
-- Last: everything belongs to one.
DELETE FROM scopes;
