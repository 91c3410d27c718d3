-- The audit chain. Order is `seq`; the end of each tenant's chain is in memory_chain.

-- name: end
-- Hash, seal and number of the last event, and what the log is called.
SELECT c.head, c.seal,
       (SELECT value FROM _meta WHERE tenant = learnt_tenant() AND key = 'audit_log'),
       (SELECT max(seq) FROM memory_events WHERE tenant = learnt_tenant())
FROM (VALUES (1)) AS one (row)
LEFT JOIN memory_chain AS c ON c.tenant = learnt_tenant();

-- name: name_log
-- What the log is called, once for all who write it.
INSERT INTO _meta (key, value) VALUES ('audit_log', %s) ON CONFLICT (tenant, key) DO NOTHING;

-- name: log
-- The same, read back.
SELECT value FROM _meta WHERE tenant = learnt_tenant() AND key = 'audit_log';

-- name: append
-- Moves the end of the chain and adds the event before it, in one statement: the hash is made here, because only who
-- holds the chain's row knows the hash before. `opening` and `closing` are the canonical JSON around it. The marks are
-- HMAC-SHA-256 over place and hash, with keys of this event alone: `inner` and `outer` are their two blocks.
WITH moved AS (
    INSERT INTO memory_chain AS held (seq, before, head, seal)
    VALUES (
        1,
        'GENESIS',
        encode(sha256(convert_to(%(opening)s || 'GENESIS' || %(closing)s, 'UTF8')), 'hex'),
        %(name)s || ':' || encode(sha256(%(seal_outer)s || sha256(%(seal_inner)s || convert_to(
            '1:' || encode(sha256(convert_to(%(opening)s || 'GENESIS' || %(closing)s, 'UTF8')), 'hex'),
            'UTF8'))), 'hex')
    )
    ON CONFLICT (tenant) DO UPDATE SET
        seq = held.seq + 1,
        before = coalesce(held.head, 'GENESIS'),
        head = encode(sha256(convert_to(%(opening)s || coalesce(held.head, 'GENESIS') || %(closing)s, 'UTF8')), 'hex'),
        seal = %(name)s || ':' || encode(sha256(%(seal_outer)s || sha256(%(seal_inner)s || convert_to(
            (held.seq + 1)::text || ':' || encode(sha256(convert_to(
                %(opening)s || coalesce(held.head, 'GENESIS') || %(closing)s, 'UTF8')), 'hex'),
            'UTF8'))), 'hex')
    RETURNING seq, before, head
)
INSERT INTO memory_events (seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac)
SELECT seq, %(id)s, %(operation)s, %(target_id)s, %(reason)s, %(timestamp)s, %(event_json)s, before,
       %(name)s || ':' || encode(sha256(%(mac_outer)s || sha256(%(mac_inner)s || convert_to(
           seq::text || ':' || head, 'UTF8'))), 'hex')
FROM moved;

-- name: append_unmarked
-- The same without a key.
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

-- name: after
-- What an event says the one before it was.
SELECT prev_hash FROM memory_events WHERE tenant = learnt_tenant() AND seq = %s;

-- name: get
-- One event by id.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE tenant = learnt_tenant() AND id = %s;

-- name: about
-- All events of some targets, oldest first.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE tenant = learnt_tenant()
  AND target_no = ANY(ARRAY(SELECT hashtextextended(target, 0) FROM unnest(%(targets)s::text[]) AS target))
  AND target_id = ANY(%(targets)s::text[])
ORDER BY seq;

-- name: stretch
-- The next events of the chain after one, up to one.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE tenant = learnt_tenant() AND seq > %s AND seq <= %s
ORDER BY seq
LIMIT 1000;
