-- Vectors. A search holds the scope predicate; building a generation goes over all scopes.

-- name: generation
-- The generation of one model and text form.
SELECT no, target, model_version, form, dimension, status
FROM vector_generations
WHERE target = ? AND model_version = ? AND form = ?;

-- name: generations
-- Every generation of a target, newest first.
SELECT no, target, model_version, form, dimension, status FROM vector_generations WHERE target = ? ORDER BY no DESC;

-- name: current
-- The one that is searched.
SELECT no, target, model_version, form, dimension, status
FROM vector_generations
WHERE target = ? AND status = 'current';

-- name: begin
-- A retired generation that is wanted again goes on with what is left of it.
INSERT INTO vector_generations (target, model_version, form, dimension, status, began_at)
VALUES (:target, :version, :form, :dimension, :status, :now)
ON CONFLICT (target, model_version, form) DO UPDATE SET status = excluded.status, began_at = excluded.began_at
WHERE status = 'retired';

-- name: configure
-- Never changed by a restart with another model. Source: swarm-memory seed, insert or ignore.
INSERT INTO embedding_config (target, model_version) VALUES (?, ?) ON CONFLICT (target) DO NOTHING;

-- name: reconfigure
-- A re-embedding is complete.
INSERT INTO embedding_config (target, model_version) VALUES (?, ?)
ON CONFLICT (target) DO UPDATE SET model_version = excluded.model_version;

-- name: retire
-- What was searched until now.
UPDATE vector_generations SET status = 'retired' WHERE target = ? AND status = 'current';

-- name: finish
-- From now on this one is searched.
UPDATE vector_generations SET status = 'current', finished_at = ? WHERE no = ?;

-- name: owner_memory
-- What a code repeats of its memory.
SELECT row, scope_no, status = 'active', kind, valid_from, expires_at FROM memory_items WHERE id = ?;

-- name: owner_evidence
-- What a code repeats of its piece of evidence.
SELECT seq, scope_no, 1, type, at, NULL FROM evidence_units WHERE id = ?;

-- name: last_change
-- The scope's latest change, on one end of the index.
SELECT coalesce(max(change), 0) FROM vector_codes WHERE generation = ? AND scope_no = ?;

-- name: put_vector
-- Gives the vector its id.
INSERT INTO vectors (vector) VALUES (?) RETURNING id;

-- name: put_code
-- Replaces the code, and a trigger the vector, of the same piece.
INSERT INTO vector_codes (generation, scope_no, row, part, change, live, kind, since, until, vector, code)
VALUES (:generation, :scope_no, :row, :part, :change, :live, :kind, :since, :until, :vector, :code)
ON CONFLICT (generation, scope_no, row, part) DO UPDATE SET
    change = excluded.change, live = excluded.live, kind = excluded.kind, since = excluded.since,
    until = excluded.until, vector = excluded.vector, code = excluded.code;

-- name: drop_codes
-- Pieces from this one on are gone; their rows tell other processes so.
UPDATE vector_codes
SET live = 0, vector = NULL, code = NULL, change = :change
WHERE generation = :generation AND scope_no = :scope_no AND row = :row AND part >= :part AND vector IS NOT NULL;

-- name: fail
-- Once more without a vector.
INSERT INTO vector_failures (generation, row, reason, attempts, at) VALUES (?, ?, ?, 1, ?)
ON CONFLICT (generation, row) DO UPDATE SET
    reason = excluded.reason, attempts = attempts + 1, at = excluded.at;

-- name: succeed
-- It worked after all.
DELETE FROM vector_failures WHERE generation = ? AND row = ?;

-- name: missing_memory
-- Durable memories without a vector that hold, or were superseded. Source: swarm-memory seed, write-time embedding.
-- Goes through an index first, and reads only rows that have none.
WITH bare AS MATERIALIZED (
    SELECT each.row
    FROM memory_items AS each INDEXED BY memory_items_listing
    WHERE each.status IN ('active', 'superseded') AND each.row > :after
      AND NOT EXISTS (SELECT 1
                      FROM vector_codes AS held
                      WHERE held.generation = :generation AND held.scope_no = each.scope_no
                        AND held.row = each.row AND held.vector IS NOT NULL)
      AND NOT EXISTS (SELECT 1
                      FROM vector_failures AS blank
                      WHERE blank.generation = :generation AND blank.row = each.row AND blank.reason = 'blank'))
SELECT found.row, found.id, found.text, '', ''
FROM bare
CROSS JOIN memory_items AS found ON found.row = bare.row
WHERE found.kind IN (SELECT value FROM json_each(:kinds))
  AND coalesce(CASE WHEN json_valid(found.record_json) THEN json_extract(found.record_json, '$.stability') END,
               'durable') = 'durable'
  AND trim(found.text, char(9, 10, 11, 12, 13, 32)) <> ''
