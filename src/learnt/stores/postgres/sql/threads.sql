-- Sessions as they are learnt from: the registry, what each taught, what a session is told at its start.

-- name: put
-- A session as it is now; whether it is learnt from, and how far, stays.
INSERT INTO threads (id, scope_no, updated_at, path, cwd, host, session_id, source, mode, extracted)
VALUES (%(id)s, %(scope_no)s, %(updated_at)s, %(path)s, %(cwd)s, %(host)s,
        %(session_id)s, %(source)s, %(mode)s, %(extracted)s)
ON CONFLICT (tenant, id) DO UPDATE SET
    scope_no = excluded.scope_no, updated_at = excluded.updated_at, path = excluded.path, cwd = excluded.cwd,
    host = excluded.host, session_id = excluded.session_id, source = excluded.source;

-- name: take
-- The same with everything, for a store that is moved.
INSERT INTO threads (id, scope_no, updated_at, path, cwd, host, session_id, source, mode, extracted)
VALUES (%(id)s, %(scope_no)s, %(updated_at)s, %(path)s, %(cwd)s, %(host)s,
        %(session_id)s, %(source)s, %(mode)s, %(extracted)s)
ON CONFLICT (tenant, id) DO UPDATE SET
    scope_no = excluded.scope_no, updated_at = excluded.updated_at, path = excluded.path, cwd = excluded.cwd,
    host = excluded.host, session_id = excluded.session_id, source = excluded.source, mode = excluded.mode,
    extracted = excluded.extracted;

-- name: get
-- One session.
SELECT s.key, t.id, t.updated_at, t.path, t.cwd, t.host, t.session_id, t.source, t.mode, t.extracted
FROM threads AS t
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = t.scope_no
WHERE t.tenant = learnt_tenant() AND t.id = %(id)s AND t.scope_no = ANY(%(scopes)s::bigint[]);

-- name: latest
-- Those written to last.
SELECT s.key, t.id, t.updated_at, t.path, t.cwd, t.host, t.session_id, t.source, t.mode, t.extracted
FROM threads AS t
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = t.scope_no
WHERE t.tenant = learnt_tenant() AND t.scope_no = ANY(%(scopes)s::bigint[])
ORDER BY t.updated_at DESC, t.id
LIMIT %(limit)s;

-- name: mark
-- Whether it is learnt from.
UPDATE threads SET mode = %(mode)s
WHERE tenant = learnt_tenant() AND id = %(id)s AND scope_no = ANY(%(scopes)s::bigint[])
RETURNING id;

-- name: worked
-- How far phase 1 has worked.
UPDATE threads SET extracted = %(extracted)s
WHERE tenant = learnt_tenant() AND id = %(id)s AND scope_no = ANY(%(scopes)s::bigint[])
RETURNING id;

-- name: there
-- Which of these are known.
SELECT id FROM threads
WHERE tenant = learnt_tenant() AND id = ANY(%(ids)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[])
ORDER BY id;

-- name: remove
-- They leave the registry.
DELETE FROM threads
WHERE tenant = learnt_tenant() AND id = ANY(%(ids)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: put_extraction
-- The latest state of a session wins; what counts its use stays. No row changes when a later one is there.
INSERT INTO extractions (session_id, scope_no, host, source_updated_at, generated_at, writer, summary, slug, facts,
                         dropped, usage_count, last_usage, selected_source, crc)
VALUES (%(session_id)s, %(scope_no)s, %(host)s, %(source_updated_at)s, %(generated_at)s, %(writer)s, %(summary)s,
        %(slug)s, %(facts)s, %(dropped)s, %(usage_count)s, %(last_usage)s, %(selected_source)s, %(crc)s)
ON CONFLICT (tenant, session_id) DO UPDATE SET
    scope_no = excluded.scope_no, host = excluded.host, source_updated_at = excluded.source_updated_at,
    generated_at = excluded.generated_at, writer = excluded.writer, summary = excluded.summary, slug = excluded.slug,
    facts = excluded.facts, dropped = excluded.dropped, crc = excluded.crc
WHERE excluded.source_updated_at >= extractions.source_updated_at
RETURNING session_id;

-- name: take_extraction
-- As it stands, for a store that is moved.
INSERT INTO extractions (session_id, scope_no, host, source_updated_at, generated_at, writer, summary, slug, facts,
                         dropped, usage_count, last_usage, selected_source, crc)
VALUES (%(session_id)s, %(scope_no)s, %(host)s, %(source_updated_at)s, %(generated_at)s, %(writer)s, %(summary)s,
        %(slug)s, %(facts)s, %(dropped)s, %(usage_count)s, %(last_usage)s, %(selected_source)s, %(crc)s)
ON CONFLICT (tenant, session_id) DO UPDATE SET
    scope_no = excluded.scope_no, host = excluded.host, source_updated_at = excluded.source_updated_at,
    generated_at = excluded.generated_at, writer = excluded.writer, summary = excluded.summary, slug = excluded.slug,
    facts = excluded.facts, dropped = excluded.dropped, usage_count = excluded.usage_count,
    last_usage = excluded.last_usage, selected_source = excluded.selected_source, crc = excluded.crc;

-- name: extractions
-- What these sessions taught.
SELECT s.key, e.session_id, e.host, e.source_updated_at, e.generated_at, e.writer, e.summary, e.slug, e.usage_count,
       e.last_usage, e.selected_source, e.facts, e.dropped, e.crc
FROM extractions AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.session_id = ANY(%(ids)s::text[]) AND e.scope_no = ANY(%(scopes)s::bigint[])
ORDER BY e.session_id;

-- name: ranks
-- What the choice goes by.
SELECT e.session_id, e.source_updated_at, e.usage_count, e.last_usage, e.selected_source, t.mode
FROM extractions AS e
LEFT JOIN threads AS t ON t.tenant = learnt_tenant() AND t.id = e.session_id
WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[])
ORDER BY e.session_id;

