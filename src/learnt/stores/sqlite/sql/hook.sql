-- What a hook asks and writes. Every statement is bounded: a hook lives for 30 ms, whatever the store holds.

-- name: journal
-- Whether readers wait for writers here.
PRAGMA journal_mode;

-- name: synchronous
-- In WAL mode only: a receipt need not survive a power cut, and never damages the file.
PRAGMA synchronous = NORMAL;

-- name: version
-- Of the schema; a newer one is left alone.
PRAGMA user_version;

-- name: members
-- The members of a JSON object (or the elements of a list), containers as JSON text.
SELECT key, value FROM json_each(?) WHERE type IN ('text', 'object', 'array');

-- name: context_answer
-- The host's JSON for additional context.
SELECT json_object('hookSpecificOutput', json_object('hookEventName', ?, 'additionalContext', ?));

-- name: context_alone
-- The same for hosts that want it under one name.
SELECT json_object(?, ?);

-- name: context_uncancelled
-- The same for a host that also wants to hear that the action may go on.
SELECT json_object(?, ?, 'cancel', json('false'));

-- name: notice_answer
-- The host's JSON for one line to the person.
SELECT json_object('systemMessage', ?);

-- name: recorded
-- What `learnt init` and the commands recorded for hooks.
SELECT key, value FROM _meta WHERE key >= 'hook.' AND key < 'hook/';

-- name: alias
-- The repository an identity value was recorded or adopted under.
SELECT repository_id FROM aliases WHERE value = ?;

-- name: copied
-- How far the copy of a store on a server is in one scope: entry, revision, moment.
SELECT value FROM _meta WHERE key = ?;

-- name: scope
-- Number, active memories and indexed terms of one scope.
SELECT no, active, terms FROM scopes WHERE key = ?;

-- name: generation
-- Number of the present context of a session.
SELECT generation FROM contexts WHERE session = ?;

-- name: advance
-- A new context of the same session begins: after a start, a clear, a compaction.
INSERT INTO contexts (session, generation, at) VALUES (:session, 1, :at)
ON CONFLICT (session) DO UPDATE SET generation = generation + 1, at = excluded.at;

-- name: guided
-- Which summary a session was given, and in how many characters.
SELECT guidance FROM contexts WHERE session = ?;

-- name: guide
-- Note it.
UPDATE contexts SET guidance = ? WHERE session = ?;

-- name: guidance
-- The summary of the repository's sessions.
SELECT digest, text, clearance FROM summaries WHERE scope_no = ? AND current = 1;

-- name: guidance_given
-- An earlier one that a session still holds.
SELECT digest, text, clearance FROM summaries WHERE scope_no = ? AND digest = ?;

-- name: shown
-- What this context was given; of several moments the one before an action.
SELECT memory_id, max(moment = 'pre_tool') FROM usage_memories WHERE context = ? GROUP BY memory_id;

-- name: latest
-- The newest active memories of a scope, for the session start to choose from.
SELECT id, kind, trust, confidence, q_value, updated_at, expires_at, valid_from, clearance, text, run, flags
FROM memory_items INDEXED BY memory_items_listing
WHERE scope_no = ? AND status = 'active'
ORDER BY updated_at DESC, id
LIMIT ?;

-- name: detail
-- What a block shows of one memory beyond its candidate: clearance, text, open flags, and where it came from.
SELECT clearance, text, flags,
       CASE WHEN json_valid(record_json) THEN
           coalesce(record_json ->> '$.source.file_path', record_json ->> '$.source.url',
                    record_json ->> '$.source.commit_sha', record_json ->> '$.source.ref', '')
       ELSE '' END
FROM memory_items
WHERE id = ?;

-- name: pinned
-- What a memory is pinned to. Most memories have no pins, and the search for the word spares them the JSON.
SELECT pin.value ->> '$.path', pin.value ->> '$.line', pin.value ->> '$.end', pin.value ->> '$.symbol',
       pin.value ->> '$.marks', pin.value ->> '$.before', pin.value ->> '$.after', pin.value ->> '$.copies',
       pin.value ->> '$.height'
FROM memory_items AS m,
     json_each(CASE WHEN instr(m.record_json, '"pins"') AND json_valid(m.record_json) THEN m.record_json ELSE '{}' END,
               '$.metadata.pins') AS pin
WHERE m.id = ? AND pin.type = 'object'
LIMIT 20;

-- name: retired
-- The superseded memories retired last, with what bounds their scores. Chooses rows by the listing index alone.
SELECT row, scope_no, confidence, q_value, signals
FROM memory_items
WHERE row IN (SELECT row
              FROM memory_items INDEXED BY memory_items_listing
              WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'superseded'
              ORDER BY updated_at DESC, id
              LIMIT :limit);

