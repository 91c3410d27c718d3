-- 0008 relations: which memories an applied merge tied together, as SQLite's 0008.

-- Derived: the store writes these rows itself when it keeps an applied merge, and takes them back with it; nobody gives
-- them. Both directions are there. Memories of a merge and its proposal are of one scope.
CREATE TABLE memory_relations (
    tenant      text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no    bigint NOT NULL,
    memory_id   text COLLATE "C" NOT NULL,
    other_id    text COLLATE "C" NOT NULL,
    proposal_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, scope_no, memory_id, other_id, proposal_id)
);
CREATE INDEX memory_relations_proposal ON memory_relations (tenant, proposal_id);

-- A copy for hooks holds the ties of its memories: like a change of the memory itself.
CREATE FUNCTION learnt_tied() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        told := OLD;
    ELSE
        told := NEW;
    END IF;
    INSERT INTO changes (tenant, scope_no, change, target_id)
    SELECT told.tenant, told.scope_no, 1 + coalesce(max(c.change), 0), told.memory_id
    FROM changes AS c
    WHERE c.tenant = told.tenant AND c.scope_no = told.scope_no;
    RETURN NULL;
END
$$;
CREATE TRIGGER memory_relations_told AFTER INSERT OR DELETE ON memory_relations
    FOR EACH ROW EXECUTE FUNCTION learnt_tied();
