-- The numbered steps of the schema.

-- name: patience
-- A migration waits longer than a write does: for another process's, and for whoever uses the tables.
SET LOCAL lock_timeout = '60s';

-- name: queue
-- One process at a time, whatever its tenant: the number is learnt's own. Given back with the transaction.
SELECT pg_advisory_xact_lock(%s);

-- name: table
-- Marked, because other programs keep a table of this name too. The same for all tenants, so without a wall.
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    applied_at text NOT NULL
);

-- name: mark
-- Says whose table it is.
COMMENT ON TABLE schema_migrations IS 'learnt';

-- name: record_step
-- One row a step, in the transaction of the step.
INSERT INTO schema_migrations (version, name, applied_at) VALUES (%s, %s, %s);

-- name: wall
-- The second wall, on every table with a tenant: rows of another tenant do not exist for who may not bypass it. FORCE
-- holds it for the owner of the tables too.
DO $$
DECLARE
    found regclass;
BEGIN
    FOR found IN
        SELECT c.oid::regclass
        FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tenant'
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', found);
        EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', found);
        EXECUTE format('CREATE POLICY tenant ON %s USING (tenant = learnt_tenant())', found);
    END LOOP;
END
$$;
