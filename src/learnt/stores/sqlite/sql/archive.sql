-- Evidence, and the sessions it was read from.

-- name: put_unit
-- What was kept once stays as it was.
INSERT INTO evidence_units (id, scope_no, ref, session_id, type, who, at, cited, path, offset, length, record, detail,
                            clearance, crc, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (scope_no, ref) DO NOTHING;

-- name: unit
-- One piece of evidence by reference or id, in the scopes given.
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes)) AND e.ref = :ref
UNION ALL
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.id = :ref AND e.scope_no IN (SELECT value FROM json_each(:scopes))
LIMIT 1;

-- name: cite
-- Something rests on these units: they outlive the retention.
UPDATE evidence_units SET cited = 1
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND ref IN (SELECT value FROM json_each(:refs)) AND cited = 0;

-- name: cite_one
-- The same for one unit by its reference.
UPDATE evidence_units SET cited = 1 WHERE scope_no = ? AND ref = ? AND cited = 0;

-- name: doomed
-- Units nothing rests on, observed before an instant.
SELECT scope_no, seq FROM evidence_units WHERE cited = 0 AND at < :before;

-- name: doomed_within
-- The same, of some scopes.
SELECT scope_no, seq FROM evidence_units
WHERE cited = 0 AND at < :before AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: put_session
-- A session as read so far; its place moves on.
INSERT INTO sessions (id, scope_no, host, session_id, path, ended_at, session_json)
VALUES (:id, :scope_no, :host, :session_id, :path, :ended_at, :session_json)
ON CONFLICT (id) DO UPDATE SET
    scope_no = excluded.scope_no, host = excluded.host, session_id = excluded.session_id, path = excluded.path,
    ended_at = excluded.ended_at, session_json = excluded.session_json;

-- name: session
-- By id, by the host's session id, or by path; of several the one that ended last.
SELECT id, session_json
FROM sessions
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND (id = :name OR session_id = :name OR path = :name)
ORDER BY id = :name DESC, ended_at DESC, id
LIMIT 1;

-- name: sessions
-- Sessions of the scopes given, latest end first.
SELECT id, session_json
FROM sessions
WHERE scope_no IN (SELECT value FROM json_each(:scopes))
ORDER BY ended_at DESC, id
LIMIT :limit;

-- name: seen
-- Which of these messages have counted already.
SELECT message FROM seen_messages
WHERE lineage = ? AND message IN (SELECT value FROM json_each(?));

-- name: see
-- A message that counts from now on; no row changes when it did already.
INSERT INTO seen_messages (lineage, message) VALUES (?, ?) ON CONFLICT DO NOTHING;
