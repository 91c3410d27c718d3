-- Moving a store: every row of the tenant, in a stable order, from a place on. The first columns are the place. This is
-- no reader of memories: only `learnt migrate` asks, for a person.

-- name: moment
-- What is read from here on is what was committed by now; the connection may stand still while the target is written.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

-- name: patience
-- See there.
SET LOCAL idle_in_transaction_session_timeout = 0;

-- name: scopes
-- In the order of their numbers.
SELECT no, key FROM scopes WHERE tenant = learnt_tenant() AND no > %s ORDER BY no LIMIT %s;

-- name: memories
-- A scope's memories lie together.
SELECT row, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against
FROM memory_items
WHERE tenant = learnt_tenant() AND row > %s
ORDER BY row
LIMIT %s;

-- name: formers
-- What memories were, memory by memory.
SELECT id, until, until, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
       superseded_by, clearance, text, record_json
FROM memory_past
WHERE tenant = learnt_tenant() AND (id, until) > (%s, %s)
ORDER BY id, until
LIMIT %s;

-- name: outcomes
-- In the order in which they came.
SELECT o.seq, s.key, o.id, o.memory_id, o.generation, o.result, o.at, o.writer, o.task, o.correction, o.clearance, o.spots,
       o.repository_id
FROM memory_outcomes AS o
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = o.scope_no
WHERE o.tenant = learnt_tenant() AND o.seq > %s
ORDER BY o.seq
LIMIT %s;

-- name: flags
-- Open ones, and those that were cleared.
SELECT f.memory_id, f.writer, f.cleared_at, s.key, f.memory_id, f.writer, f.cleared_at, f.at, f.reason, f.person, f.login, f.cleared_by
FROM memory_flags AS f
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = f.scope_no
WHERE f.tenant = learnt_tenant() AND (f.memory_id, f.writer, f.cleared_at) > (%s, %s, %s)
ORDER BY f.memory_id, f.writer, f.cleared_at
LIMIT %s;

-- name: proposals
-- By id.
SELECT id, id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE tenant = learnt_tenant() AND id > %s
ORDER BY id
LIMIT %s;

-- name: events
-- The chain.
SELECT seq, seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE tenant = learnt_tenant() AND seq > %s
ORDER BY seq
LIMIT %s;

-- name: checkpoints
-- What was signed of the chain.
SELECT installation, epoch, installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks
FROM audit_checkpoints
WHERE tenant = learnt_tenant() AND (installation, epoch) > (%s, %s)
ORDER BY installation, epoch
LIMIT %s;

-- name: receipts
-- In the order in which they were given.
SELECT seq, seq, usage_json FROM memory_recall_usage WHERE tenant = learnt_tenant() AND seq > %s ORDER BY seq LIMIT %s;

-- name: contexts
-- What a file brought along.
SELECT session, session, generation, at
FROM contexts
WHERE tenant = learnt_tenant() AND session > %s
ORDER BY session
LIMIT %s;

-- name: units
-- In the order in which they were kept.
SELECT e.seq, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length,
       e.record, e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.seq > %s
ORDER BY e.seq
LIMIT %s;

-- name: sessions
-- By id.
SELECT id, id, session_json FROM sessions WHERE tenant = learnt_tenant() AND id > %s ORDER BY id LIMIT %s;

-- name: threads
-- The registry of sessions.
SELECT t.id, s.key, t.id, t.updated_at, t.path, t.cwd, t.host, t.session_id, t.source, t.mode, t.extracted
FROM threads AS t
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = t.scope_no
WHERE t.tenant = learnt_tenant() AND t.id > %s
ORDER BY t.id
LIMIT %s;

-- name: extractions
-- What sessions taught.
SELECT e.session_id, s.key, e.session_id, e.host, e.source_updated_at, e.generated_at, e.writer, e.summary, e.slug,
       e.usage_count, e.last_usage, e.selected_source, e.facts, e.dropped, e.crc
FROM extractions AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.session_id > %s
ORDER BY e.session_id
LIMIT %s;

