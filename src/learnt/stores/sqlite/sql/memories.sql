-- Memories. Every reader holds the scope predicate (`learnt.stores.sqlite.scopes`).

-- name: get
-- One memory by id, in the scopes given.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against
FROM memory_items
WHERE id = :id AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: many
-- Several by id, in the scopes given.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against
FROM memory_items
WHERE id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: data_version
-- Changes when another connection has changed the file.
PRAGMA data_version;

-- name: page
-- Chooses rows by the listing index alone and reads only these; `:at`/`:id` are the last row of the page before ('' for
-- the first page).
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against
FROM memory_items
WHERE row IN (
    SELECT row
    FROM memory_items INDEXED BY memory_items_listing
    WHERE scope_no IN (SELECT value FROM json_each(:scopes))
      AND status IN (SELECT value FROM json_each(:statuses))
      AND (:at = '' OR updated_at < :at OR (updated_at = :at AND id > :id))
      AND (:expired OR row NOT IN (SELECT row
                                   FROM memory_items INDEXED BY memory_items_expiry
                                   WHERE scope_no IN (SELECT value FROM json_each(:scopes))
                                     AND status = 'active' AND expires_at IS NOT NULL AND expires_at <= :now))
    ORDER BY updated_at DESC, id
    LIMIT :limit)
ORDER BY updated_at DESC, id;

-- name: total
-- What `page` goes through in all.
SELECT count(*)
FROM memory_items INDEXED BY memory_items_listing
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND status IN (SELECT value FROM json_each(:statuses))
  AND (:expired OR row NOT IN (SELECT row
                               FROM memory_items INDEXED BY memory_items_expiry
                               WHERE scope_no IN (SELECT value FROM json_each(:scopes))
                                 AND status = 'active' AND expires_at IS NOT NULL AND expires_at <= :now));

-- name: page_narrowed
-- The same for some kinds, a tag, or what is flagged: looks into every row of the listing.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against
FROM memory_items
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND status IN (SELECT value FROM json_each(:statuses))
  AND (NOT :flagged OR flags > 0)
  AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
  AND (:tag = '' OR (json_valid(record_json)
       AND EXISTS (SELECT 1 FROM json_each(record_json, '$.tags') AS held WHERE held.value = :tag)))
  AND (:expired OR status <> 'active' OR expires_at IS NULL OR expires_at > :now)
  AND (:at = '' OR updated_at < :at OR (updated_at = :at AND id > :id))
ORDER BY updated_at DESC, id
LIMIT :limit;

-- name: total_narrowed
-- What `page_narrowed` goes through in all.
SELECT count(*)
FROM memory_items
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND status IN (SELECT value FROM json_each(:statuses))
  AND (NOT :flagged OR flags > 0)
  AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
  AND (:tag = '' OR (json_valid(record_json)
       AND EXISTS (SELECT 1 FROM json_each(record_json, '$.tags') AS held WHERE held.value = :tag)))
  AND (:expired OR status <> 'active' OR expires_at IS NULL OR expires_at > :now);

-- name: page_then
-- What held at a moment, as it was recorded then: rows that have not changed since, and what the others were. A row
-- that came here retired has no former: its last change is taken for its retirement.
WITH found AS (
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json
    FROM memory_items AS m
    WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND created_at <= :as_of
      AND NOT EXISTS (SELECT 1 FROM memory_past AS p WHERE p.id = m.id AND p.until > :as_of)
      AND (status = 'active'
           OR (updated_at > :as_of AND NOT EXISTS (SELECT 1 FROM memory_past AS p WHERE p.id = m.id)))
    UNION ALL
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json
    FROM memory_past AS p
    WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND created_at <= :as_of AND until > :as_of
      AND status = 'active'
      AND NOT EXISTS (SELECT 1 FROM memory_past AS q WHERE q.id = p.id AND q.until > :as_of AND q.until < p.until)
)
SELECT *
FROM found
WHERE valid_from <= :as_of AND (expires_at IS NULL OR expires_at > :as_of)
  AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
  AND (:tag = '' OR (json_valid(record_json)
       AND EXISTS (SELECT 1 FROM json_each(record_json, '$.tags') AS held WHERE held.value = :tag)))
  AND (NOT :flagged OR id IN (SELECT id FROM memory_items INDEXED BY memory_items_flagged
                              WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND flags > 0))
  AND (:at = '' OR updated_at < :at OR (updated_at = :at AND id > :id))
