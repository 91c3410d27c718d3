-- 0002 search: full text in blocks, and vectors of memories and evidence (SQLite: of 0001 the blocks, and 0002).

CREATE EXTENSION IF NOT EXISTS vector;

-- The full text of a scope, 2,048 memories at a time: for each term which memories hold it, as a bit set or (fewer than
-- 48) a list of 16-bit positions. The same bytes as in SQLite, ranked by the same code.
CREATE TABLE lexicon_blocks (
    tenant   text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no bigint NOT NULL,
    term_no  bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(term, 0)) STORED,
    block    bigint NOT NULL,
    term     text COLLATE "C" NOT NULL,
    docs     bytea NOT NULL,
    repeats  bytea NOT NULL,                -- pairs of 16-bit position and count, of memories that hold it repeatedly
    PRIMARY KEY (tenant, scope_no, term_no, block)
);
CREATE TABLE lexicon_lengths (
    tenant   text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no bigint NOT NULL,
    block    bigint NOT NULL,
    lengths  bytea NOT NULL,                -- 2,048 16-bit counts of terms
    PRIMARY KEY (tenant, scope_no, block)
);
ALTER TABLE lexicon_lengths ALTER COLUMN lengths SET STORAGE EXTERNAL;

-- One row for everything embedded by one model in one form of the text.
CREATE TABLE vector_generations (
    tenant        text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    no            bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    target        text COLLATE "C" NOT NULL,              -- memory or evidence
    model_version text COLLATE "C" NOT NULL,
    form          text COLLATE "C" NOT NULL,
    dimension     bigint NOT NULL,
    status        text COLLATE "C" NOT NULL,              -- building, current or retired
    began_at      text COLLATE "C" NOT NULL,
    finished_at   text COLLATE "C",
    PRIMARY KEY (tenant, no),
    UNIQUE (tenant, target, model_version, form)
);
CREATE UNIQUE INDEX vector_generations_current ON vector_generations (tenant, target) WHERE status = 'current';

-- Which model's vectors are searched: written once by the first model that embeds, changed by a complete re-embedding.
CREATE TABLE embedding_config (
    tenant        text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    target        text COLLATE "C" NOT NULL,
    model_version text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, target)
);

-- The vectors, each of length 1, with what filters ask for. `row` is memory_items.row or evidence_units.seq.
-- Shelf 0 is everybody's: a scope is searched there by reading all of its vectors. A crowded scope gets a shelf of its
-- own, a partition with an HNSW index (`learnt_shelve`); what it writes afterwards waits on shelf 0.
-- Numbers of a vector stay on its page up to 2,000 of them: reading a scope would else look up each one.
CREATE TABLE vectors (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    shelf      bigint NOT NULL DEFAULT 0,
    generation bigint NOT NULL,
    scope_no   bigint NOT NULL,
    row        bigint NOT NULL,
    part       smallint NOT NULL,              -- of a text embedded in several pieces
    target_id  text COLLATE "C" NOT NULL,      -- id of the memory or the evidence
    live       boolean NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    since      text COLLATE "C" NOT NULL,
    until      text COLLATE "C",
    vector     vector NOT NULL,
    PRIMARY KEY (tenant, shelf, generation, scope_no, row, part)
) PARTITION BY LIST (shelf);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX vectors_retired ON vectors (shelf, generation, scope_no) WHERE NOT live;
CREATE TABLE vectors_shared PARTITION OF vectors FOR VALUES IN (0) 
    WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- Which scope has a shelf of its own. No row: all of it is on shelf 0.
CREATE TABLE vector_shelves (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    generation bigint NOT NULL,
    scope_no   bigint NOT NULL,
    shelf      bigint NOT NULL,
    PRIMARY KEY (tenant, generation, scope_no)
);
CREATE SEQUENCE vector_shelf_numbers;

-- What could not be embedded; 'blank' is what has nothing to embed.
CREATE TABLE vector_failures (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    generation bigint NOT NULL,
    row        bigint NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    attempts   bigint NOT NULL DEFAULT 1,
    at         text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, generation, row)
);