-- name: summaries
-- What sessions are told at their start.
SELECT m.scope_no, m.digest, s.key, m.digest, m.text, m.clearance, m.made_at, m.current
FROM summaries AS m
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = m.scope_no
WHERE m.tenant = learnt_tenant() AND (m.scope_no, m.digest) > (%s, %s)
ORDER BY m.scope_no, m.digest
LIMIT %s;

-- name: seen
-- Pairs of numbers.
SELECT lineage, message, lineage, message
FROM seen_messages
WHERE tenant = learnt_tenant() AND (lineage, message) > (%s, %s)
ORDER BY lineage, message
LIMIT %s;

-- name: digests
-- Of what was forgotten.
SELECT f.scope_no, f.digest, s.key, f.digest, f.trace, f.at
FROM forgotten AS f
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = f.scope_no
WHERE f.tenant = learnt_tenant() AND (f.scope_no, f.digest) > (%s, %s)
ORDER BY f.scope_no, f.digest
LIMIT %s;

-- name: recipes
-- With their scopes.
SELECT r.scope_no, r.key_no, r.session_id, s.key, r.key, r.session_id, r.command, r.commit_sha, r.ref, r.at
FROM recipes AS r
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = r.scope_no
WHERE r.tenant = learnt_tenant() AND (r.scope_no, r.key_no, r.session_id) > (%s, %s, %s)
ORDER BY r.scope_no, r.key_no, r.session_id
LIMIT %s;

-- name: aliases
-- Other names of repositories.
SELECT value_no, value, repository_id
FROM aliases
WHERE tenant = learnt_tenant() AND value_no > %s
ORDER BY value_no
LIMIT %s;

-- name: facts
-- All, and the end of the chain; which of them stay is not for SQL to say.
SELECT key, key, value
FROM (SELECT key, value FROM _meta WHERE tenant = learnt_tenant()
      UNION ALL
      SELECT 'memory_events_chain_head', head FROM memory_chain WHERE tenant = learnt_tenant() AND head IS NOT NULL
      UNION ALL
      SELECT 'memory_events_chain_seal', seal FROM memory_chain WHERE tenant = learnt_tenant() AND seal IS NOT NULL)
     AS held (key, value)
WHERE key > %s
ORDER BY key
LIMIT %s;

-- name: generations
-- Of vectors.
SELECT no, target, model_version, form, dimension, status, began_at, finished_at
FROM vector_generations
WHERE tenant = learnt_tenant() AND no > %s
ORDER BY no
LIMIT %s;

-- name: vectors
-- Who has any; the vectors themselves are read by `parts`.
SELECT v.shelf, v.generation, v.scope_no, v.row, g.target, g.model_version, g.form,
       CASE g.target WHEN 'memory'
            THEN (SELECT id FROM memory_items WHERE tenant = learnt_tenant() AND row = v.row)
            ELSE (SELECT id FROM evidence_units WHERE tenant = learnt_tenant() AND seq = v.row) END
FROM vectors AS v
JOIN vector_generations AS g ON g.tenant = learnt_tenant() AND g.no = v.generation
WHERE v.tenant = learnt_tenant() AND v.part = 0 AND (v.shelf, v.generation, v.scope_no, v.row) > (%s, %s, %s, %s)
ORDER BY v.shelf, v.generation, v.scope_no, v.row
LIMIT %s;

-- name: parts
-- The vectors from one place to another, both included.
SELECT shelf, generation, scope_no, row, vector::real[]
FROM vectors
WHERE tenant = learnt_tenant() AND (shelf, generation, scope_no, row) >= (%s, %s, %s, %s)
  AND (shelf, generation, scope_no, row) <= (%s, %s, %s, %s)
ORDER BY shelf, generation, scope_no, row, part;

-- name: failures
-- What could not be embedded.
SELECT f.generation, f.row, g.target, g.model_version, g.form,
       CASE g.target WHEN 'memory'
            THEN (SELECT id FROM memory_items WHERE tenant = learnt_tenant() AND row = f.row)
            ELSE (SELECT id FROM evidence_units WHERE tenant = learnt_tenant() AND seq = f.row) END,
       f.reason, f.attempts, f.at
