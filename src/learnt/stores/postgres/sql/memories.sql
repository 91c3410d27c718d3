-- Memories. Every reader holds the scope predicate (`learnt.stores.postgres.scopes`).

-- name: many
-- Some by id, in the scopes given.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against, revision
FROM memory_items
WHERE tenant = learnt_tenant() AND id = ANY(%(ids)s::text[]) AND scope_key = ANY(%(scopes)s::text[]);

-- name: page
-- The first rows of each scope and status in the order of the listing index, then the first of them all. `at`/`id` are
-- the last row of the page before (at '' for the first page).
SELECT found.*
FROM unnest(%(scopes)s::bigint[]) AS wanted (scope)
CROSS JOIN unnest(%(statuses)s::text[]) AS chosen (status)
CROSS JOIN LATERAL (
    SELECT id, kind, m.status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at,
           superseded_by, clearance, text, record_json, flags, useful, against, revision
    FROM memory_items AS m
    WHERE m.tenant = learnt_tenant() AND m.scope_no = wanted.scope AND m.status = chosen.status
      AND updated_at <= coalesce(nullif(%(at)s, ''), '~')
      AND (updated_at <> %(at)s OR id > %(id)s)
      AND (%(expired)s OR m.status <> 'active' OR expires_at IS NULL OR expires_at > %(now)s)
      AND (NOT %(flagged)s OR flags > 0)
      AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
      AND (%(tag)s = '' OR %(tag)s = ANY(tags))
    ORDER BY updated_at DESC, id
    LIMIT %(limit)s) AS found
ORDER BY updated_at DESC, id
LIMIT %(limit)s;

-- name: total
-- What `page` goes through in all: by two indexes alone.
SELECT (SELECT count(*)
        FROM memory_items
        WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = ANY(%(statuses)s::text[]))
     - (SELECT count(*)
        FROM memory_items
        WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = 'active'
          AND NOT %(expired)s AND 'active' = ANY(%(statuses)s::text[]) AND expires_at <= %(now)s);

-- name: total_narrowed
-- The same for some kinds, a tag or a moment: looks into every row of the listing.
SELECT count(*)
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = ANY(%(statuses)s::text[])
  AND (%(expired)s OR status <> 'active' OR expires_at IS NULL OR expires_at > %(now)s)
  AND (NOT %(flagged)s OR flags > 0)
  AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
  AND (%(tag)s = '' OR %(tag)s = ANY(tags));

-- name: page_then
-- What held at a moment, as it was recorded then: rows that have not changed since, and what the others were. A row
-- that came here retired has no former: its last change is taken for its retirement. Counts and revision are none.
WITH found AS (
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json, tags
    FROM memory_items AS m
    WHERE m.tenant = learnt_tenant() AND m.scope_no = ANY(%(scopes)s::bigint[]) AND m.created_at <= %(as_of)s
      AND NOT EXISTS (SELECT FROM memory_past AS p
                      WHERE p.tenant = learnt_tenant() AND p.id = m.id AND p.until > %(as_of)s)
      AND (m.status = 'active'
           OR (m.updated_at > %(as_of)s
               AND NOT EXISTS (SELECT FROM memory_past AS p WHERE p.tenant = learnt_tenant() AND p.id = m.id)))
    UNION ALL
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json,
           ARRAY(SELECT json_array_elements_text(coalesce(record_json::json -> 'tags', '[]'::json)))
    FROM (SELECT DISTINCT ON (id) *
          FROM memory_past
          WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND until > %(as_of)s
            AND created_at <= %(as_of)s
          ORDER BY id, until) AS past
    WHERE status = 'active'
)
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, 0, 0, 0, 0
FROM found
WHERE valid_from <= %(as_of)s AND (expires_at IS NULL OR expires_at > %(as_of)s)
  AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
  AND (%(tag)s = '' OR %(tag)s = ANY(tags))
  AND (NOT %(flagged)s OR id IN (SELECT id FROM memory_items
                                WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND flags > 0))
  AND (%(at)s = '' OR updated_at < %(at)s OR (updated_at = %(at)s AND id > %(id)s))
ORDER BY updated_at DESC, id
LIMIT %(limit)s;

-- name: total_then
-- What `page_then` goes through in all.
WITH found AS (
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json, tags
    FROM memory_items AS m
    WHERE m.tenant = learnt_tenant() AND m.scope_no = ANY(%(scopes)s::bigint[]) AND m.created_at <= %(as_of)s
      AND NOT EXISTS (SELECT FROM memory_past AS p
                      WHERE p.tenant = learnt_tenant() AND p.id = m.id AND p.until > %(as_of)s)
      AND (m.status = 'active'
           OR (m.updated_at > %(as_of)s
               AND NOT EXISTS (SELECT FROM memory_past AS p WHERE p.tenant = learnt_tenant() AND p.id = m.id)))
    UNION ALL
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json,
           ARRAY(SELECT json_array_elements_text(coalesce(record_json::json -> 'tags', '[]'::json)))
    FROM (SELECT DISTINCT ON (id) *
          FROM memory_past
          WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND until > %(as_of)s
            AND created_at <= %(as_of)s
          ORDER BY id, until) AS past
    WHERE status = 'active'
)
SELECT count(*)
FROM found
WHERE valid_from <= %(as_of)s AND (expires_at IS NULL OR expires_at > %(as_of)s)
  AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
  AND (%(tag)s = '' OR %(tag)s = ANY(tags))
  AND (NOT %(flagged)s OR id IN (SELECT id FROM memory_items
                                WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND flags > 0));

