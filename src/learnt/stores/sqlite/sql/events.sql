-- The audit chain. Order is `seq`; the hash of the last event is kept in _meta beside it, with its seal.

-- name: end
-- Hash, seal and number of the last event, and what the log is called.
SELECT (SELECT value FROM _meta WHERE key = 'memory_events_chain_head'),
       (SELECT value FROM _meta WHERE key = 'memory_events_chain_seal'),
       (SELECT value FROM _meta WHERE key = 'audit_log'),
       (SELECT max(seq) FROM memory_events);

-- name: set_head
-- In the transaction of the event it is the hash of.
INSERT INTO _meta (key, value) VALUES ('memory_events_chain_head', ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: set_end
-- The same together with the seal.
INSERT INTO _meta (key, value) VALUES ('memory_events_chain_head', ?), (?, ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: set_log
-- What the log is called, with its first marked event.
INSERT INTO _meta (key, value) VALUES (?, ?);

-- name: append
-- At the end of the chain.
INSERT INTO memory_events (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: after
-- What an event says the one before it was.
SELECT prev_hash FROM memory_events WHERE seq = ?;

-- name: get
-- One event by id.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE id = ?;

-- name: about
-- All events of some targets, oldest first.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE target_id IN (SELECT value FROM json_each(?))
ORDER BY seq;

-- name: stretch
-- The next events of the chain after one, up to one.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE seq > ? AND seq <= ?
ORDER BY seq
LIMIT 1000;

-- name: stretch_bytes
-- The same as bytes, where some of it is no text.
SELECT seq, CAST(id AS BLOB), CAST(operation AS BLOB), CAST(target_id AS BLOB), CAST(reason AS BLOB),
       CAST(timestamp AS BLOB), CAST(event_json AS BLOB), CAST(prev_hash AS BLOB), CAST(mac AS BLOB), CAST(erased AS BLOB)
FROM memory_events
WHERE seq > ? AND seq <= ?
ORDER BY seq
LIMIT 1000;