FROM vector_failures AS f
JOIN vector_generations AS g ON g.tenant = learnt_tenant() AND g.no = f.generation
WHERE f.tenant = learnt_tenant() AND (f.generation, f.row) > (%s, %s)
ORDER BY f.generation, f.row
LIMIT %s;

-- name: jobs
-- Work that waits, or was done.
SELECT id, id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
       lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at
FROM jobs
WHERE tenant = learnt_tenant() AND id > %s
ORDER BY id
LIMIT %s;

-- name: charges
-- What models were asked to do.
SELECT id, id, user_id, repository_id, start, purpose, role, provider, model, at, status, input_tokens, output_tokens,
       cost_nano_usd, settled_at, fault, remaining_percent, resets_at
FROM model_charges
WHERE tenant = learnt_tenant() AND id > %s
ORDER BY id
LIMIT %s;

-- name: fact_keys
-- All, and the end of the chain where it has one; which of them stay is not for SQL to say.
SELECT key FROM _meta WHERE tenant = learnt_tenant()
UNION ALL
SELECT 'memory_events_chain_head' FROM memory_chain WHERE tenant = learnt_tenant() AND head IS NOT NULL
UNION ALL
SELECT 'memory_events_chain_seal' FROM memory_chain WHERE tenant = learnt_tenant() AND seal IS NOT NULL;

-- name: wordy
-- Scopes with evidence enough for a sheet.
SELECT s.key
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant()
GROUP BY s.key
HAVING count(*) >= %s;

-- name: analyze
-- So that the first questions are planned by what is there. A role that does not own the tables passes over them.
ANALYZE scopes, memory_items, anchors, memory_proposals, memory_events, memory_recall_usage, usage_memories, usage_scopes,
        evidence_units, sessions, lexicon_blocks, vectors;

-- name: generation_numbers
-- Of all generations of vectors.
SELECT no FROM vector_generations WHERE tenant = learnt_tenant();

-- name: held
-- Which of these memories are there already.
SELECT id FROM memory_items WHERE tenant = learnt_tenant() AND id = ANY(%s::text[]);

-- name: next_rows
-- Takes the next sequences of a scope that is locked, and counts what they will hold; gives its full blocks, and the
-- row of the first.
UPDATE scopes
SET next_seq = next_seq + %(many)s, active = active + %(active)s, terms = terms + %(terms)s
WHERE tenant = learnt_tenant() AND no = %(no)s
RETURNING blocks, (no << 32) | (next_seq - %(many)s);

-- name: take_memories
-- New memories of one scope. Tags come as JSON: the arrays of an array have one length.
INSERT INTO memory_items (scope_no, scope_key, row, id, kind, status, trust, confidence, q_value, created_at,
                          updated_at, valid_from, expires_at, superseded_by, deleted, clearance, run, text, tags,
                          signals, terms, record_json)
SELECT %(scope_no)s, %(scope_key)s, row, id, kind, status, trust, confidence, q_value, created_at, updated_at,
       valid_from, expires_at, superseded_by, status = 'deleted', clearance, run, text,
       ARRAY(SELECT jsonb_array_elements_text(tags::jsonb)), signals, terms, record_json
FROM unnest(%(row)s::bigint[], %(id)s::text[], %(kind)s::text[], %(status)s::text[], %(trust)s::text[],
            %(confidence)s::float8[], %(q_value)s::float8[], %(created_at)s::text[], %(updated_at)s::text[],
            %(valid_from)s::text[], %(expires_at)s::text[], %(superseded_by)s::text[], %(clearance)s::text[],
            %(run)s::text[], %(text)s::text[], %(tags)s::text[], %(signals)s::text[], %(terms)s::text[],
            %(record_json)s::text[])
     AS given (row, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
               superseded_by, clearance, run, text, tags, signals, terms, record_json)
ORDER BY row;

-- name: take_anchors
-- Of many memories of one scope.
INSERT INTO anchors (scope_no, type, key, target_id)
SELECT %(scope_no)s, type, key, target_id
FROM unnest(%(types)s::text[], %(keys)s::text[], %(ids)s::text[]) AS given (type, key, target_id)
ON CONFLICT DO NOTHING;

