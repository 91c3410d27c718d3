-- Vectors. A search holds the scope predicate; building a generation goes over all scopes of the tenant.

-- name: generation
-- The generation of one model and text form.
SELECT no, target, model_version, form, dimension, status
FROM vector_generations
WHERE tenant = learnt_tenant() AND target = %s AND model_version = %s AND form = %s;

-- name: generations
-- Every generation of a target, newest first.
SELECT no, target, model_version, form, dimension, status
FROM vector_generations
WHERE tenant = learnt_tenant() AND target = %s
ORDER BY no DESC;

-- name: current
-- The one that is searched.
SELECT no, target, model_version, form, dimension, status
FROM vector_generations
WHERE tenant = learnt_tenant() AND target = %s AND status = 'current';

-- name: begin
-- A retired generation that is wanted again goes on with what is left of it.
INSERT INTO vector_generations (target, model_version, form, dimension, status, began_at)
VALUES (%(target)s, %(version)s, %(form)s, %(dimension)s, %(status)s, %(now)s)
ON CONFLICT (tenant, target, model_version, form) DO UPDATE
SET status = excluded.status, began_at = excluded.began_at
WHERE vector_generations.status = 'retired';

-- name: configure
-- Never changed by a restart with another model. Source: swarm-memory seed, insert or ignore.
INSERT INTO embedding_config (target, model_version) VALUES (%s, %s) ON CONFLICT (tenant, target) DO NOTHING;

-- name: reconfigure
-- A re-embedding is complete.
INSERT INTO embedding_config (target, model_version) VALUES (%s, %s)
ON CONFLICT (tenant, target) DO UPDATE SET model_version = excluded.model_version;

-- name: retire
-- What was searched until now.
UPDATE vector_generations
SET status = 'retired'
WHERE tenant = learnt_tenant() AND target = %s AND status = 'current';

-- name: finish
-- From now on this one is searched.
UPDATE vector_generations SET status = 'current', finished_at = %s WHERE tenant = learnt_tenant() AND no = %s;

-- name: keys_memory
-- The scopes of some memories, to be locked.
SELECT DISTINCT scope_key FROM memory_items WHERE tenant = learnt_tenant() AND id = ANY(%s::text[]);

-- name: keys_evidence
-- The same of pieces of evidence.
SELECT DISTINCT s.key
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.id = ANY(%s::text[]);

-- name: owners_memory
-- What vectors repeat of their memories, whose scopes are locked.
SELECT id, row, scope_no, status = 'active', kind, valid_from, expires_at
FROM memory_items
WHERE tenant = learnt_tenant() AND id = ANY(%s::text[])
ORDER BY row;

-- name: owners_evidence
-- The same of pieces of evidence.
SELECT id, seq, scope_no, true, type, at, NULL
FROM evidence_units
WHERE tenant = learnt_tenant() AND id = ANY(%s::text[])
ORDER BY seq;

-- name: drop
-- What was kept of some targets, on one shelf.
DELETE FROM vectors
WHERE tenant = learnt_tenant() AND shelf = %(shelf)s AND generation = %(generation)s AND scope_no = %(scope)s
  AND row = ANY(%(rows)s::bigint[]);

-- name: put
-- One vector of one target.
INSERT INTO vectors (generation, scope_no, row, part, target_id, live, kind, since, until, vector)
VALUES (%(generation)s, %(scope)s, %(row)s, %(part)s, %(id)s, %(live)s, %(kind)s, %(since)s, %(until)s, %(vector)s::vector);

-- name: fail
-- Once more without a vector.
INSERT INTO vector_failures (generation, row, reason, attempts, at)
SELECT %(generation)s, row, reason, 1, %(now)s
FROM unnest(%(rows)s::bigint[], %(reasons)s::text[]) AS given (row, reason)
ON CONFLICT (tenant, generation, row) DO UPDATE SET
    reason = excluded.reason, attempts = vector_failures.attempts + 1, at = excluded.at;

