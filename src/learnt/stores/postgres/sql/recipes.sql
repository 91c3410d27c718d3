-- Commands that worked.

-- name: add
-- One sighting; the same command in one session counts once.
INSERT INTO recipes (scope_no, key, session_id, commit_sha, command, ref, at)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING;

-- name: find
-- All sightings of one command, oldest first.
SELECT command, session_id, commit_sha, ref, at
FROM recipes
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[])
  AND key_no = hashtextextended(%(key)s, 0) AND key = %(key)s
ORDER BY at, session_id;
