-- What memories claim, what stands in their way, and what they were. Every reader holds the scope predicate.

-- name: claim
-- A number by which an active memory is found.
INSERT INTO claims (scope_no, key, row) VALUES (?, ?, ?) ON CONFLICT DO NOTHING;

-- name: unclaim
-- All numbers of a memory.
DELETE FROM claims WHERE row = ?;

-- name: sharing
-- Active memories found by one of these numbers, latest written first.
SELECT id
FROM memory_items
WHERE row IN (SELECT row
              FROM claims
              WHERE scope_no = :scope_no AND key IN (SELECT value FROM json_each(:keys))
              ORDER BY row DESC
              LIMIT :limit)
  AND status = 'active'
ORDER BY row DESC;

-- name: oppose
-- What stands in the way of a memory.
INSERT INTO conflicts (memory_id, rival_id, scope_no, reason, score, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: unoppose
-- All of it.
DELETE FROM conflicts WHERE memory_id = ?;

-- name: standing
-- Open conflicts of these memories, on either side.
SELECT c.memory_id, c.rival_id, c.reason, c.score, c.at
FROM conflicts AS c
JOIN memory_items AS one ON one.id = c.memory_id AND one.status = 'active'
JOIN memory_items AS other ON other.id = c.rival_id AND other.status = 'active'
WHERE c.scope_no IN (SELECT value FROM json_each(:scopes))
  AND (c.memory_id IN (SELECT value FROM json_each(:ids)) OR c.rival_id IN (SELECT value FROM json_each(:ids)))
ORDER BY c.memory_id, c.rival_id;

-- name: open
-- Open conflicts, latest noticed first.
SELECT c.memory_id, c.rival_id, c.reason, c.score, c.at
FROM conflicts AS c
JOIN memory_items AS one ON one.id = c.memory_id AND one.status = 'active'
JOIN memory_items AS other ON other.id = c.rival_id AND other.status = 'active'
WHERE c.scope_no IN (SELECT value FROM json_each(:scopes)) AND c.reason IN (SELECT value FROM json_each(:reasons))
ORDER BY c.at DESC, c.memory_id, c.rival_id
LIMIT :limit;

-- name: open_count
-- How many there are.
SELECT count(*)
FROM conflicts AS c
JOIN memory_items AS one ON one.id = c.memory_id AND one.status = 'active'
JOIN memory_items AS other ON other.id = c.rival_id AND other.status = 'active'
WHERE c.scope_no IN (SELECT value FROM json_each(:scopes)) AND c.reason IN (SELECT value FROM json_each(:reasons));

-- name: past
-- What one memory was, oldest first.
SELECT until, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
       superseded_by, clearance, text, record_json
FROM memory_past
WHERE id = :id AND scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY until;

-- name: then
-- Of what has changed since an instant, the state at that instant.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json
FROM memory_past AS p
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND until > :at AND created_at <= :at
  AND NOT EXISTS (SELECT 1
                  FROM memory_past AS q
                  WHERE q.id = p.id AND q.until > :at AND q.until < p.until)
ORDER BY id
LIMIT :limit;

-- name: keep
-- One that another store gave.
INSERT INTO memory_past (scope_no, until, id, kind, status, trust, confidence, q_value, created_at, updated_at,
                         valid_from, expires_at, superseded_by, clearance, text, record_json)
VALUES (:scope_no, :until, :id, :kind, :status, :trust, :confidence, :q_value, :created_at, :updated_at, :valid_from,
        :expires_at, :superseded_by, :clearance, :text, :record_json)
ON CONFLICT DO NOTHING;

-- name: disown
-- Before all claims are made anew.
DELETE FROM claims;

-- name: reconcile
-- The same of conflicts.
DELETE FROM conflicts;
