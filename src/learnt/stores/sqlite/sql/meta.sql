-- Small facts about the store itself.

-- name: get
-- One fact about the store.
SELECT value FROM _meta WHERE key = ?;

-- name: put
-- The same, made or replaced.
INSERT INTO _meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: alias
-- The repository an identity value was adopted under.
SELECT repository_id FROM aliases WHERE value = ?;

-- name: adopt
-- From now on this value means that repository.
INSERT INTO aliases (value, repository_id) VALUES (?, ?)
ON CONFLICT (value) DO UPDATE SET repository_id = excluded.repository_id;

-- name: sqlite_version
-- For `status` and `doctor`.
SELECT sqlite_version();