-- name: succeed
-- It worked after all.
DELETE FROM vector_failures
WHERE tenant = learnt_tenant() AND generation = %(generation)s AND row = ANY(%(rows)s::bigint[]);

-- name: missing_memory
-- Durable memories without a vector that hold, or were superseded. Source: swarm-memory seed, write-time embedding. A
-- stability stands in the JSON only where it is not durable; U+0000 in it would end the reading.
SELECT found.row, found.id, found.text, '', ''
FROM memory_items AS found
WHERE found.tenant = learnt_tenant() AND found.status IN ('active', 'superseded') AND found.row > %(after)s
  AND found.kind = ANY(%(kinds)s::text[])
  AND NOT EXISTS (SELECT FROM vectors AS held
                  WHERE held.tenant = learnt_tenant() AND held.generation = %(generation)s
                    AND held.scope_no = found.scope_no AND held.row = found.row AND held.part = 0)
  AND NOT EXISTS (SELECT FROM vector_failures AS blank
                  WHERE blank.tenant = learnt_tenant() AND blank.generation = %(generation)s AND blank.row = found.row
                    AND blank.reason = 'blank')
  AND coalesce(CASE WHEN found.record_json LIKE '%%"stability":%%'
                         AND replace(found.record_json, '\u0000', '') IS JSON OBJECT
                    THEN replace(found.record_json, '\u0000', '')::json ->> 'stability' END, 'durable') = 'durable'
  AND btrim(found.text, E'\t\n\v\f\r ') <> ''
ORDER BY found.row
LIMIT %(limit)s;

-- name: missing_evidence
-- Evidence without a vector, found the same way.
SELECT found.seq, found.id, found.text, found.who, found.type
FROM evidence_units AS found
WHERE found.tenant = learnt_tenant() AND found.seq > %(after)s AND cardinality(%(kinds)s::text[]) > 0
  AND NOT EXISTS (SELECT FROM vectors AS held
                  WHERE held.tenant = learnt_tenant() AND held.generation = %(generation)s
                    AND held.scope_no = found.scope_no AND held.row = found.seq AND held.part = 0)
  AND NOT EXISTS (SELECT FROM vector_failures AS blank
                  WHERE blank.tenant = learnt_tenant() AND blank.generation = %(generation)s AND blank.row = found.seq
                    AND blank.reason = 'blank')
  AND btrim(found.text, E'\t\n\v\f\r ') <> ''
ORDER BY found.seq
LIMIT %(limit)s;

-- name: counts
-- Targets of a generation that hold and have a vector, those that were superseded and have one, and those that were
-- tried and have none.
SELECT (SELECT count(*) FROM vectors WHERE tenant = learnt_tenant() AND generation = %(generation)s AND part = 0 AND live)
     + (SELECT count(*)
        FROM vectors AS held
        JOIN memory_items AS old ON old.tenant = learnt_tenant() AND old.row = held.row AND old.status = 'superseded'
        WHERE held.tenant = learnt_tenant() AND held.generation = %(generation)s AND held.part = 0 AND NOT held.live),
       (SELECT count(*)
        FROM vector_failures
        WHERE tenant = learnt_tenant() AND generation = %(generation)s AND reason <> 'blank');

-- name: retired
-- Generations that nobody searches.
SELECT no FROM vector_generations WHERE tenant = learnt_tenant() AND status = 'retired' ORDER BY no;

-- name: sweep
-- Some vectors of one, of those on everybody's shelf.
DELETE FROM vectors
WHERE tenant = learnt_tenant() AND shelf = 0 AND generation = %(generation)s
  AND (scope_no, row, part) IN (SELECT held.scope_no, held.row, held.part
                                FROM vectors AS held
                                WHERE held.tenant = learnt_tenant() AND held.shelf = 0
                                  AND held.generation = %(generation)s
                                LIMIT %(limit)s)
RETURNING 1;

-- name: unshelve
-- The rest of it.
SELECT learnt_unshelve(%s);

