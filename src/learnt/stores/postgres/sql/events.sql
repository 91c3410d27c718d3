-- The audit chain. Order is `seq`; the end of each tenant's chain is in memory_chain.

-- name: head
-- Hash of the last event.
SELECT head FROM memory_chain WHERE tenant = learnt_tenant();

-- name: append
-- Moves the end of the chain and adds the event before it, in one statement: the hash is made here, because only who
-- holds the chain's row knows the hash before. `opening` and `closing` are the canonical JSON around it.
WITH moved AS (
    INSERT INTO memory_chain AS held (seq, before, head)
    VALUES (1, 'GENESIS', encode(sha256(convert_to(%(opening)s || 'GENESIS' || %(closing)s, 'UTF8')), 'hex'))
    ON CONFLICT (tenant) DO UPDATE SET
        seq = held.seq + 1,
        before = coalesce(held.head, 'GENESIS'),
        head = encode(sha256(convert_to(%(opening)s || coalesce(held.head, 'GENESIS') || %(closing)s, 'UTF8')), 'hex')
    RETURNING seq, before
)
INSERT INTO memory_events (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash)
SELECT seq, %(id)s, %(operation)s, %(target_id)s, %(reason)s, %(timestamp)s, %(event_json)s, before
FROM moved;

-- name: get
-- One event by id.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash
FROM memory_events
WHERE tenant = learnt_tenant() AND id = %s;

-- name: about
-- All events of one target, oldest first.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash
FROM memory_events
WHERE tenant = learnt_tenant() AND target_no = hashtextextended(%(target)s, 0) AND target_id = %(target)s
ORDER BY seq;

-- name: seal
-- Head and last event as of one moment.
SELECT (SELECT head FROM memory_chain WHERE tenant = learnt_tenant()),
       (SELECT max(seq) FROM memory_events WHERE tenant = learnt_tenant());

-- name: stretch
-- The next events of the chain after one, up to one.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash
FROM memory_events
WHERE tenant = learnt_tenant() AND seq > %s AND seq <= %s
ORDER BY seq
LIMIT 1000;
