-- 0005 changes: which memories and observations of a scope changed, in order, for whoever keeps a copy of them.

-- Only ids: what was forgotten leaves nothing else here. A row is never changed; what changes again stands here again.
CREATE TABLE changes (
    tenant    text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no  bigint NOT NULL,
    change    bigint NOT NULL,   -- from 1 within the scope, without a gap
    target_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, scope_no, change)
);

-- Whoever changes these holds the scope's lock until the end, so that numbers are given in the order of the commits.
CREATE FUNCTION learnt_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        told := OLD;
    ELSE
        told := NEW;
    END IF;
    INSERT INTO changes (tenant, scope_no, change, target_id)
    SELECT told.tenant, told.scope_no, 1 + coalesce(max(c.change), 0), told.id
    FROM changes AS c
    WHERE c.tenant = told.tenant AND c.scope_no = told.scope_no;
    RETURN NULL;
END
$$;

-- Whoever changes these, the change is told: nobody who forgets a memory can forget to say so.
CREATE TRIGGER memory_items_told AFTER INSERT OR UPDATE OR DELETE ON memory_items
    FOR EACH ROW EXECUTE FUNCTION learnt_told();
CREATE TRIGGER memory_proposals_told_new AFTER INSERT ON memory_proposals
    FOR EACH ROW WHEN (NEW.observation) EXECUTE FUNCTION learnt_told();
CREATE TRIGGER memory_proposals_told AFTER UPDATE ON memory_proposals
    FOR EACH ROW WHEN (NEW.observation OR OLD.observation) EXECUTE FUNCTION learnt_told();
CREATE TRIGGER memory_proposals_told_gone AFTER DELETE ON memory_proposals
    FOR EACH ROW WHEN (OLD.observation) EXECUTE FUNCTION learnt_told();

-- What is there already, once each, of every tenant.
INSERT INTO changes (tenant, scope_no, change, target_id)
SELECT tenant, scope_no, row_number() OVER (PARTITION BY tenant, scope_no ORDER BY at, id), id
FROM (SELECT tenant, scope_no, created_at AS at, id FROM memory_items
      UNION ALL
      SELECT tenant, scope_no, created_at, id FROM memory_proposals WHERE observation) AS there;