-- name: swept_failures
-- What was not embedded by it.
DELETE FROM vector_failures WHERE tenant = learnt_tenant() AND generation = %s;

-- name: swept
-- And itself.
DELETE FROM vector_generations WHERE tenant = learnt_tenant() AND no = %s AND status = 'retired';

-- name: shelves
-- Which of some scopes have a shelf of their own.
SELECT scope_no, shelf
FROM vector_shelves
WHERE tenant = learnt_tenant() AND generation = %(generation)s AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: exact
-- The nearest of what is on everybody's shelf, every vector of the scopes looked at; and which of the scopes have a
-- shelf of their own, as of the same moment.
(SELECT target_id, -(vector <#> %(vector)s::vector) AS cosine, shelf, scope_no, row, part
FROM vectors
WHERE tenant = learnt_tenant() AND shelf = 0 AND generation = %(generation)s AND scope_no = ANY(%(scopes)s::bigint[])
  AND live <> %(retired)s
  AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
  AND (%(now)s = '' OR (since <= %(now)s AND (until IS NULL OR until > %(now)s)))
  AND (%(since)s = '' OR since >= %(since)s) AND (%(until)s = '' OR since < %(until)s)
ORDER BY cosine DESC
LIMIT %(limit)s)
UNION ALL
SELECT '', NULL, shelf, scope_no, 0, 0
FROM vector_shelves
WHERE tenant = learnt_tenant() AND generation = %(generation)s AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: exact_own
-- The same of a scope's own shelf, for what its index does not hold or did not find enough of.
SELECT target_id, -(vector <#> %(vector)s::vector) AS cosine, shelf, scope_no, row, part
FROM vectors
WHERE tenant = learnt_tenant() AND shelf = %(shelf)s AND generation = %(generation)s AND scope_no = %(scope)s
  AND live <> %(retired)s
  AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
  AND (%(now)s = '' OR (since <= %(now)s AND (until IS NULL OR until > %(now)s)))
  AND (%(since)s = '' OR since >= %(since)s) AND (%(until)s = '' OR since < %(until)s)
ORDER BY cosine DESC
LIMIT %(limit)s;

-- name: near
-- Through the index of a scope's own shelf: nearest by half-size numbers, then measured by the whole ones. DIMENSION is
-- the generation's, because the index is of vectors of that size.
SELECT target_id, -(vector <#> %(vector)s::vector), shelf, scope_no, row, part
FROM vectors
WHERE tenant = learnt_tenant() AND shelf = %(shelf)s AND generation = %(generation)s AND scope_no = %(scope)s
  AND live
  AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
  AND (%(now)s = '' OR (since <= %(now)s AND (until IS NULL OR until > %(now)s)))
  AND (%(since)s = '' OR since >= %(since)s) AND (%(until)s = '' OR since < %(until)s)
ORDER BY (vector::halfvec(DIMENSION)) <#> (%(vector)s::vector::halfvec(DIMENSION))
LIMIT %(limit)s;

-- name: kept_memory
-- The vectors of a few memories, piece by piece, on whichever shelf.
SELECT held.target_id, held.vector::real[]
FROM memory_items AS owner
JOIN vectors AS held
  ON held.tenant = learnt_tenant() AND held.generation = %(generation)s AND held.scope_no = owner.scope_no
 AND held.row = owner.row
WHERE owner.tenant = learnt_tenant() AND owner.scope_no = ANY(%(scopes)s::bigint[])
  AND owner.id = ANY(%(names)s::text[])
ORDER BY held.target_id, held.part;

-- name: kept_evidence
-- The same of pieces of evidence.
SELECT held.target_id, held.vector::real[]
FROM evidence_units AS unit
JOIN vectors AS held
  ON held.tenant = learnt_tenant() AND held.generation = %(generation)s AND held.scope_no = unit.scope_no
 AND held.row = unit.seq
WHERE unit.tenant = learnt_tenant() AND unit.scope_no = ANY(%(scopes)s::bigint[])
  AND unit.id = ANY(%(names)s::text[])
ORDER BY held.target_id, held.part;

-- name: said
-- The nearest of what one speaker said, or one session holds, on whichever shelf: few, so each is looked at.
SELECT held.target_id, -(held.vector <#> %(vector)s::vector) AS cosine, held.shelf, held.scope_no, held.row, held.part
FROM evidence_units AS unit
JOIN vectors AS held
  ON held.tenant = learnt_tenant() AND held.generation = %(generation)s AND held.scope_no = unit.scope_no
 AND held.row = unit.seq
WHERE unit.tenant = learnt_tenant() AND unit.scope_no = ANY(%(scopes)s::bigint[])
  AND (%(session)s = '' OR unit.session_id = %(session)s) AND (%(who)s = '' OR unit.who = %(who)s)
  AND held.live <> %(retired)s
  AND (cardinality(%(kinds)s::text[]) = 0 OR held.kind = ANY(%(kinds)s::text[]))
  AND (%(now)s = '' OR (held.since <= %(now)s AND (held.until IS NULL OR held.until > %(now)s)))
  AND (%(since)s = '' OR held.since >= %(since)s) AND (%(until)s = '' OR held.since < %(until)s)
ORDER BY cosine DESC
LIMIT %(limit)s;

-- name: sent
-- The numbers of some vectors.
SELECT held.target_id, vector_send(held.vector)
FROM unnest(%(shelves)s::bigint[], %(scopes)s::bigint[], %(rows)s::bigint[], %(parts)s::bigint[])
     AS place (shelf, scope_no, row, part)
JOIN vectors AS held
  ON held.shelf = place.shelf AND held.scope_no = place.scope_no AND held.row = place.row AND held.part = place.part
WHERE held.tenant = learnt_tenant() AND held.generation = %(generation)s
  AND held.shelf = ANY(%(shelves)s::bigint[]);

-- name: widely
-- For this transaction: how many an index scan keeps in view, and that it goes on where filters leave too few.
SELECT set_config('hnsw.ef_search', %(effort)s, true), set_config('hnsw.iterative_scan', 'relaxed_order', true);

-- name: wide
-- The same for a pgvector that cannot go on.
SELECT set_config('hnsw.ef_search', %(effort)s, true);

-- name: crowded
-- Scopes with more vectors of current and building generations on everybody's shelf than are read at once.
SELECT held.generation, held.scope_no, place.key, count(*)
FROM vectors AS held
JOIN vector_generations AS made ON made.tenant = learnt_tenant() AND made.no = held.generation
JOIN scopes AS place ON place.tenant = learnt_tenant() AND place.no = held.scope_no
WHERE held.tenant = learnt_tenant() AND held.shelf = 0 AND made.status <> 'retired'
GROUP BY held.generation, held.scope_no, place.key
HAVING count(*) > %s
ORDER BY count(*) DESC, held.generation, held.scope_no;

-- name: patiently
-- A build takes as long as it takes.
SELECT set_config('statement_timeout', '0', true);

-- name: shelve
-- A shelf of its own for one of them.
SELECT learnt_shelve(%(generation)s, %(scope)s, %(lock)s, %(links)s, %(effort)s);

-- name: move
-- Some of what waits on everybody's shelf to the scope's own.
WITH waiting AS (
    DELETE FROM vectors
    WHERE tenant = learnt_tenant() AND shelf = 0 AND generation = %(generation)s AND scope_no = %(scope)s
      AND (row, part) IN (SELECT held.row, held.part
                          FROM vectors AS held
                          WHERE held.tenant = learnt_tenant() AND held.shelf = 0 AND held.generation = %(generation)s
                            AND held.scope_no = %(scope)s
                          ORDER BY held.row, held.part
                          LIMIT %(limit)s)
    RETURNING *
)
INSERT INTO vectors (shelf, generation, scope_no, row, part, target_id, live, kind, since, until, vector)
SELECT %(shelf)s, generation, scope_no, row, part, target_id, live, kind, since, until, vector FROM waiting
RETURNING 1;
