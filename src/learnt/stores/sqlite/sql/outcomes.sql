-- What became of memories, and what readers have against them. Every reader holds the scope predicate.

-- name: add
-- One outcome; a trigger counts it on its memory.
INSERT INTO memory_outcomes (scope_no, id, memory_id, generation, result, at, writer, task, correction, clearance, spots,
                             repository_id)
VALUES (:scope_no, :id, :memory_id, :generation, :result, :at, :by, :task, :correction, :clearance, :spots,
        :repository_id);

-- name: get
-- By its id.
SELECT id, memory_id, generation, result, at, writer, task, correction, clearance, spots, repository_id
FROM memory_outcomes
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND id = :id;

-- name: of
-- Of some memories as they are now: what was said of an earlier one of the same text does not count.
SELECT o.id, o.memory_id, o.generation, o.result, o.at, o.writer, o.task, o.correction, o.clearance, o.spots,
       o.repository_id
FROM json_each(:ids) AS wanted
CROSS JOIN memory_items AS m ON m.id = wanted.value
CROSS JOIN memory_outcomes AS o ON o.memory_id = m.id AND o.generation = m.created_at
WHERE m.scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY o.at, o.id;

-- name: told
-- The newest active memories, by the listing index, with how many outcomes they have.
SELECT id, useful + against
FROM memory_items
WHERE row IN (
    SELECT row
    FROM memory_items INDEXED BY memory_items_listing
    WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'active'
      AND row NOT IN (SELECT row
                      FROM memory_items INDEXED BY memory_items_expiry
                      WHERE scope_no IN (SELECT value FROM json_each(:scopes))
                        AND status = 'active' AND expires_at IS NOT NULL AND expires_at <= :now)
    ORDER BY updated_at DESC, id
    LIMIT :limit)
ORDER BY updated_at DESC, id;

-- name: size
-- About: texts, and a word for each of the rest.
SELECT coalesce(sum(length(correction) + length(spots) + 200), 0)
FROM memory_outcomes
WHERE scope_no IN (SELECT value FROM json_each(:scopes));

-- name: unflag
-- A reader's open flag.
DELETE FROM memory_flags
WHERE memory_id = :memory_id AND writer = :by AND cleared_at = ''
  AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: flag
-- In the place of the one before.
INSERT INTO memory_flags (memory_id, writer, cleared_at, scope_no, at, reason, person, login, cleared_by)
VALUES (:memory_id, :by, :cleared_at, :scope_no, :at, :reason, :person, :login, :cleared_by)
ON CONFLICT (memory_id, writer, cleared_at) DO UPDATE SET
    at = excluded.at, reason = excluded.reason, person = excluded.person, login = excluded.login,
    cleared_by = excluded.cleared_by;

-- name: clear
-- All that are open.
UPDATE memory_flags
SET cleared_at = :cleared_at, cleared_by = :cleared_by
WHERE memory_id = :memory_id AND cleared_at = '' AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: open
-- Of some memories, newest first.
SELECT memory_id, writer, cleared_at, at, reason, person, login, cleared_by
FROM memory_flags
WHERE memory_id IN (SELECT value FROM json_each(:ids)) AND cleared_at = ''
  AND scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY at DESC, memory_id, writer;

-- name: past
-- What was cleared, newest first.
SELECT memory_id, writer, cleared_at, at, reason, person, login, cleared_by
FROM memory_flags
WHERE memory_id = :memory_id AND cleared_at <> '' AND scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY cleared_at DESC, at DESC, writer
LIMIT :limit;

-- name: flagged
-- The latest flag first.
SELECT memory_id
FROM memory_flags INDEXED BY memory_flags_open
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND cleared_at = ''
GROUP BY memory_id
ORDER BY max(at) DESC, memory_id
LIMIT :limit;

-- name: count
-- Of what is open.
SELECT count(*), count(DISTINCT memory_id)
FROM memory_flags INDEXED BY memory_flags_open
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND cleared_at = '';
