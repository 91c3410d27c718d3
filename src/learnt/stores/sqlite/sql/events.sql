-- The audit chain. Order is `seq`; the hash of the last event is kept in _meta beside it.

-- name: head
SELECT value FROM _meta WHERE key = 'memory_events_chain_head';

-- name: set_head
INSERT INTO _meta (key, value) VALUES ('memory_events_chain_head', ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: append
INSERT INTO memory_events (id, operation, target_id, reason, timestamp, event_json, prev_hash)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: get
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash FROM memory_events WHERE id = ?;

-- name: about
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash
FROM memory_events
WHERE target_id = ?
ORDER BY seq;

-- name: seal
-- Head and last event as of one moment.
SELECT (SELECT value FROM _meta WHERE key = 'memory_events_chain_head'), (SELECT max(seq) FROM memory_events);

-- name: stretch
-- The next events of the chain after one, up to one.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash
FROM memory_events
WHERE seq > ? AND seq <= ?
ORDER BY seq
LIMIT 1000;
