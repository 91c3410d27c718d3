-- 0007 claims: what memories claim, what stands in their way and what they were, as SQLite's 0007.

CREATE TABLE claims (
    tenant   text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no bigint NOT NULL,
    key      bigint NOT NULL,
    row      bigint NOT NULL,
    PRIMARY KEY (tenant, scope_no, key, row)
);
CREATE INDEX claims_row ON claims (tenant, row);

CREATE TABLE conflicts (
    tenant    text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    memory_id text COLLATE "C" NOT NULL,
    rival_id  text COLLATE "C" NOT NULL,
    scope_no  bigint NOT NULL,
    reason    text COLLATE "C" NOT NULL,
    score     double precision NOT NULL,
    at        text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, memory_id, rival_id)
);
CREATE INDEX conflicts_rival ON conflicts (tenant, rival_id);
CREATE INDEX conflicts_listing ON conflicts (tenant, scope_no, reason, at DESC);

CREATE TABLE memory_past (
    tenant        text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    id            text COLLATE "C" NOT NULL,
    until         text COLLATE "C" NOT NULL,
    scope_no      bigint NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    trust         text COLLATE "C" NOT NULL,
    confidence    double precision NOT NULL,
    q_value       double precision NOT NULL,
    created_at    text COLLATE "C" NOT NULL,
    updated_at    text COLLATE "C" NOT NULL,
    valid_from    text COLLATE "C" NOT NULL,
    expires_at    text COLLATE "C",
    superseded_by text COLLATE "C",
    clearance     text COLLATE "C" NOT NULL,
    text          text COLLATE "C" NOT NULL,
    record_json   text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id, until)
);
CREATE INDEX memory_past_until ON memory_past (tenant, scope_no, until);

CREATE FUNCTION learnt_past() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_past (tenant, scope_no, until, id, kind, status, trust, confidence, q_value, created_at,
                             updated_at, valid_from, expires_at, superseded_by, clearance, text, record_json)
    VALUES (OLD.tenant, OLD.scope_no, NEW.updated_at, OLD.id, OLD.kind, OLD.status, OLD.trust, OLD.confidence,
            OLD.q_value, OLD.created_at, OLD.updated_at, OLD.valid_from, OLD.expires_at, OLD.superseded_by,
            OLD.clearance, OLD.text, OLD.record_json)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER memory_items_past
    AFTER UPDATE OF status, trust, confidence, valid_from, expires_at, superseded_by, text, record_json ON memory_items
    FOR EACH ROW
    WHEN (OLD.status <> NEW.status OR OLD.trust <> NEW.trust OR OLD.confidence <> NEW.confidence
          OR OLD.valid_from <> NEW.valid_from OR OLD.expires_at IS DISTINCT FROM NEW.expires_at
          OR OLD.superseded_by IS DISTINCT FROM NEW.superseded_by OR OLD.text <> NEW.text
          OR (OLD.record_json <> NEW.record_json AND OLD.updated_at <> NEW.updated_at))
    EXECUTE FUNCTION learnt_past();

-- Whoever removes a memory, nothing it said stays: nobody can forget to.
CREATE FUNCTION learnt_claims_leave() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM claims WHERE tenant = OLD.tenant AND row = OLD.row;
    DELETE FROM conflicts WHERE tenant = OLD.tenant AND memory_id = OLD.id;
    DELETE FROM conflicts WHERE tenant = OLD.tenant AND rival_id = OLD.id;
    DELETE FROM memory_past WHERE tenant = OLD.tenant AND id = OLD.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER memory_items_claims_leave AFTER DELETE ON memory_items
    FOR EACH ROW EXECUTE FUNCTION learnt_claims_leave();