ORDER BY updated_at DESC, id
LIMIT :limit;

-- name: total_then
-- What `page_then` goes through in all.
WITH found AS (
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json
    FROM memory_items AS m
    WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND created_at <= :as_of
      AND NOT EXISTS (SELECT 1 FROM memory_past AS p WHERE p.id = m.id AND p.until > :as_of)
      AND (status = 'active'
           OR (updated_at > :as_of AND NOT EXISTS (SELECT 1 FROM memory_past AS p WHERE p.id = m.id)))
    UNION ALL
    SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
           clearance, text, record_json
    FROM memory_past AS p
    WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND created_at <= :as_of AND until > :as_of
      AND status = 'active'
      AND NOT EXISTS (SELECT 1 FROM memory_past AS q WHERE q.id = p.id AND q.until > :as_of AND q.until < p.until)
)
SELECT count(*)
FROM found
WHERE valid_from <= :as_of AND (expires_at IS NULL OR expires_at > :as_of)
  AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
  AND (:tag = '' OR (json_valid(record_json)
       AND EXISTS (SELECT 1 FROM json_each(record_json, '$.tags') AS held WHERE held.value = :tag)))
  AND (NOT :flagged OR id IN (SELECT id FROM memory_items INDEXED BY memory_items_flagged
                              WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND flags > 0));

-- name: stale
-- What the present pattern set never cleared: everything below and above it in the index of clearances.
SELECT id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from, expires_at, superseded_by,
       clearance, text, record_json, flags, useful, against
FROM memory_items
WHERE row IN (
    SELECT row
    FROM memory_items INDEXED BY memory_items_clearance
    WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'active' AND clearance < :pattern_set
    UNION ALL
    SELECT row
    FROM memory_items INDEXED BY memory_items_clearance
    WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'active' AND clearance > :pattern_set
    LIMIT :limit);

-- name: count
-- How many of each status.
SELECT status, count(*)
FROM memory_items
WHERE scope_no IN (SELECT value FROM json_each(?))
GROUP BY status;

-- name: held
-- What a replacement must know of the row it replaces.
SELECT row, scope_no, status, terms FROM memory_items WHERE id = ?;

-- name: put
-- created_at of an existing row stays as it is.
INSERT INTO memory_items (row, id, scope_no, scope_key, kind, status, trust, confidence, q_value, created_at,
                          updated_at, valid_from, expires_at, superseded_by, deleted, clearance, run, text, signals,
                          terms, record_json)
VALUES (:row, :id, :scope_no, :scope_key, :kind, :status, :trust, :confidence, :q_value, :created_at,
        :updated_at, :valid_from, :expires_at, :superseded_by, :deleted, :clearance, :run, :text, :signals,
        :terms, :record_json)
ON CONFLICT (id) DO UPDATE SET
    kind = excluded.kind, status = excluded.status, trust = excluded.trust, confidence = excluded.confidence,
    q_value = excluded.q_value, updated_at = excluded.updated_at, valid_from = excluded.valid_from,
    expires_at = excluded.expires_at,
    superseded_by = excluded.superseded_by, deleted = excluded.deleted, clearance = excluded.clearance,
    run = excluded.run,
    text = excluded.text, signals = excluded.signals, terms = excluded.terms, record_json = excluded.record_json;

-- name: leaving
-- What is about to be removed, and what hangs on it; in the scopes given.
SELECT id, row, scope_no, status, terms
FROM memory_items
WHERE id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: remove
-- Its vectors go with it, and the feed tells of it (triggers).
DELETE FROM memory_items WHERE row = ?;

-- name: secure
-- What this connection deletes is overwritten.
PRAGMA secure_delete = ON;

-- name: index
-- Into the full text; the terms carry their scope.
INSERT INTO memory_fts (rowid, terms) VALUES (?, ?);

-- name: unindex
-- A contentless table forgets a row only when told exactly what it held.
INSERT INTO memory_fts (memory_fts, rowid, terms) VALUES ('delete', ?, ?);

-- name: tie
-- To a command, file or symbol it speaks of.
INSERT INTO anchors (scope_no, type, key, target_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING;

-- name: untie
-- From all of them.
DELETE FROM anchors WHERE target_id = ?;