-- name: take_outcome
-- Nothing when it is there.
INSERT INTO memory_outcomes (scope_no, id, memory_id, generation, result, at, writer, task, correction, clearance, spots,
                             repository_id)
VALUES (%(scope_no)s, %(id)s, %(memory_id)s, %(generation)s, %(result)s, %(at)s, %(by)s, %(task)s, %(correction)s,
        %(clearance)s, %(spots)s, %(repository_id)s)
ON CONFLICT DO NOTHING;

-- name: take_events
-- Byte for byte, in their places.
INSERT INTO memory_events (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased)
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],
            %s::text[], %s::text[])
     AS given (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased)
ON CONFLICT DO NOTHING;

-- name: take_checkpoint
-- Nothing when it is there.
INSERT INTO audit_checkpoints (installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING;

-- name: take_end
-- The end of the chain moves to the last event; its hash is a fact of its own.
INSERT INTO memory_chain AS held (seq, before) VALUES (%(seq)s, %(before)s)
ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, before = excluded.before
WHERE held.seq < excluded.seq;

-- name: take_head
-- The hash of the last event.
INSERT INTO memory_chain (seq, before, head) VALUES (0, '', %s)
ON CONFLICT (tenant) DO UPDATE SET head = excluded.head;

-- name: take_seal
-- The mark over the last event.
INSERT INTO memory_chain (seq, before, seal) VALUES (0, '', %s)
ON CONFLICT (tenant) DO UPDATE SET seal = excluded.seal;

-- name: take_receipts
-- In their places; nothing where one is.
INSERT INTO memory_recall_usage (seq, id, bundle_id, timestamp, run_id, unit_id, context, moment, q_value, last_reward,
                                 task_outcome, reward_key, usage_json)
SELECT seq, id, id, timestamp, run_id, unit_id, context, moment, q_value, last_reward, nullif(task_outcome, ''),
       nullif(reward_key, ''), usage_json
FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::float8[],
            %s::float8[], %s::text[], %s::text[], %s::text[])
     AS given (seq, id, timestamp, run_id, unit_id, context, moment, q_value, last_reward, task_outcome, reward_key,
               usage_json)
ON CONFLICT DO NOTHING;

-- name: pass_receipts
-- The sequence goes past these places. It only moves on, whoever else uses it.
SELECT count(nextval(pg_get_serial_sequence('memory_recall_usage', 'seq')))
FROM generate_series(coalesce(pg_sequence_last_value(pg_get_serial_sequence('memory_recall_usage', 'seq')::regclass), 0)
                     + 1, %s::bigint);

-- name: take_receipt_memories
-- Which memories were in them.
INSERT INTO usage_memories (memory_id, usage_seq, context, moment)
SELECT memory_id, usage_seq, context, moment
FROM unnest(%s::text[], %s::bigint[], %s::text[], %s::text[]) AS given (memory_id, usage_seq, context, moment)
ON CONFLICT DO NOTHING;

-- name: take_receipt_scopes
-- In which scopes they were asked.
INSERT INTO usage_scopes (scope_no, usage_seq)
SELECT scope_no, usage_seq
FROM unnest(%s::bigint[], %s::bigint[]) AS given (scope_no, usage_seq)
ON CONFLICT DO NOTHING;

-- name: take_contexts
-- The present ones.
INSERT INTO contexts (session, generation, at)
SELECT session, generation, at FROM unnest(%s::text[], %s::bigint[], %s::text[]) AS given (session, generation, at)
ON CONFLICT (tenant, session) DO UPDATE SET generation = excluded.generation, at = excluded.at;

-- name: take_seen
-- Messages that counted.
INSERT INTO seen_messages (lineage, message)
SELECT lineage, message FROM unnest(%s::bigint[], %s::bigint[]) AS given (lineage, message)
ON CONFLICT DO NOTHING;

-- name: take_generation
-- Its number is given anew.
INSERT INTO vector_generations (target, model_version, form, dimension, status, began_at, finished_at)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant, target, model_version, form) DO UPDATE SET
    status = excluded.status, began_at = excluded.began_at, finished_at = excluded.finished_at;

