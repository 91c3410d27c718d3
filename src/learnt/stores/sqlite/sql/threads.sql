-- Sessions as they are learnt from: the registry, what each taught, what a session is told at its start.

-- name: put
-- A session as it is now; whether it is learnt from, and how far, stays.
INSERT INTO threads (id, scope_no, updated_at, path, cwd, host, session_id, source, mode, extracted)
VALUES (:id, :scope_no, :updated_at, :path, :cwd, :host, :session_id, :source, :mode, :extracted)
ON CONFLICT (id) DO UPDATE SET
    scope_no = excluded.scope_no, updated_at = excluded.updated_at, path = excluded.path, cwd = excluded.cwd,
    host = excluded.host, session_id = excluded.session_id, source = excluded.source;

-- name: take
-- The same with everything, for a store that is moved.
INSERT INTO threads (id, scope_no, updated_at, path, cwd, host, session_id, source, mode, extracted)
VALUES (:id, :scope_no, :updated_at, :path, :cwd, :host, :session_id, :source, :mode, :extracted)
ON CONFLICT (id) DO UPDATE SET
    scope_no = excluded.scope_no, updated_at = excluded.updated_at, path = excluded.path, cwd = excluded.cwd,
    host = excluded.host, session_id = excluded.session_id, source = excluded.source, mode = excluded.mode,
    extracted = excluded.extracted;

-- name: get
-- One session.
SELECT s.key, t.id, t.updated_at, t.path, t.cwd, t.host, t.session_id, t.source, t.mode, t.extracted
FROM threads AS t
JOIN scopes AS s ON s.no = t.scope_no
WHERE t.id = :id AND t.scope_no IN (SELECT value FROM json_each(:scopes));

-- name: latest
-- Those written to last.
SELECT s.key, t.id, t.updated_at, t.path, t.cwd, t.host, t.session_id, t.source, t.mode, t.extracted
FROM threads AS t
JOIN scopes AS s ON s.no = t.scope_no
WHERE t.scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY t.updated_at DESC, t.id
LIMIT :limit;

-- name: mark
-- Whether it is learnt from.
UPDATE threads SET mode = :mode WHERE id = :id AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: worked
-- How far phase 1 has worked.
UPDATE threads SET extracted = :extracted
WHERE id = :id AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: there
-- Which of these are known.
SELECT id FROM threads
WHERE id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY id;

-- name: remove
-- They leave the registry.
DELETE FROM threads
WHERE id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: put_extraction
-- The latest state of a session wins; what counts its use stays. No row changes when a later one is there.
INSERT INTO extractions (session_id, scope_no, host, source_updated_at, generated_at, writer, summary, slug, facts,
                         dropped, usage_count, last_usage, selected_source, crc)
VALUES (:session_id, :scope_no, :host, :source_updated_at, :generated_at, :writer, :summary, :slug, :facts, :dropped,
        :usage_count, :last_usage, :selected_source, :crc)
ON CONFLICT (session_id) DO UPDATE SET
    scope_no = excluded.scope_no, host = excluded.host, source_updated_at = excluded.source_updated_at,
    generated_at = excluded.generated_at, writer = excluded.writer, summary = excluded.summary, slug = excluded.slug,
    facts = excluded.facts, dropped = excluded.dropped, crc = excluded.crc
WHERE excluded.source_updated_at >= extractions.source_updated_at;

-- name: take_extraction
-- As it stands, for a store that is moved.
INSERT INTO extractions (session_id, scope_no, host, source_updated_at, generated_at, writer, summary, slug, facts,
                         dropped, usage_count, last_usage, selected_source, crc)
VALUES (:session_id, :scope_no, :host, :source_updated_at, :generated_at, :writer, :summary, :slug, :facts, :dropped,
        :usage_count, :last_usage, :selected_source, :crc)
ON CONFLICT (session_id) DO UPDATE SET
    scope_no = excluded.scope_no, host = excluded.host, source_updated_at = excluded.source_updated_at,
    generated_at = excluded.generated_at, writer = excluded.writer, summary = excluded.summary, slug = excluded.slug,
    facts = excluded.facts, dropped = excluded.dropped, usage_count = excluded.usage_count,
    last_usage = excluded.last_usage, selected_source = excluded.selected_source, crc = excluded.crc;

-- name: extractions
-- What these sessions taught.
SELECT s.key, e.session_id, e.host, e.source_updated_at, e.generated_at, e.writer, e.summary, e.slug, e.usage_count,
       e.last_usage, e.selected_source, e.facts, e.dropped, e.crc
FROM extractions AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.session_id IN (SELECT value FROM json_each(:ids)) AND e.scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY e.session_id;

-- name: ranks
-- What the choice goes by.
SELECT e.session_id, e.source_updated_at, e.usage_count, e.last_usage, e.selected_source, t.mode
FROM extractions AS e
LEFT JOIN threads AS t ON t.id = e.session_id
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY e.session_id;

-- name: extracted
-- Which of these have a row.
SELECT session_id FROM extractions
WHERE session_id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY session_id;

-- name: remove_extractions
-- They are gone.
DELETE FROM extractions
WHERE session_id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: select
-- What was taken as it is now is marked; everything else is not. A row that stays as it is is not written.
UPDATE extractions
SET selected_source = CASE WHEN EXISTS (SELECT 1 FROM json_each(:taken) AS taken
                                        WHERE taken.key = session_id AND taken.value = source_updated_at)
                           THEN source_updated_at END
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
  AND selected_source IS NOT CASE WHEN EXISTS (SELECT 1 FROM json_each(:taken) AS taken
                                               WHERE taken.key = session_id AND taken.value = source_updated_at)
                                  THEN source_updated_at END;

-- name: selected
-- How many are marked.
SELECT count(*) FROM extractions
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND selected_source IS NOT NULL;

-- name: cite
-- One more use.
UPDATE extractions SET usage_count = usage_count + 1, last_usage = :now
WHERE session_id IN (SELECT value FROM json_each(:ids)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: retire_summary
-- It is no longer the present one; done first, because there is one at most.
UPDATE summaries SET current = 0 WHERE scope_no = :scope_no AND current = 1 AND digest <> :digest;

-- name: put_summary
-- The present one; a text that was there before becomes it again.
INSERT INTO summaries (scope_no, digest, text, clearance, made_at, current)
VALUES (:scope_no, :digest, :text, :clearance, :made_at, 1)
ON CONFLICT (scope_no, digest) DO UPDATE SET
    clearance = excluded.clearance, made_at = excluded.made_at, current = 1;

-- name: take_summary
-- As it stands, for a store that is moved.
INSERT INTO summaries (scope_no, digest, text, clearance, made_at, current)
VALUES (:scope_no, :digest, :text, :clearance, :made_at, :current)
ON CONFLICT (scope_no, digest) DO UPDATE SET
    clearance = excluded.clearance, made_at = excluded.made_at, current = excluded.current;

-- name: summary
-- The present one.
SELECT s.key, m.digest, m.text, m.clearance, m.made_at, m.current
FROM summaries AS m
JOIN scopes AS s ON s.no = m.scope_no
WHERE m.current = 1 AND m.scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY m.made_at DESC, m.digest
LIMIT 1;

-- name: prune_summaries
-- Those no running session was given.
DELETE FROM summaries
WHERE current = 0 AND made_at < :before AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: clear_summaries
-- All of them.
DELETE FROM summaries WHERE scope_no IN (SELECT value FROM json_each(:scopes));