ORDER BY found.row
LIMIT :limit;

-- name: missing_evidence
-- Evidence without a vector, found the same way.
WITH bare AS MATERIALIZED (
    SELECT unit.seq
    FROM evidence_units AS unit INDEXED BY sqlite_autoindex_evidence_units_1
    WHERE unit.seq > :after AND :kinds <> ''
      AND NOT EXISTS (SELECT 1
                      FROM vector_codes AS held
                      WHERE held.generation = :generation AND held.scope_no = unit.scope_no
                        AND held.row = unit.seq AND held.vector IS NOT NULL)
      AND NOT EXISTS (SELECT 1
                      FROM vector_failures AS blank
                      WHERE blank.generation = :generation AND blank.row = unit.seq AND blank.reason = 'blank'))
SELECT found.seq, found.id, found.text, found.who, found.type
FROM bare
CROSS JOIN evidence_units AS found ON found.seq = bare.seq
WHERE trim(found.text, char(9, 10, 11, 12, 13, 32)) <> ''
ORDER BY found.seq
LIMIT :limit;

-- name: embedded
-- Targets of a generation that hold and have a vector.
SELECT (SELECT count(*) FROM vector_codes INDEXED BY vector_codes_change WHERE generation = :generation)
     - (SELECT count(*)
        FROM vector_codes INDEXED BY vector_codes_rest
        WHERE generation = :generation AND (part > 0 OR vector IS NULL OR NOT live));

-- name: needless_memory
-- How many active targets there are, and how many of them have no vector and need none. What `missing_memory` would
-- list of them is the first less these less those that have a vector.
SELECT (SELECT coalesce(sum(active), 0) FROM scopes),
       (SELECT count(*)
        FROM memory_items AS plain INDEXED BY memory_items_plain
        WHERE plain.status = 'active'
          AND (plain.kind IN ('api_finding', 'evidence', 'scratch', 'todo')
               OR instr(plain.record_json, '"stability":"') > 0
               OR trim(plain.text, char(9, 10, 11, 12, 13, 32)) = '')
          AND NOT (plain.kind IN (SELECT value FROM json_each(:kinds))
                   AND coalesce(CASE WHEN json_valid(plain.record_json)
                                THEN json_extract(plain.record_json, '$.stability') END, 'durable') = 'durable'
                   AND trim(plain.text, char(9, 10, 11, 12, 13, 32)) <> '')
          AND NOT EXISTS (SELECT 1
                          FROM vector_codes AS held
                          WHERE held.generation = :generation AND held.scope_no = plain.scope_no
                            AND held.row = plain.row AND held.vector IS NOT NULL))
     + (SELECT count(*)
        FROM vector_failures AS blank
        CROSS JOIN memory_items AS found ON found.row = blank.row
        WHERE blank.generation = :generation AND blank.reason = 'blank' AND found.status = 'active'
          AND found.kind IN (SELECT value FROM json_each(:kinds))
          AND coalesce(CASE WHEN json_valid(found.record_json) THEN json_extract(found.record_json, '$.stability') END,
                       'durable') = 'durable'
          AND trim(found.text, char(9, 10, 11, 12, 13, 32)) <> ''
          AND NOT EXISTS (SELECT 1
                          FROM vector_codes AS held
                          WHERE held.generation = :generation AND held.scope_no = found.scope_no
                            AND held.row = found.row AND held.vector IS NOT NULL));

-- name: old_memory
-- How many superseded memories have a vector, and how many lack one. They are few beside the active, so they are counted
-- one by one, on an index until one has none.
WITH old AS MATERIALIZED (
    SELECT gone.row, EXISTS (SELECT 1
                             FROM vector_codes AS held
                             WHERE held.generation = :generation AND held.scope_no = gone.scope_no
                               AND held.row = gone.row AND held.vector IS NOT NULL) AS has
    FROM scopes
    CROSS JOIN memory_items AS gone INDEXED BY memory_items_listing
    WHERE gone.scope_no = scopes.no AND gone.status = 'superseded')
SELECT (SELECT count(*) FROM old WHERE has),
       (SELECT count(*)
        FROM old
        CROSS JOIN memory_items AS found ON found.row = old.row
        WHERE NOT old.has AND found.kind IN (SELECT value FROM json_each(:kinds))
          AND coalesce(CASE WHEN json_valid(found.record_json) THEN json_extract(found.record_json, '$.stability') END,
                       'durable') = 'durable'
          AND trim(found.text, char(9, 10, 11, 12, 13, 32)) <> ''
          AND NOT EXISTS (SELECT 1
                          FROM vector_failures AS blank
                          WHERE blank.generation = :generation AND blank.row = found.row AND blank.reason = 'blank'));