-- name: take_failures
-- How often each was tried, and when last, once it is there.
UPDATE vector_failures AS held
SET attempts = given.attempts, at = given.at
FROM unnest(%(ids)s::text[], %(attempts)s::bigint[], %(ats)s::text[]) AS given (id, attempts, at)
WHERE held.tenant = learnt_tenant() AND held.generation = %(generation)s
  AND held.row = CASE %(target)s WHEN 'memory'
                 THEN (SELECT row FROM memory_items WHERE tenant = learnt_tenant() AND id = given.id)
                 ELSE (SELECT min(seq) FROM evidence_units WHERE tenant = learnt_tenant() AND id = given.id) END;

-- name: take_job
-- As it stands; a lease that is held runs out.
INSERT INTO jobs (id, kind, job_key, scope_key, payload, status, attempts, max_attempts, due_at, ownership_token, fence,
                  lease_until, input_watermark, last_success_watermark, takeovers, last_error, created_at, updated_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant, id) DO UPDATE SET
    kind = excluded.kind, job_key = excluded.job_key, scope_key = excluded.scope_key, payload = excluded.payload,
    status = excluded.status, attempts = excluded.attempts, max_attempts = excluded.max_attempts,
    due_at = excluded.due_at, ownership_token = excluded.ownership_token, fence = excluded.fence,
    lease_until = excluded.lease_until, input_watermark = excluded.input_watermark,
    last_success_watermark = excluded.last_success_watermark, takeovers = excluded.takeovers,
    last_error = excluded.last_error, created_at = excluded.created_at, updated_at = excluded.updated_at;

-- name: drop_facts
-- Those that do not stay.
DELETE FROM _meta WHERE tenant = learnt_tenant() AND key = ANY(%s::text[]);

-- name: within_memories
-- Of some scopes, by id.
SELECT id, '', id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
       superseded_by, clearance, text, record_json
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND id > %(id)s
ORDER BY id
LIMIT %(limit)s;

-- name: within_proposals
-- The same of proposals.
SELECT id, '', id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND id > %(id)s
ORDER BY id
LIMIT %(limit)s;

-- name: within_units
-- The same of evidence that is a document or is cited; one document may stand in two scopes.
SELECT e.id, s.key, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length,
       e.record, e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[]) AND (e.type = 'document' OR e.cited)
  AND (e.id > %(id)s OR (e.id = %(id)s AND s.key > %(key)s))
ORDER BY e.id, s.key
LIMIT %(limit)s;

-- name: within_outcomes
-- What became of memories of some scopes, by id.
SELECT o.id, s.key, s.key, o.id, o.memory_id, o.generation, o.result, o.at, o.writer, o.task, o.correction, o.clearance,
       o.spots, o.repository_id
FROM memory_outcomes AS o
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = o.scope_no
WHERE o.tenant = learnt_tenant() AND o.scope_no = ANY(%(scopes)s::bigint[]) AND (o.id, s.key) > (%(id)s, %(key)s)
ORDER BY o.id, s.key
LIMIT %(limit)s;

-- name: within_flags
-- Flags on memories of some scopes, by memory.
SELECT f.memory_id, f.writer || chr(10) || f.cleared_at, s.key, f.memory_id, f.writer, f.cleared_at, f.at, f.reason,
       f.person, f.login, f.cleared_by
FROM memory_flags AS f
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = f.scope_no
WHERE f.tenant = learnt_tenant() AND f.scope_no = ANY(%(scopes)s::bigint[]) AND f.memory_id >= %(id)s
  AND (f.memory_id, f.writer || chr(10) || f.cleared_at) > (%(id)s, %(key)s)
ORDER BY f.memory_id, 2
LIMIT %(limit)s;

-- name: left
-- What no export gives, counted.
SELECT (SELECT count(*) FROM evidence_units
        WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND type <> 'document' AND NOT cited),
       (SELECT count(*) FROM sessions WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])),
       (SELECT count(*) FROM extractions WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])),
       (SELECT count(*) FROM recipes WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])),
       (SELECT count(DISTINCT usage_seq) FROM usage_scopes
        WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]));

-- name: count_scopes
-- How many rows of this chapter.
SELECT count(*) FROM scopes WHERE tenant = learnt_tenant();

