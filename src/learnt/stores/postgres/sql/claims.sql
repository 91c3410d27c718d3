-- What memories claim, what stands in their way, and what they were. Every reader holds the scope predicate.

-- name: claim
-- The numbers by which active memories of a scope are found.
INSERT INTO claims (scope_no, key, row)
SELECT %(scope_no)s, key, row
FROM unnest(%(keys)s::bigint[], %(rows)s::bigint[]) AS given (key, row)
ON CONFLICT DO NOTHING;

-- name: unclaim
-- All numbers of a memory.
DELETE FROM claims WHERE tenant = learnt_tenant() AND row = %s;

-- name: sharing
-- Active memories found by one of these numbers, latest written first.
SELECT m.id
FROM (SELECT DISTINCT row
      FROM claims
      WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND key = ANY(%(keys)s::bigint[])
      ORDER BY row DESC
      LIMIT %(limit)s) AS found
JOIN memory_items AS m ON m.tenant = learnt_tenant() AND m.row = found.row
WHERE m.status = 'active'
ORDER BY m.row DESC;

-- name: oppose
-- What stands in the way of a memory.
INSERT INTO conflicts (memory_id, rival_id, scope_no, reason, score, at)
VALUES (%(memory_id)s, %(rival_id)s, %(scope_no)s, %(reason)s, %(score)s, %(at)s)
ON CONFLICT DO NOTHING;

-- name: unoppose
-- All of it.
DELETE FROM conflicts WHERE tenant = learnt_tenant() AND memory_id = %s;

-- name: standing
-- Open conflicts of these memories, on either side.
SELECT c.memory_id, c.rival_id, c.reason, c.score, c.at
FROM conflicts AS c
JOIN memory_items AS one ON one.tenant = learnt_tenant() AND one.id = c.memory_id AND one.status = 'active'
JOIN memory_items AS other ON other.tenant = learnt_tenant() AND other.id = c.rival_id AND other.status = 'active'
WHERE c.tenant = learnt_tenant() AND c.scope_no = ANY(%(scopes)s::bigint[])
  AND (c.memory_id = ANY(%(ids)s::text[]) OR c.rival_id = ANY(%(ids)s::text[]))
ORDER BY c.memory_id, c.rival_id;

-- name: open
-- Open conflicts, latest noticed first.
SELECT c.memory_id, c.rival_id, c.reason, c.score, c.at
FROM conflicts AS c
JOIN memory_items AS one ON one.tenant = learnt_tenant() AND one.id = c.memory_id AND one.status = 'active'
JOIN memory_items AS other ON other.tenant = learnt_tenant() AND other.id = c.rival_id AND other.status = 'active'
WHERE c.tenant = learnt_tenant() AND c.scope_no = ANY(%(scopes)s::bigint[]) AND c.reason = ANY(%(reasons)s::text[])
ORDER BY c.at DESC, c.memory_id, c.rival_id
LIMIT %(limit)s;

-- name: open_count
-- How many there are.
SELECT count(*)
FROM conflicts AS c
JOIN memory_items AS one ON one.tenant = learnt_tenant() AND one.id = c.memory_id AND one.status = 'active'
JOIN memory_items AS other ON other.tenant = learnt_tenant() AND other.id = c.rival_id AND other.status = 'active'
WHERE c.tenant = learnt_tenant() AND c.scope_no = ANY(%(scopes)s::bigint[]) AND c.reason = ANY(%(reasons)s::text[]);

-- name: past
-- What one memory was, oldest first.
SELECT until, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
       superseded_by, clearance, text, record_json
FROM memory_past
WHERE tenant = learnt_tenant() AND id = %(id)s AND scope_no = ANY(%(scopes)s::bigint[])
ORDER BY until;

-- name: then
-- Of what has changed since an instant, the state at that instant.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json
FROM (SELECT DISTINCT ON (id) *
      FROM memory_past
      WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND until > %(at)s
        AND created_at <= %(at)s
      ORDER BY id, until) AS found
ORDER BY id
LIMIT %(limit)s;

-- name: keep
-- One that another store gave.
INSERT INTO memory_past (scope_no, until, id, kind, status, trust, confidence, q_value, created_at, updated_at,
                         valid_from, expires_at, superseded_by, clearance, text, record_json)
VALUES (%(scope_no)s, %(until)s, %(id)s, %(kind)s, %(status)s, %(trust)s, %(confidence)s, %(q_value)s, %(created_at)s,
        %(updated_at)s, %(valid_from)s, %(expires_at)s, %(superseded_by)s, %(clearance)s, %(text)s, %(record_json)s)
ON CONFLICT DO NOTHING;

-- name: disown
-- Before all claims of the tenant are made anew.
DELETE FROM claims WHERE tenant = learnt_tenant();

-- name: reconcile
-- The same of conflicts.
DELETE FROM conflicts WHERE tenant = learnt_tenant();