-- name: extracted
-- Which of these have a row.
SELECT session_id FROM extractions
WHERE tenant = learnt_tenant() AND session_id = ANY(%(ids)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[])
ORDER BY session_id;

-- name: remove_extractions
-- They are gone.
DELETE FROM extractions
WHERE tenant = learnt_tenant() AND session_id = ANY(%(ids)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: select
-- What was taken as it is now is marked; everything else is not. A row that stays as it is is not written.
UPDATE extractions AS held
SET selected_source = wanted.source
FROM (SELECT e.session_id, taken.source
      FROM extractions AS e
      LEFT JOIN unnest(%(names)s::text[], %(sources)s::text[]) AS taken (name, source)
          ON taken.name = e.session_id AND taken.source = e.source_updated_at
      WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[])) AS wanted
WHERE held.tenant = learnt_tenant() AND held.session_id = wanted.session_id
  AND held.selected_source IS DISTINCT FROM wanted.source;

-- name: selected
-- How many are marked.
SELECT count(*) FROM extractions
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND selected_source IS NOT NULL;

-- name: cite
-- One more use.
WITH cited AS (
    UPDATE extractions SET usage_count = usage_count + 1, last_usage = %(now)s
    WHERE tenant = learnt_tenant() AND session_id = ANY(%(ids)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[])
    RETURNING 1
)
SELECT count(*) FROM cited;

-- name: retire_summary
-- It is no longer the present one; done first, because there is one at most.
UPDATE summaries SET current = false
WHERE tenant = learnt_tenant() AND scope_no = %(scope_no)s AND current AND digest <> %(digest)s;

-- name: put_summary
-- The present one; a text that was there before becomes it again.
INSERT INTO summaries (scope_no, digest, text, clearance, made_at, current)
VALUES (%(scope_no)s, %(digest)s, %(text)s, %(clearance)s, %(made_at)s, true)
ON CONFLICT (tenant, scope_no, digest) DO UPDATE SET
    clearance = excluded.clearance, made_at = excluded.made_at, current = true;

-- name: take_summary
-- As it stands, for a store that is moved.
INSERT INTO summaries (scope_no, digest, text, clearance, made_at, current)
VALUES (%(scope_no)s, %(digest)s, %(text)s, %(clearance)s, %(made_at)s, %(current)s)
ON CONFLICT (tenant, scope_no, digest) DO UPDATE SET
    clearance = excluded.clearance, made_at = excluded.made_at, current = excluded.current;

-- name: summary
-- The present one.
SELECT s.key, m.digest, m.text, m.clearance, m.made_at, m.current
FROM summaries AS m
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = m.scope_no
WHERE m.tenant = learnt_tenant() AND m.current AND m.scope_no = ANY(%(scopes)s::bigint[])
ORDER BY m.made_at DESC, m.digest
LIMIT 1;

-- name: prune_summaries
-- Those no running session was given.
WITH gone AS (
    DELETE FROM summaries
    WHERE tenant = learnt_tenant() AND NOT current AND made_at < %(before)s AND scope_no = ANY(%(scopes)s::bigint[])
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: clear_summaries
-- All of them.
WITH gone AS (
    DELETE FROM summaries WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
    RETURNING 1
)
SELECT count(*) FROM gone;
