-- The guardian's side of the audit trail: checkpoints, nodes of the tree, what is cut off and what is taken out.

-- name: checkpoints
-- By what they speak of.
SELECT installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks
FROM audit_checkpoints
WHERE tenant = learnt_tenant()
ORDER BY size, installation, epoch;

-- name: keep
-- One more; a second one of the same key is refused.
INSERT INTO audit_checkpoints (installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s);

-- name: keep_nodes
-- Roots of whole subtrees; made anew they are the same, unless somebody was at work here.
INSERT INTO audit_nodes (level, number, hash)
SELECT * FROM unnest(%s::integer[], %s::bigint[], %s::text[])
ON CONFLICT (tenant, level, number) DO UPDATE SET hash = excluded.hash;

-- name: nodes
-- Roots of whole subtrees.
SELECT level, number, hash
FROM audit_nodes
JOIN unnest(%s::integer[], %s::bigint[]) AS wanted (level, number) USING (level, number)
WHERE tenant = learnt_tenant();

-- name: cut
-- The events up to one.
WITH gone AS (DELETE FROM memory_events WHERE tenant = learnt_tenant() AND seq <= %s RETURNING 1)
SELECT count(*) FROM gone;

-- name: found
-- Events by id, with what is hashed of them.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE tenant = learnt_tenant() AND id = ANY (%s)
ORDER BY seq;

-- name: erase
-- Nothing is left of an event but that it was, when, of what sort, and its hash.
UPDATE memory_events SET target_id = '', reason = NULL, event_json = NULL, erased = %s
WHERE tenant = learnt_tenant() AND seq = %s;