-- Vectors follow their memories whoever changes these, so that no search finds what is not there. Each shelf is named,
-- so that the others are not looked at.
CREATE FUNCTION learnt_vectors_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    era record;
    place bigint;
BEGIN
    FOR era IN SELECT no FROM vector_generations WHERE tenant = OLD.tenant AND target = 'memory' LOOP
        FOREACH place IN ARRAY learnt_shelves(era.no, OLD.scope_no) LOOP
            IF TG_OP = 'DELETE' OR NEW.status = 'deleted' OR NEW.text <> OLD.text THEN
                DELETE FROM vectors
                WHERE tenant = OLD.tenant AND shelf = place AND generation = era.no AND scope_no = OLD.scope_no
                  AND row = OLD.row;
            ELSE
                UPDATE vectors
                SET live = NEW.status = 'active', kind = NEW.kind, since = NEW.valid_from, until = NEW.expires_at
                WHERE tenant = OLD.tenant AND shelf = place AND generation = era.no AND scope_no = OLD.scope_no
                  AND row = OLD.row;
            END IF;
        END LOOP;
        IF TG_OP = 'DELETE' OR NEW.status = 'deleted' OR NEW.text <> OLD.text THEN
            DELETE FROM vector_failures WHERE tenant = OLD.tenant AND generation = era.no AND row = OLD.row;
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER memory_items_vectors_follow
AFTER UPDATE OF kind, status, valid_from, expires_at, text ON memory_items
FOR EACH ROW
WHEN (OLD.status <> NEW.status OR OLD.kind <> NEW.kind OR OLD.valid_from <> NEW.valid_from
      OR OLD.expires_at IS DISTINCT FROM NEW.expires_at OR OLD.text <> NEW.text)
EXECUTE FUNCTION learnt_vectors_follow();
CREATE TRIGGER memory_items_vectors_leave
AFTER DELETE ON memory_items
FOR EACH ROW
EXECUTE FUNCTION learnt_vectors_follow();

-- The shelves where vectors of a scope can be: everybody's, and its own where it has one.
CREATE FUNCTION learnt_shelves(era bigint, scope bigint) RETURNS bigint[] LANGUAGE sql STABLE
RETURN ARRAY(SELECT 0::bigint
             UNION ALL
             SELECT shelf
             FROM vector_shelves
             WHERE tenant = learnt_tenant() AND generation = era AND scope_no = scope);

-- Evidence does not change; it leaves. Removed many at a time, so once for all of a statement.
CREATE FUNCTION learnt_vectors_leave() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    era record;
    place bigint;
BEGIN
    FOR era IN
        SELECT made.no, here.scope_no
        FROM vector_generations AS made
        CROSS JOIN (SELECT DISTINCT gone.scope_no FROM gone) AS here
        WHERE made.tenant = learnt_tenant() AND made.target = 'evidence'
    LOOP
        FOREACH place IN ARRAY learnt_shelves(era.no, era.scope_no) LOOP
            DELETE FROM vectors AS held
            USING gone
            WHERE held.tenant = learnt_tenant() AND held.shelf = place AND held.generation = era.no
              AND held.scope_no = era.scope_no AND gone.scope_no = era.scope_no AND held.row = gone.seq;
        END LOOP;
        DELETE FROM vector_failures AS held
        USING gone
        WHERE held.tenant = learnt_tenant() AND held.generation = era.no AND held.row = gone.seq;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER evidence_units_vectors_leave
AFTER DELETE ON evidence_units
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT
EXECUTE FUNCTION learnt_vectors_leave();

