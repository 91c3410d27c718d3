-- Small facts about the store itself.

-- name: get
-- One fact about the store.
SELECT value FROM _meta WHERE tenant = learnt_tenant() AND key = %s;

-- name: put
-- The same, made or replaced.
INSERT INTO _meta (key, value) VALUES (%s, %s) ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value;

-- name: alias
-- The repository an identity value was adopted under.
SELECT repository_id
FROM aliases
WHERE tenant = learnt_tenant() AND value_no = hashtextextended(%(value)s, 0) AND value = %(value)s;

-- name: adopt
-- From now on this value means that repository.
INSERT INTO aliases (value, repository_id) VALUES (%s, %s)
ON CONFLICT (tenant, value_no) DO UPDATE SET repository_id = excluded.repository_id
WHERE aliases.value = excluded.value;

-- name: unreadable
-- Rows whose JSON no longer parses.
SELECT (SELECT count(*) FROM memory_items WHERE tenant = learnt_tenant() AND record_json IS NOT JSON)
     + (SELECT count(*) FROM memory_proposals WHERE tenant = learnt_tenant() AND proposal_json IS NOT JSON)
     + (SELECT count(*) FROM sessions WHERE tenant = learnt_tenant() AND session_json IS NOT JSON)
     + (SELECT count(*) FROM memory_recall_usage WHERE tenant = learnt_tenant() AND usage_json IS NOT JSON);

-- name: uncounted
-- Active memories that came or went past the store, so that full text and its counters do not know of it.
SELECT coalesce(sum(abs(s.active - coalesce(m.active, 0))), 0)::bigint
FROM scopes AS s
LEFT JOIN (SELECT scope_no, count(*) AS active
           FROM memory_items
           WHERE tenant = learnt_tenant() AND status = 'active'
           GROUP BY scope_no) AS m ON m.scope_no = s.no
WHERE s.tenant = learnt_tenant();

-- name: unindexed
-- Active memories without terms, although they have words.
SELECT count(*)
FROM memory_items
WHERE tenant = learnt_tenant() AND status = 'active' AND terms = '' AND signals <> '' AND signals !~ '^\n';

-- name: describe
-- The server, this database and this role. A role that may bypass row-level security has only the first wall; one that
-- may not change memories can only read.
SELECT current_setting('server_version') AS version,
       (SELECT max(version) FROM schema_migrations) AS schema_version,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       current_user AS role,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS bypasses,
       pg_database_size(current_database()) AS size_bytes,
       current_schema() AS schema,
       current_setting('synchronous_commit') AS synchronous_commit,
       has_table_privilege('memory_items', 'INSERT') AND has_table_privilege('memory_items', 'UPDATE') AS writes;