-- name: retired_rows
-- Some of them in the columns of a candidate, as if they were active.
SELECT row, id, scope_no, kind, 'active', trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE row IN (SELECT value FROM json_each(:rows)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: successors
-- Where the chains of some superseded memories end, in the columns of a candidate; no link leaves the sight.
WITH RECURSIVE chain (origin, id, link) AS (
    SELECT value, value, 0 FROM json_each(:ids)
    UNION ALL
    SELECT chain.origin, held.superseded_by, chain.link + 1
    FROM chain
    CROSS JOIN memory_items AS held ON held.id = chain.id
    WHERE held.status <> 'active' AND held.superseded_by IS NOT NULL AND chain.link < 32
      AND held.scope_no IN (SELECT value FROM json_each(:scopes)))
SELECT chain.origin, m.row, m.id, m.scope_no, m.kind, m.status, m.trust, m.confidence, m.q_value, m.updated_at,
       m.valid_from, m.expires_at, m.run, m.signals
FROM chain
CROSS JOIN memory_items AS m ON m.id = chain.id
WHERE m.status = 'active' AND m.scope_no IN (SELECT value FROM json_each(:scopes));

-- name: observations
-- Pending proposals that may be shown although nobody decided on them, newest first.
SELECT id, created_at, clearance, text, signals,
       CASE WHEN json_valid(proposal_json) THEN proposal_json ELSE '{}' END
FROM memory_proposals
WHERE scope_no = ? AND observation = 1 AND status = 'pending'
ORDER BY created_at DESC
LIMIT ?;

-- name: observation
-- A pending proposal that may be shown as seen once.
SELECT id, created_at, clearance, text, signals,
       CASE WHEN json_valid(proposal_json) THEN proposal_json ELSE '{}' END
FROM memory_proposals
WHERE id = ? AND scope_no = ? AND observation = 1 AND status = 'pending';

-- name: observation_detail
-- Of a proposal's JSON: kind, trust, confidence, expiry, first evidence with a quote, session or source.
SELECT coalesce(?1 ->> '$.kind', 'lesson'), coalesce(?1 ->> '$.trust', 'agent'), coalesce(?1 ->> '$.confidence', 0.5),
       ?1 ->> '$.expires_at',
       coalesce((SELECT value ->> '$.quote' FROM json_each(?1, '$.evidence')
                 WHERE value ->> '$.quote' <> '' ORDER BY key LIMIT 1), ''),
       coalesce(?1 ->> '$.evidence[0].ref', ?1 ->> '$.source.ref', ''),
       coalesce(?1 ->> '$.provenance.run_id', ?1 ->> '$.provenance.session_id', '');

-- name: anchored
-- What is tied to one anchor of an action.
SELECT target_id FROM anchors WHERE scope_no = ? AND type = ? AND key = ? LIMIT 64;

-- name: warning
-- One active memory found by an anchor.
SELECT id, kind, trust, confidence, q_value, updated_at, expires_at, valid_from, clearance, text, run, flags
FROM memory_items
WHERE id = ? AND scope_no = ? AND status = 'active';

-- name: tied
-- What applied merges tied to these memories.
SELECT DISTINCT memory_id, other_id
FROM memory_relations
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND memory_id IN (SELECT value FROM json_each(:ids))
ORDER BY memory_id, other_id;

-- name: reflected
-- What the digest of outcomes names, in its order: nothing of another pattern set, and the first hundred of each list.
WITH part (name, list) AS MATERIALIZED (
    SELECT key, value
    FROM json_each(CASE WHEN json_valid(:text) THEN :text ELSE '{}' END)
    WHERE (key = 'patternSet' AND type = 'text')
       OR (key IN ('preferred', 'deadEnds', 'corrections') AND type = 'array')
)
SELECT part.name, item.value ->> '$.memoryId', coalesce(item.value ->> '$.positiveOutcomes', 0),
       coalesce(item.value ->> '$.negativeOutcomes', 0), coalesce(item.value ->> '$.anchor.file', ''),
       coalesce(item.value ->> '$.anchor.symbol', ''),
       iif(part.name = 'corrections', coalesce(item.value ->> '$.correction', ''), ''),
       iif(part.name = 'corrections', coalesce(item.value ->> '$.correctedBy', ''), '')
FROM part
CROSS JOIN json_each(part.list) AS item
WHERE part.name <> 'patternSet' AND (SELECT list FROM part WHERE name = 'patternSet') = :pattern_set
  AND item.key < 100 AND item.type = 'object' AND item.value ->> '$.cleared'
ORDER BY instr('preferred deadEnds corrections', part.name), item.key;

-- name: read_up_to
-- How far a transcript was read.
SELECT max(CASE WHEN json_valid(session_json) THEN session_json ->> '$.offset' END) FROM sessions WHERE path = ?;

-- name: mark
-- Process and session of the file by which a client says that it holds a session open.
SELECT ?1 ->> '$.pid', coalesce(?1 ->> '$.sessionId', '');

-- name: begin
-- The write lock, for the receipt alone.
BEGIN IMMEDIATE;

-- name: unwaiting
-- Who is in the way now is not waited for.
PRAGMA busy_timeout = 0;

-- name: shorten
-- Everything in the log goes into the file, and the log is emptied, unless somebody reads in it.
PRAGMA wal_checkpoint(TRUNCATE);

-- name: commit
-- The receipt is written.
COMMIT;

-- name: receipt
-- What was given, when, at what cost, and how the search by meaning did where there is one; never its text.
INSERT INTO memory_recall_usage (id, bundle_id, timestamp, run_id, unit_id, context, moment, usage_json)
SELECT :id, :id, :timestamp, :run_id, :unit_id, :context, :moment,
       CASE WHEN :dense = '' THEN body ELSE json_set(body, '$.dense', :dense) END
FROM (SELECT json_object('id', :id, 'timestamp', :timestamp, 'moment', :moment, 'query_hash', :query_hash,
                         'memory_ids', json(:memory_ids), 'scores', json(:scores), 'token_estimate', :token_estimate,
                         'skip_reason', :skip_reason, 'run_id', :run_id, 'unit_id', :unit_id,
                         'round', :round, 'signature', :signature, 'session_id', :session_id, 'agent_id', :agent_id,
                         'context', :context, 'scope_keys', json(:scope_keys)) AS body);

-- name: receipt_memory
-- Which memories were in it.
INSERT INTO usage_memories (memory_id, usage_seq, context, moment) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: receipt_scope
-- In which scopes it was asked.
INSERT INTO usage_scopes (scope_no, usage_seq) VALUES (?, ?) ON CONFLICT DO NOTHING;

-- name: trail_end
-- Where the audit trail ends: hash, seal, what the log is called, number of the last event.
SELECT (SELECT value FROM _meta WHERE key = 'memory_events_chain_head'),
       (SELECT value FROM _meta WHERE key = 'memory_events_chain_seal'),
       (SELECT value FROM _meta WHERE key = 'audit_log'),
       (SELECT max(seq) FROM memory_events);

-- name: trail_after
-- What an event says the one before it was.
SELECT prev_hash FROM memory_events WHERE seq = ?;

-- name: trail_append
-- That memories were given away.
INSERT INTO memory_events (seq, id, operation, target_id, timestamp, event_json, prev_hash, mac)
VALUES (?, ?, 'recall', ?, ?, ?, ?, ?);

-- name: trail_set
-- Head, seal and name of the log, with the event they are of.
INSERT INTO _meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: quoted
-- A text as a JSON string.
SELECT json_quote(?);

-- name: wants_rescan
-- Memories the present pattern set has not cleared were met: the next command or capture scans them.
INSERT INTO _meta (key, value) VALUES ('rescan', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: disputes
-- Open disputes of these memories: the one with the newer evidence, then the other; ordered as the engine reads them.
WITH found AS (
    SELECT memory_id, rival_id FROM conflicts
    WHERE memory_id IN (SELECT value FROM json_each(:ids)) AND reason = 'disputes'
    UNION
    SELECT memory_id, rival_id FROM conflicts
    WHERE rival_id IN (SELECT value FROM json_each(:ids)) AND reason = 'disputes'
), dated AS (
    SELECT one.id AS mine, other.id AS theirs,
           coalesce(json_extract(one.record_json, '$.metadata.evidence_at'), one.valid_from) AS my_time,
           coalesce(json_extract(other.record_json, '$.metadata.evidence_at'), other.valid_from) AS their_time
    FROM found
    JOIN memory_items AS one ON one.id = found.memory_id AND one.status = 'active'
    JOIN memory_items AS other ON other.id = found.rival_id AND other.status = 'active'
    WHERE one.scope_no IN (SELECT value FROM json_each(:scopes))
)
SELECT CASE WHEN my_time >= their_time THEN mine ELSE theirs END, CASE WHEN my_time >= their_time THEN theirs ELSE mine END
FROM dated
ORDER BY mine, theirs;

-- name: owed
-- Whether a session waits to be learnt from, or artifacts wait to be made; two looks into indexes.
SELECT 1
FROM threads AS t
WHERE t.scope_no = :scope AND t.extracted < t.updated_at AND t.mode = 'enabled'
  AND t.updated_at BETWEEN :since AND :until AND t.source IN ('cli', 'app')
  AND NOT EXISTS (SELECT 1 FROM jobs AS j
                  WHERE j.kind = 'memory_stage1' AND j.job_key = t.id
                    AND ((j.status = 'dead' AND j.updated_at >= t.updated_at) OR j.due_at > :now))
UNION ALL
SELECT 1
FROM jobs
WHERE kind = 'memory_consolidate_global' AND job_key = :repository
  AND ((status = 'pending' AND due_at <= :now) OR (status = 'running' AND lease_until <= :now))
LIMIT 1;
