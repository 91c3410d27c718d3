-- The feed of changes. Triggers write it (schema `changes`); here it is only read.

-- name: changes
-- What changed in a scope after a place in its feed.
SELECT change, target_id
FROM changes
WHERE tenant = learnt_tenant()
  AND scope_no = (SELECT no FROM scopes WHERE tenant = learnt_tenant() AND key = %(scope)s)
  AND change > %(after)s
ORDER BY change
LIMIT %(limit)s;

-- name: last
-- The end of a scope's feed.
SELECT max(change)
FROM changes
WHERE tenant = learnt_tenant()
  AND scope_no = (SELECT no FROM scopes WHERE tenant = learnt_tenant() AND key = %s);
