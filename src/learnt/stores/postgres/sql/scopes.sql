-- Numbers of scopes. A scope's number is given once, inside the transaction that first writes to it.

-- name: numbers
-- The numbers of some keys.
SELECT key, no FROM scopes WHERE tenant = learnt_tenant() AND key = ANY(%s::text[]);

-- name: create
-- Numbers are given once; who creates the same one at the same moment waits here.
INSERT INTO scopes (key, type) VALUES (%s, %s) ON CONFLICT (tenant, key) DO NOTHING;

-- name: keys
-- The keys behind some numbers.
SELECT no, key FROM scopes WHERE tenant = learnt_tenant() AND no = ANY(%s::bigint[]);