-- name: count_memories
-- How many rows of this chapter.
SELECT count(*) FROM memory_items WHERE tenant = learnt_tenant();

-- name: count_formers
-- How many rows of this chapter.
SELECT count(*) FROM memory_past WHERE tenant = learnt_tenant();

-- name: count_outcomes
-- How many rows of this chapter.
SELECT count(*) FROM memory_outcomes WHERE tenant = learnt_tenant();

-- name: count_flags
-- How many rows of this chapter.
SELECT count(*) FROM memory_flags WHERE tenant = learnt_tenant();

-- name: count_proposals
-- How many rows of this chapter.
SELECT count(*) FROM memory_proposals WHERE tenant = learnt_tenant();

-- name: count_events
-- How many rows of this chapter.
SELECT count(*) FROM memory_events WHERE tenant = learnt_tenant();

-- name: count_checkpoints
-- Of the chain.
SELECT count(*) FROM audit_checkpoints WHERE tenant = learnt_tenant();

-- name: count_receipts
-- How many rows of this chapter.
SELECT count(*) FROM memory_recall_usage WHERE tenant = learnt_tenant();

-- name: count_contexts
-- How many rows of this chapter.
SELECT count(*) FROM contexts WHERE tenant = learnt_tenant();

-- name: count_units
-- How many rows of this chapter.
SELECT count(*) FROM evidence_units WHERE tenant = learnt_tenant();

-- name: count_threads
-- How many.
SELECT count(*) FROM threads WHERE tenant = learnt_tenant();

-- name: count_extractions
-- How many.
SELECT count(*) FROM extractions WHERE tenant = learnt_tenant();

-- name: count_summaries
-- How many.
SELECT count(*) FROM summaries WHERE tenant = learnt_tenant();

-- name: count_sessions
-- How many rows of this chapter.
SELECT count(*) FROM sessions WHERE tenant = learnt_tenant();

-- name: count_seen
-- How many rows of this chapter.
SELECT count(*) FROM seen_messages WHERE tenant = learnt_tenant();

-- name: count_digests
-- How many rows of this chapter.
SELECT count(*) FROM forgotten WHERE tenant = learnt_tenant();

-- name: count_recipes
-- How many rows of this chapter.
SELECT count(*) FROM recipes WHERE tenant = learnt_tenant();

-- name: count_aliases
-- How many rows of this chapter.
SELECT count(*) FROM aliases WHERE tenant = learnt_tenant();

-- name: count_generations
-- How many rows of this chapter.
SELECT count(*) FROM vector_generations WHERE tenant = learnt_tenant();

-- name: count_vectors
-- How many rows of this chapter.
SELECT count(*) FROM vectors WHERE tenant = learnt_tenant() AND part = 0;

-- name: count_failures
-- How many rows of this chapter.
SELECT count(*) FROM vector_failures WHERE tenant = learnt_tenant();

-- name: count_charges
-- How many rows of this chapter.
SELECT count(*) FROM model_charges WHERE tenant = learnt_tenant();

-- name: count_jobs
-- How many rows of this chapter.
SELECT count(*) FROM jobs WHERE tenant = learnt_tenant();

-- name: clear_vectors
-- Of a move that begins anew.
DELETE FROM vectors WHERE tenant = learnt_tenant();

-- name: clear_failures
-- Of a move that begins anew.
DELETE FROM vector_failures WHERE tenant = learnt_tenant();

-- name: clear_shelves
-- Of a move that begins anew.
DELETE FROM vector_shelves WHERE tenant = learnt_tenant();

-- name: clear_generations
-- Of a move that begins anew.
DELETE FROM vector_generations WHERE tenant = learnt_tenant();

-- name: clear_config
-- Of a move that begins anew.
DELETE FROM embedding_config WHERE tenant = learnt_tenant();

-- name: clear_blocks
-- Of a move that begins anew.
DELETE FROM lexicon_blocks WHERE tenant = learnt_tenant();

-- name: clear_lengths
-- Of a move that begins anew.
DELETE FROM lexicon_lengths WHERE tenant = learnt_tenant();

