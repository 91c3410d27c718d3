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

-- name: unreadable
-- Rows whose JSON no longer parses.
SELECT (SELECT count(*) FROM memory_items WHERE NOT json_valid(record_json))
     + (SELECT count(*) FROM memory_proposals WHERE NOT json_valid(proposal_json))
     + (SELECT count(*) FROM sessions WHERE NOT json_valid(session_json))
     + (SELECT count(*) FROM memory_recall_usage WHERE NOT json_valid(usage_json));

-- name: uncounted
-- Active memories that came or went past the store, so that full text and its counters do not know of it.
SELECT coalesce(sum(abs(s.active - (SELECT count(*) FROM memory_items AS m
                                    WHERE m.scope_no = s.no AND m.status = 'active'))), 0)
FROM scopes AS s;

-- name: unindexed
-- Active memories without terms, although they have words.
SELECT count(*) FROM memory_items WHERE status = 'active' AND terms = '' AND signals GLOB '[^' || char(10) || ']*';

-- name: sqlite_version
-- For `status` and `doctor`.
SELECT sqlite_version();
