-- What an attacker does to the audit trail of a SQLite file, past the store. Event 30 is one in the middle.

-- name: edit
-- Another reason.
UPDATE memory_events SET reason = 'another' WHERE seq = 30;

-- name: edit_first
-- Of the first event.
UPDATE memory_events SET reason = 'another' WHERE seq = 1;

-- name: edit_detail
-- Another count.
UPDATE memory_events SET event_json = json_set(event_json, '$.n', 99) WHERE seq = 30;

-- name: edit_target
-- About another memory.
UPDATE memory_events SET target_id = 'mem_f' WHERE seq = 30;

-- name: edit_id
-- Under another name.
UPDATE memory_events SET id = 'evt_f' WHERE seq = 30;

-- name: edit_operation
-- Another operation.
UPDATE memory_events SET operation = 'delete' WHERE seq = 30;

-- name: edit_time
-- At another time.
UPDATE memory_events SET timestamp = '2020-01-01T00:00:00.000Z' WHERE seq = 30;

-- name: edit_hash
-- Another hash before.
UPDATE memory_events SET prev_hash = lower(hex(zeroblob(32))) WHERE seq = 30;

-- name: edit_mark
-- Another mark by the same key.
UPDATE memory_events SET mac = substr(mac, 1, 9) || lower(hex(zeroblob(32))) WHERE seq = 30;

-- name: edit_null
-- Nothing where a text stood.
UPDATE memory_events SET reason = NULL WHERE seq = 30;

-- name: edit_type
-- The same bytes as another type.
UPDATE memory_events SET reason = CAST(reason AS BLOB) WHERE seq = 30;

-- name: edit_bytes
-- Bytes that are no text.
UPDATE memory_events SET reason = CAST(x'ff41' AS TEXT) WHERE seq = 30;

-- name: edit_boundary
-- A character moved from the end of one column to the beginning of the next.
UPDATE memory_events
SET timestamp = substr(reason, -1) || timestamp, reason = substr(reason, 1, length(reason) - 1)
WHERE seq = 30;

-- name: edit_all
-- Another history.
UPDATE memory_events SET reason = 'another', target_id = 'mem_f';

-- name: delete_one
-- One event.
DELETE FROM memory_events WHERE seq = 30;

-- name: delete_range
-- Ten events.
DELETE FROM memory_events WHERE seq BETWEEN 25 AND 34;

-- name: delete_first
-- The first ones.
DELETE FROM memory_events WHERE seq <= 3;

-- name: delete_after
-- The last ones.
DELETE FROM memory_events WHERE seq > ?;

-- name: delete_all
-- Every event.
DELETE FROM memory_events;

-- name: delete_facts
-- Head, seal and name of the log.
DELETE FROM _meta WHERE key LIKE 'memory_events_chain%' OR key = 'audit_log';

-- name: delete_checkpoints
-- Every checkpoint.
DELETE FROM audit_checkpoints;

-- name: delete_checkpoint
-- The last checkpoint.
DELETE FROM audit_checkpoints WHERE epoch = 2;

-- name: unchained
-- A run of events robbed of their hashes.
UPDATE memory_events SET prev_hash = NULL WHERE seq BETWEEN 30 AND 34;

-- name: unmarked
-- A run of events robbed of their marks.
UPDATE memory_events SET mac = NULL WHERE seq BETWEEN 30 AND 34;

-- name: emptied
-- An event emptied that no event tells of, and another hash in its place.
UPDATE memory_events SET reason = NULL, event_json = NULL, erased = prev_hash WHERE seq = 30;

-- name: room
-- Room after the middle event.
UPDATE memory_events SET seq = -seq - 1 WHERE seq > 30;

-- name: room_made
-- The rest one place later.
UPDATE memory_events SET seq = -seq WHERE seq < 0;

-- name: insert_middle
-- A forged event there.
INSERT INTO memory_events (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac)
SELECT 31, 'evt_forged', operation, target_id, reason, timestamp, event_json, prev_hash, mac
FROM memory_events
WHERE seq = 30;

-- name: insert_copy
-- The same event once more.
INSERT INTO memory_events (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac)
SELECT 31, id || '0', operation, target_id, reason, timestamp, event_json, prev_hash, mac
FROM memory_events
WHERE seq = 30;

-- name: insert_tail
-- A forged event at the end.
INSERT INTO memory_events (seq, id, operation, target_id, timestamp, prev_hash, mac)
SELECT seq + 1, 'evt_forged', 'delete', 'mem_0', timestamp, '', mac
FROM memory_events
ORDER BY seq DESC
LIMIT 1;

-- name: swap
-- Two neighbours change places, all but their hashes and marks.
UPDATE memory_events
SET (id, operation, target_id, reason, timestamp, event_json) =
    (SELECT o.id || '0', o.operation, o.target_id, o.reason, o.timestamp, json_set(o.event_json, '$.n', 99)
     FROM memory_events AS o
     WHERE o.seq = 61 - memory_events.seq)
WHERE seq IN (30, 31);

-- name: head
-- Another head.
UPDATE _meta SET value = lower(hex(zeroblob(32))) WHERE key = 'memory_events_chain_head';

-- name: head_gone
-- No head.
DELETE FROM _meta WHERE key = 'memory_events_chain_head';

-- name: seal
-- Another seal.
UPDATE _meta SET value = 'x:y' WHERE key = 'memory_events_chain_seal';

-- name: seal_gone
-- No seal.
DELETE FROM _meta WHERE key = 'memory_events_chain_seal';

-- name: log
-- What the log is called.
SELECT value FROM _meta WHERE key = 'audit_log';

-- name: rows
-- Everything that is hashed.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac FROM memory_events ORDER BY seq;

-- name: mend
-- Hash and mark worked out anew.
UPDATE memory_events SET prev_hash = ?, mac = ? WHERE seq = ?;

-- name: mend_fact
-- Head or seal worked out anew.
UPDATE _meta SET value = ? WHERE key = ?;

-- name: last
-- The number of the last event.
SELECT max(seq) FROM memory_events;

-- name: old
-- An event of a learnt without keys.
INSERT INTO memory_events (id, operation, target_id, timestamp, prev_hash) VALUES (?, 'upsert', 'mem_0', ?, ?);

-- name: old_head
-- The head of such a trail.
INSERT INTO _meta (key, value) VALUES ('memory_events_chain_head', ?);

-- name: vacuum
-- The file written anew.
VACUUM;

-- name: reindex
-- Its indexes written anew.
REINDEX;

-- name: begin
-- A transaction that is not going to end.
BEGIN IMMEDIATE;