-- name: needless_evidence
-- The same of evidence, of which only what is blank needs no vector.
SELECT (SELECT count(*) FROM evidence_units WHERE :kinds <> ''),
       (SELECT count(*)
        FROM evidence_units AS unit INDEXED BY evidence_units_blank
        WHERE trim(unit.text, char(9, 10, 11, 12, 13, 32)) = ''
          AND NOT EXISTS (SELECT 1
                          FROM vector_codes AS held
                          WHERE held.generation = :generation AND held.scope_no = unit.scope_no
                            AND held.row = unit.seq AND held.vector IS NOT NULL))
     + (SELECT count(*)
        FROM vector_failures AS blank
        CROSS JOIN evidence_units AS found ON found.seq = blank.row
        WHERE blank.generation = :generation AND blank.reason = 'blank'
          AND trim(found.text, char(9, 10, 11, 12, 13, 32)) <> ''
          AND NOT EXISTS (SELECT 1
                          FROM vector_codes AS held
                          WHERE held.generation = :generation AND held.scope_no = found.scope_no
                            AND held.row = found.seq AND held.vector IS NOT NULL));

-- name: failed
-- Targets that were tried and have none.
SELECT count(*) FROM vector_failures WHERE generation = ? AND reason <> 'blank';

-- name: sweep
-- Some codes of generations nobody searches; a trigger takes the vectors along.
DELETE FROM vector_codes
WHERE (generation, scope_no, row, part) IN (
    SELECT held.generation, held.scope_no, held.row, held.part
    FROM vector_generations AS old
    CROSS JOIN vector_codes AS held
    WHERE old.status = 'retired' AND held.generation = old.no
    LIMIT ?);

-- name: swept_failures
-- What was not embedded by a generation that is gone.
DELETE FROM vector_failures WHERE generation IN (SELECT no FROM vector_generations WHERE status = 'retired');

-- name: swept
-- Retired generations of which nothing is left.
DELETE FROM vector_generations
WHERE status = 'retired'
  AND NOT EXISTS (SELECT 1 FROM vector_codes AS held WHERE held.generation = vector_generations.no);

-- name: size
-- How much room a scope's codes take, and its latest change.
SELECT count(*), coalesce(max(change), 0)
FROM vector_codes
WHERE generation = :generation AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: changes
-- A stretch of a scope's changes, in their order.
SELECT change, row, part, live, kind, since, until, vector, code
FROM vector_codes INDEXED BY vector_codes_change
WHERE generation = :generation AND scope_no IN (SELECT value FROM json_each(:scopes))
  AND change > :after AND change <= :end
ORDER BY change;

-- name: later
-- Whether a scope has changes after one, and the last.
SELECT max(change)
FROM vector_codes
WHERE generation = :generation AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: vectors
-- The vectors of the codes that came out best.
SELECT id, vector FROM vectors WHERE id IN (SELECT value FROM json_each(:ids));

-- name: ids_memory
-- The memories behind rows a search within sight found.
SELECT row, id FROM memory_items WHERE row IN (SELECT value FROM json_each(:rows));

-- name: ids_evidence
-- The evidence behind rows a search within sight found.
SELECT seq, id FROM evidence_units WHERE seq IN (SELECT value FROM json_each(:rows));

-- name: kept_memory
-- The vectors of these memories, piece by piece.
SELECT owner.id, one.vector
FROM json_each(:names) AS wanted
CROSS JOIN memory_items AS owner ON owner.id = wanted.value
CROSS JOIN vector_codes AS held
  ON held.generation = :generation AND held.scope_no = owner.scope_no AND held.row = owner.row
CROSS JOIN vectors AS one ON one.id = held.vector
WHERE owner.scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY owner.id, held.part;

-- name: kept_evidence
-- The same of pieces of evidence.
SELECT unit.id, one.vector
FROM json_each(:names) AS wanted
CROSS JOIN evidence_units AS unit ON unit.id = wanted.value
CROSS JOIN vector_codes AS held
  ON held.generation = :generation AND held.scope_no = unit.scope_no AND held.row = unit.seq
CROSS JOIN vectors AS one ON one.id = held.vector
WHERE unit.scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY unit.id, held.part;

-- name: of_session
-- Places of what was said in one session, by anybody or by one speaker.
SELECT seq
FROM evidence_units INDEXED BY evidence_units_session
WHERE session_id = :session AND scope_no = :scope AND (:who = '' OR who = :who);

-- name: of_speaker
-- Places of what one speaker said.
SELECT seq FROM evidence_units INDEXED BY evidence_units_scope WHERE scope_no = :scope AND who = :who;

-- name: data_version
-- Changes when another connection has changed the file.
PRAGMA data_version;