-- name: clear_anchors
-- Of a move that begins anew.
DELETE FROM anchors WHERE tenant = learnt_tenant();

-- name: clear_claims
-- Of a move that begins anew.
DELETE FROM claims WHERE tenant = learnt_tenant();

-- name: clear_conflicts
-- Of a move that begins anew.
DELETE FROM conflicts WHERE tenant = learnt_tenant();

-- name: clear_formers
-- Of a move that begins anew.
DELETE FROM memory_past WHERE tenant = learnt_tenant();

-- name: clear_outcomes
-- Of a move that begins anew.
DELETE FROM memory_outcomes WHERE tenant = learnt_tenant();

-- name: clear_flags
-- Of a move that begins anew.
DELETE FROM memory_flags WHERE tenant = learnt_tenant();

-- name: clear_memories
-- Of a move that begins anew.
DELETE FROM memory_items WHERE tenant = learnt_tenant();

-- name: clear_proposals
-- Of a move that begins anew.
DELETE FROM memory_proposals WHERE tenant = learnt_tenant();

-- name: clear_relations
-- Of a move that begins anew.
DELETE FROM memory_relations WHERE tenant = learnt_tenant();

-- name: clear_events
-- Of a move that begins anew.
DELETE FROM memory_events WHERE tenant = learnt_tenant();

-- name: clear_chain
-- Of a move that begins anew.
DELETE FROM memory_chain WHERE tenant = learnt_tenant();

-- name: clear_checkpoints
-- Of the chain.
DELETE FROM audit_checkpoints WHERE tenant = learnt_tenant();

-- name: clear_nodes
-- Made anew by the next checkpoint, as far as they are needed.
DELETE FROM audit_nodes WHERE tenant = learnt_tenant();

-- name: clear_receipt_memories
-- Of a move that begins anew.
DELETE FROM usage_memories WHERE tenant = learnt_tenant();

-- name: clear_receipt_scopes
-- Of a move that begins anew.
DELETE FROM usage_scopes WHERE tenant = learnt_tenant();

-- name: clear_receipts
-- Of a move that begins anew.
DELETE FROM memory_recall_usage WHERE tenant = learnt_tenant();

-- name: clear_contexts
-- Of a move that begins anew.
DELETE FROM contexts WHERE tenant = learnt_tenant();

-- name: clear_postings
-- Of a move that begins anew.
DELETE FROM evidence_postings WHERE tenant = learnt_tenant();

-- name: clear_sheets
-- Of a move that begins anew.
DELETE FROM evidence_sheets WHERE tenant = learnt_tenant();

-- name: clear_units
-- Of a move that begins anew.
DELETE FROM evidence_units WHERE tenant = learnt_tenant();

-- name: clear_threads
-- All of them.
DELETE FROM threads WHERE tenant = learnt_tenant();

-- name: clear_extractions
-- All of them.
DELETE FROM extractions WHERE tenant = learnt_tenant();

-- name: clear_summaries
-- All of them.
DELETE FROM summaries WHERE tenant = learnt_tenant();

-- name: clear_sessions
-- Of a move that begins anew.
DELETE FROM sessions WHERE tenant = learnt_tenant();

-- name: clear_seen
-- Of a move that begins anew.
DELETE FROM seen_messages WHERE tenant = learnt_tenant();

-- name: clear_digests
-- Of a move that begins anew.
DELETE FROM forgotten WHERE tenant = learnt_tenant();

-- name: clear_recipes
-- Of a move that begins anew.
DELETE FROM recipes WHERE tenant = learnt_tenant();

-- name: clear_aliases
-- Of a move that begins anew.
DELETE FROM aliases WHERE tenant = learnt_tenant();

-- name: clear_charges
-- Of a move that begins anew.
DELETE FROM model_charges WHERE tenant = learnt_tenant();

-- name: clear_jobs
-- Of a move that begins anew.
DELETE FROM jobs WHERE tenant = learnt_tenant();

-- name: clear_changes
-- Also what the lines above told.
DELETE FROM changes WHERE tenant = learnt_tenant();

-- name: clear_scopes
-- Of a move that begins anew.
DELETE FROM scopes WHERE tenant = learnt_tenant();
