-- What belongs to a connection itself.

-- name: begin
-- READ COMMITTED: each statement sees what was committed before it, and locks make reads inside hold.
BEGIN ISOLATION LEVEL READ COMMITTED;

-- name: commit
-- All of it, or, where a statement failed, nothing.
COMMIT;

-- name: rollback
-- None of it.
ROLLBACK;

-- name: lock
-- Locks of scopes, given back with the transaction; in the order given, which is the same for everybody.
SELECT pg_advisory_xact_lock(number) FROM unnest(%s::bigint[]) AS number;

-- name: look
-- What a server must say before anything is done with it.
SELECT current_setting('server_version_num')::int AS number,
       current_setting('server_version') AS version,
       current_setting('server_encoding') AS encoding,
       pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool AS read_only,
       to_regclass('schema_migrations') IS NOT NULL AS held,
       obj_description(to_regclass('schema_migrations'), 'pg_class') AS mark,
       coalesce(current_schema(), '') AS schema,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS may_create;

-- name: user_version
-- The last step that was applied.
SELECT coalesce(max(version), 0) FROM schema_migrations;
