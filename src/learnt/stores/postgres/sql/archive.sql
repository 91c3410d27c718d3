-- Evidence, and the sessions it was read from.

-- name: put_units
-- What was kept once stays as it was; gives how many were new. `cited` is 0 or 1.
WITH kept AS (
    INSERT INTO evidence_units (id, scope_no, ref, session_id, type, who, at, cited, path, "offset", length, record,
                                detail, clearance, crc, text)
    SELECT id, scope_no, ref, session_id, type, who, at, cited = 1, path, "offset", length, record, detail, clearance,
           crc, text
    FROM unnest(%s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[],
                %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::text[])
         AS given (id, scope_no, ref, session_id, type, who, at, cited, path, "offset", length, record, detail,
                   clearance, crc, text)
    ON CONFLICT DO NOTHING
    RETURNING seq
)
SELECT count(*) FROM kept;

-- name: unit
-- One piece of evidence by reference or id, in the scopes given.
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[])
  AND e.ref_no = hashtextextended(%(ref)s, 0) AND e.ref = %(ref)s
UNION ALL
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.id = %(ref)s AND e.scope_no = ANY(%(scopes)s::bigint[])
LIMIT 1;

-- name: cite
-- Something rests on these units: they outlive the retention.
UPDATE evidence_units SET cited = true
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND NOT cited
  AND (ref_no, ref) IN (SELECT hashtextextended(ref, 0), ref FROM unnest(%(refs)s::text[]) AS ref);

-- name: doomed
-- Units nothing rests on, observed before an instant, by the key of their scope; of some scopes, or of all.
SELECT s.key, e.scope_no, e.seq
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND NOT e.cited AND e.at < %(before)s
  AND (%(keys)s::text[] IS NULL OR s.key = ANY(%(keys)s::text[]));

-- name: remove
-- They leave, unless somebody cited them meanwhile; gives how many left.
WITH gone AS (
    DELETE FROM evidence_units
    WHERE tenant = learnt_tenant() AND scope_no = %s AND seq = ANY(%s::bigint[]) AND NOT cited
    RETURNING seq
)
SELECT count(*) FROM gone;

-- name: left
-- Whoever remembers evidence of the scope starts again.
UPDATE scopes SET evidence_version = evidence_version + 1 WHERE tenant = learnt_tenant() AND no = %s;

-- name: put_session
-- A session as read so far; its place moves on.
INSERT INTO sessions (id, scope_no, host, session_id, path, ended_at, session_json)
VALUES (%(id)s, %(scope_no)s, %(host)s, %(session_id)s, %(path)s, %(ended_at)s, %(session_json)s)
ON CONFLICT (tenant, id) DO UPDATE SET
    scope_no = excluded.scope_no, host = excluded.host, session_id = excluded.session_id, path = excluded.path,
    ended_at = excluded.ended_at, session_json = excluded.session_json;

-- name: session
-- By id, by the host's session id, or by path; of several the one that ended last.
SELECT id, session_json
FROM sessions
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
  AND (id = %(name)s
       OR (session_no = hashtextextended(%(name)s, 0) AND session_id = %(name)s)
       OR (path_no = hashtextextended(%(name)s, 0) AND path = %(name)s))
ORDER BY id = %(name)s DESC, ended_at DESC, id
LIMIT 1;

-- name: sessions
-- Sessions of the scopes given, latest end first.
SELECT found.*
FROM unnest(%(scopes)s::bigint[]) AS wanted (scope)
CROSS JOIN LATERAL (
    SELECT id, session_json, ended_at
    FROM sessions
    WHERE tenant = learnt_tenant() AND scope_no = wanted.scope
    ORDER BY ended_at DESC, id
    LIMIT %(limit)s) AS found
ORDER BY ended_at DESC, id
LIMIT %(limit)s;

-- name: see
-- Messages that count from now on; gives those that did not yet. Two readers of one lineage wait for each other here.
INSERT INTO seen_messages (lineage, message)
SELECT %(lineage)s, message FROM unnest(%(messages)s::bigint[]) AS message ORDER BY message
ON CONFLICT DO NOTHING
RETURNING message;