-- Give a crowded scope a shelf of its own with an HNSW index, and say which; 0 when it has one, or somebody is at it.
-- Nobody waits while the index is built, from a copy: only then the scope is locked, and what has changed meanwhile
-- stays on shelf 0. For roles that may not create tables, therefore by the owner's rights; the tenant stays the
-- caller's. `scope_lock`: number of the advisory lock that writers of the scope hold.
CREATE FUNCTION learnt_shelve(era bigint, scope bigint, scope_lock bigint, links int, effort int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    mine CONSTANT text := learnt_tenant();
    numbers bigint;
    place bigint;
    own text;
    copied bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended(format('learnt shelf %s %s', era, scope), 0)) THEN
        RETURN 0;
    END IF;
    SELECT dimension INTO numbers FROM vector_generations WHERE tenant = mine AND no = era;
    IF numbers IS NULL OR cardinality(learnt_shelves(era, scope)) > 1 THEN
        RETURN 0;
    END IF;
    place := nextval('vector_shelf_numbers');
    own := 'vectors_' || place;
    EXECUTE format('CREATE TABLE %I (LIKE vectors INCLUDING DEFAULTS INCLUDING STORAGE, CHECK (shelf = %s)) '
                   'WITH (toast_tuple_target = 8160)', own, place);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', own);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', own);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant = learnt_tenant())', own);
    EXECUTE format('INSERT INTO %I SELECT tenant, %s, generation, scope_no, row, part, target_id, live, kind, since, until, '
                   'vector FROM vectors WHERE tenant = $1 AND shelf = 0 AND generation = $2 AND scope_no = $3 '
                   'ORDER BY row, part', own, place) USING mine, era, scope;
    GET DIAGNOSTICS copied = ROW_COUNT;
    -- The graph is built in memory while it fits: half-size vectors and their links, and room.
    PERFORM set_config('maintenance_work_mem',
                       greatest(65536, least(2000000, copied * (numbers * 2 + links * 24 + 200) / 700)) || 'kB', true);
    EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (tenant, shelf, generation, scope_no, row, part)', own);
    EXECUTE format('CREATE INDEX %I ON %I USING hnsw ((vector::halfvec(%s)) halfvec_ip_ops) '
                   'WITH (m = %s, ef_construction = %s) WHERE live', own || '_hnsw', own, numbers, links, effort);
    PERFORM set_config('lock_timeout', '60s', true);   -- to wait costs nobody anything, to begin again would
    PERFORM pg_advisory_xact_lock(scope_lock);
    EXECUTE format('DELETE FROM %I AS kept WHERE NOT EXISTS ('
                   'SELECT FROM vectors AS held WHERE held.tenant = kept.tenant AND held.shelf = 0 '
                   'AND held.generation = kept.generation AND held.scope_no = kept.scope_no AND held.row = kept.row '
                   'AND held.part = kept.part AND held.live = kept.live AND held.kind = kept.kind '
                   'AND held.since = kept.since AND held.until IS NOT DISTINCT FROM kept.until '
                   'AND held.vector = kept.vector)', own);
    EXECUTE format('DELETE FROM vectors AS held USING %I AS kept WHERE held.tenant = $1 AND held.shelf = 0 '
                   'AND held.generation = $2 AND held.scope_no = $3 AND held.row = kept.row AND held.part = kept.part',
                   own) USING mine, era, scope;
    EXECUTE format('ALTER TABLE vectors ATTACH PARTITION %I FOR VALUES IN (%s)', own, place);
    EXECUTE format('ANALYZE %I', own);
    INSERT INTO vector_shelves (tenant, generation, scope_no, shelf) VALUES (mine, era, scope, place);
    RETURN place;
END
$$;

-- Take away the shelves of a generation that nobody searches any more; gives how many vectors were on them.
CREATE FUNCTION learnt_unshelve(era bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    mine CONSTANT text := learnt_tenant();
    place bigint;
    counted bigint;
    total bigint := 0;
BEGIN
    FOR place IN
        DELETE FROM vector_shelves AS held
        USING vector_generations AS old
        WHERE held.tenant = mine AND held.generation = era AND old.tenant = mine AND old.no = era
          AND old.status = 'retired'
        RETURNING held.shelf
    LOOP
        EXECUTE format('SELECT count(*) FROM %I', 'vectors_' || place) INTO counted;
        EXECUTE format('DROP TABLE %I', 'vectors_' || place);
        total := total + counted;
    END LOOP;
    RETURN total;
END
$$;
