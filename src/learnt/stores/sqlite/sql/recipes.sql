-- Commands that worked.

-- name: add
-- One sighting; the same command in one session counts once.
INSERT INTO recipes (scope_no, key, session_id, commit_sha, command, ref, at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (scope_no, key, session_id) DO NOTHING;

-- name: find
-- All sightings of one command, oldest first.
SELECT key, command, session_id, commit_sha, ref, at
FROM recipes
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND key = :key
ORDER BY at, session_id;
