-- The guardian's side of the audit trail: checkpoints, nodes of the tree, what is cut off and what is taken out.

-- name: checkpoints
-- By what they speak of.
SELECT installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks
FROM audit_checkpoints
ORDER BY size, installation, epoch;

-- name: keep
-- One more; a second one of the same key is refused.
INSERT INTO audit_checkpoints (installation, epoch, size, cut, at, statement, signature, peaks, cut_peaks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: keep_node
-- The root of a whole subtree; made anew it is the same, unless somebody was at work here.
INSERT INTO audit_nodes (level, number, hash) VALUES (?, ?, ?)
ON CONFLICT (level, number) DO UPDATE SET hash = excluded.hash;

-- name: node
-- The root of one whole subtree.
SELECT hash FROM audit_nodes WHERE level = ? AND number = ?;

-- name: cut
-- The events up to one.
DELETE FROM memory_events WHERE seq <= ?;

-- name: found
-- Events by id, with what is hashed of them.
SELECT seq, id, operation, target_id, reason, timestamp, event_json, prev_hash, mac, erased
FROM memory_events
WHERE id IN (SELECT value FROM json_each(?))
ORDER BY seq;

-- name: erase
-- Nothing is left of an event but that it was, when, of what sort, and its hash.
UPDATE memory_events SET target_id = '', reason = NULL, event_json = NULL, erased = ? WHERE seq = ?;
