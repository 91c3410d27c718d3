-- What became of memories, and what readers have against them. Every reader holds the scope predicate.

-- name: add
-- One outcome; a trigger counts it on its memory.
INSERT INTO memory_outcomes (scope_no, id, memory_id, generation, result, at, writer, task, correction, clearance, spots,
                             repository_id)
VALUES (%(scope_no)s, %(id)s, %(memory_id)s, %(generation)s, %(result)s, %(at)s, %(by)s, %(task)s, %(correction)s,
        %(clearance)s, %(spots)s, %(repository_id)s);

-- name: get
-- By its id.
SELECT id, memory_id, generation, result, at, writer, task, correction, clearance, spots, repository_id
FROM memory_outcomes
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND id = %(id)s;

-- name: of
-- Of some memories as they are now: what was said of an earlier one of the same text does not count.
SELECT o.id, o.memory_id, o.generation, o.result, o.at, o.writer, o.task, o.correction, o.clearance, o.spots,
       o.repository_id
FROM memory_items AS m
JOIN memory_outcomes AS o ON o.tenant = learnt_tenant() AND o.memory_id = m.id AND o.generation = m.created_at
WHERE m.tenant = learnt_tenant() AND m.id = ANY(%(ids)s::text[]) AND m.scope_no = ANY(%(scopes)s::bigint[])
ORDER BY o.at, o.id;

-- name: told
-- The newest active memories of each scope by the listing index, then of all, with how many outcomes they have.
SELECT found.id, found.said
FROM unnest(%(scopes)s::bigint[]) AS wanted (scope)
CROSS JOIN LATERAL (
    SELECT id, updated_at, useful + against AS said
    FROM memory_items
    WHERE tenant = learnt_tenant() AND scope_no = wanted.scope AND status = 'active'
      AND (expires_at IS NULL OR expires_at > %(now)s)
    ORDER BY updated_at DESC, id
    LIMIT %(limit)s) AS found
ORDER BY found.updated_at DESC, found.id
LIMIT %(limit)s;

-- name: size
-- About: texts, and a word for each of the rest.
SELECT coalesce(sum(length(correction) + length(spots) + 200), 0)::bigint
FROM memory_outcomes
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: unflag
-- A reader's open flag.
DELETE FROM memory_flags
WHERE tenant = learnt_tenant() AND memory_id = %(memory_id)s AND writer = %(by)s AND cleared_at = ''
  AND scope_no = ANY(%(scopes)s::bigint[])
RETURNING memory_id;

-- name: flag
-- In the place of the one before. Who is a person here is known to the server by the role they logged in with.
INSERT INTO memory_flags (memory_id, writer, cleared_at, scope_no, at, reason, person, login, cleared_by)
VALUES (%(memory_id)s, %(by)s, %(cleared_at)s, %(scope_no)s, %(at)s, %(reason)s, %(person)s::int = 1,
        CASE WHEN %(login)s <> '' OR %(person)s::int = 0 OR NOT %(known)s THEN %(login)s ELSE session_user::text END,
        %(cleared_by)s)
ON CONFLICT (tenant, memory_id, writer, cleared_at) DO UPDATE SET
    at = excluded.at, reason = excluded.reason, person = excluded.person, login = excluded.login,
    cleared_by = excluded.cleared_by;

-- name: clear
-- All that are open; gives how many.
WITH closed AS (
    UPDATE memory_flags
    SET cleared_at = %(cleared_at)s, cleared_by = %(cleared_by)s
    WHERE tenant = learnt_tenant() AND memory_id = %(memory_id)s AND cleared_at = ''
      AND scope_no = ANY(%(scopes)s::bigint[])
    RETURNING memory_id
)
SELECT count(*) FROM closed;

-- name: open
-- Of some memories, newest first.
SELECT memory_id, writer, cleared_at, at, reason, person, login, cleared_by
FROM memory_flags
WHERE tenant = learnt_tenant() AND memory_id = ANY(%(ids)s::text[]) AND cleared_at = ''
  AND scope_no = ANY(%(scopes)s::bigint[])
ORDER BY at DESC, memory_id, writer;

-- name: past
-- What was cleared, newest first.
SELECT memory_id, writer, cleared_at, at, reason, person, login, cleared_by
FROM memory_flags
WHERE tenant = learnt_tenant() AND memory_id = %(memory_id)s AND cleared_at <> ''
  AND scope_no = ANY(%(scopes)s::bigint[])
ORDER BY cleared_at DESC, at DESC, writer
LIMIT %(limit)s;

-- name: flagged
-- The latest flag first.
SELECT memory_id
FROM memory_flags
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND cleared_at = ''
GROUP BY memory_id
ORDER BY max(at) DESC, memory_id
LIMIT %(limit)s;

-- name: count
-- Of what is open.
SELECT count(*), count(DISTINCT memory_id)
FROM memory_flags
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND cleared_at = '';