-- name: stale
-- What the present pattern set never cleared: everything below and above it in the index of clearances.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against, revision
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = 'active'
  AND (clearance < %(pattern_set)s OR clearance > %(pattern_set)s)
LIMIT %(limit)s;

-- name: count
-- How many of each status.
SELECT status, count(*)
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%s::bigint[])
GROUP BY status;

-- name: put
-- The row, its place and its scope's counters in one statement; the scope is locked by the caller. created_at of an
-- existing row stays. Nothing happens to a row of another scope, and no row is given then. Gives the row, the full
-- blocks of the scope, and the terms and the revision that were held before (null for a new memory).
WITH held AS (
    SELECT row, scope_no, status, terms, revision
    FROM memory_items
    WHERE tenant = learnt_tenant() AND id = %(id)s
), counted AS (
    UPDATE scopes
    SET next_seq = next_seq + CASE WHEN EXISTS (SELECT FROM held) THEN 0 ELSE 1 END,
        active = active + %(active)s - coalesce((SELECT (status = 'active')::int FROM held), 0),
        terms = scopes.terms + %(length)s
                - coalesce((SELECT cardinality(string_to_array(held.terms, ' ')) FROM held), 0),
        version = version + CASE WHEN EXISTS (SELECT FROM held WHERE held.terms <> %(terms)s) THEN 1 ELSE 0 END
    WHERE tenant = learnt_tenant() AND no = %(scope_no)s
      AND NOT EXISTS (SELECT FROM held WHERE scope_no <> %(scope_no)s)
    RETURNING blocks, coalesce((SELECT row FROM held), (no << 32) | (next_seq - 1)) AS row
), stored AS (
    INSERT INTO memory_items (row, id, scope_no, scope_key, kind, status, trust, confidence, q_value, created_at,
                              updated_at, valid_from, expires_at, superseded_by, deleted, clearance, run, text, tags,
                              signals, terms, record_json)
    SELECT row, %(id)s, %(scope_no)s, %(scope_key)s, %(kind)s, %(status)s, %(trust)s, %(confidence)s, %(q_value)s,
           %(created_at)s, %(updated_at)s, %(valid_from)s, %(expires_at)s, %(superseded_by)s, %(status)s = 'deleted',
           %(clearance)s, %(run)s, %(text)s, %(tags)s::text[], %(signals)s, %(terms)s, %(record_json)s
    FROM counted
    ON CONFLICT (tenant, id) DO UPDATE SET
        kind = excluded.kind, status = excluded.status, trust = excluded.trust, confidence = excluded.confidence,
        q_value = excluded.q_value, updated_at = excluded.updated_at, valid_from = excluded.valid_from,
        expires_at = excluded.expires_at, superseded_by = excluded.superseded_by, deleted = excluded.deleted,
        clearance = excluded.clearance, run = excluded.run, revision = memory_items.revision + 1, text = excluded.text,
        tags = excluded.tags, signals = excluded.signals, terms = excluded.terms, record_json = excluded.record_json
)
SELECT counted.row, counted.blocks, held.terms, held.revision
FROM counted
LEFT JOIN held ON true;

-- name: leaving
-- What is about to be removed, and what hangs on it; in the scopes given, which are locked.
SELECT m.id, m.row, m.scope_no, s.blocks, m.status, m.terms, m.revision
FROM memory_items AS m
JOIN scopes AS s ON s.tenant = m.tenant AND s.no = m.scope_no
WHERE m.tenant = learnt_tenant() AND m.id = ANY(%(ids)s::text[]) AND m.scope_no = ANY(%(scopes)s::bigint[]);

-- name: remove
-- Its vectors go with it, and the feed tells of it (triggers).
DELETE FROM memory_items WHERE tenant = learnt_tenant() AND row = %(row)s;

-- name: left
-- What a scope counts, and that others remember words of it that are gone.
UPDATE scopes
SET active = active - %(active)s, terms = scopes.terms - %(terms)s, version = version + %(known)s::int
WHERE tenant = learnt_tenant() AND no = %(no)s;

-- name: tie
-- To the commands, files and symbols it speaks of.
INSERT INTO anchors (scope_no, type, key, target_id)
SELECT %(scope_no)s, type, key, %(id)s
FROM unnest(%(types)s::text[], %(keys)s::text[]) AS given (type, key)
ON CONFLICT DO NOTHING;

-- name: untie
-- From all of them.
DELETE FROM anchors WHERE tenant = learnt_tenant() AND target_id = %s;
