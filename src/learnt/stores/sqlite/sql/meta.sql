-- Small facts about the store itself.

-- name: get
SELECT value FROM _meta WHERE key = ?;

-- name: put
INSERT INTO _meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: alias
SELECT repository_id FROM aliases WHERE value = ?;

-- name: adopt
INSERT INTO aliases (value, repository_id) VALUES (?, ?)
ON CONFLICT (value) DO UPDATE SET repository_id = excluded.repository_id;

-- name: sqlite_version
SELECT sqlite_version();
