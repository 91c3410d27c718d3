-- The audit chain. Order is `seq`; the hash of the last event is kept in _meta beside it.

-- name: head
-- Hash of the last event.
SELECT value FROM _meta WHERE key = 'memory_events_chain_head';

-- name: set_head
-- In the transaction of the event it is the hash of.
INSERT INTO _meta (key, value) VALUES ('memory_events_chain_head', ?)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: append
-- At the end of the chain.
INSERT INTO memory_events (id, operation, target_id, reason, timestamp, event_json, prev_hash)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: get
-- One event by id.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash FROM memory_events WHERE id = ?;

-- name: about
-- All events of one target, oldest first.
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
