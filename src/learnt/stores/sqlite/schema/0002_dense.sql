-- 0002 dense: vectors of memories and evidence. The table embedding_config carries the name of the swarm-memory seed.

-- One row for everything embedded by one model in one form of the text.
CREATE TABLE vector_generations (
    no            INTEGER PRIMARY KEY,
    target        TEXT NOT NULL,              -- memory or evidence
    model_version TEXT NOT NULL,
    form          TEXT NOT NULL,
    dimension     INTEGER NOT NULL,
    status        TEXT NOT NULL,              -- building, current or retired
    began_at      TEXT NOT NULL,
    finished_at   TEXT,
    UNIQUE (target, model_version, form)
);
CREATE UNIQUE INDEX vector_generations_current ON vector_generations (target) WHERE status = 'current';

-- Which model's vectors are searched: written once by the first model that embeds, changed by a complete re-embedding.
CREATE TABLE embedding_config (
    target        TEXT PRIMARY KEY,
    model_version TEXT NOT NULL
) WITHOUT ROWID;

-- The vectors themselves: little-endian float32, of length 1. Each belongs to one code and leaves with it.
CREATE TABLE vectors (
    id     INTEGER PRIMARY KEY,
    vector BLOB NOT NULL
);

-- What a search looks at: each vector once more in a quarter of the size (its scale as float32, then one int8 a
-- number), and what filters ask for, so that a scope is read into memory without touching the rows it stands for.
-- `row` is memory_items.row or evidence_units.seq. `change` rises within a scope with everything that happens to its
-- codes, so a process reads what others wrote by asking for the later changes. A row without `vector` was removed.
CREATE TABLE vector_codes (
    generation INTEGER NOT NULL REFERENCES vector_generations (no),
    scope_no   INTEGER NOT NULL REFERENCES scopes (no),
    row        INTEGER NOT NULL,
    part       INTEGER NOT NULL,              -- of a text embedded in several pieces
    change     INTEGER NOT NULL,
    live       INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    since      TEXT NOT NULL,
    until      TEXT,
    vector     INTEGER,                       -- vectors.id
    code       BLOB,
    PRIMARY KEY (generation, scope_no, row, part)
) WITHOUT ROWID;
CREATE INDEX vector_codes_change ON vector_codes (generation, scope_no, change);

-- What is no first piece of something that is there: the difference of two counts is how many targets have a vector.
CREATE INDEX vector_codes_rest ON vector_codes (generation) WHERE part > 0 OR vector IS NULL OR NOT live;

-- What could not be embedded; 'blank' is what has nothing to embed.
CREATE TABLE vector_failures (
    generation INTEGER NOT NULL REFERENCES vector_generations (no),
    row        INTEGER NOT NULL,
    reason     TEXT NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 1,
    at         TEXT NOT NULL,
    PRIMARY KEY (generation, row)
) WITHOUT ROWID;

-- Codes follow their memories whoever changes these, so that no search finds what is not there.
CREATE TRIGGER memory_items_vectors_follow
AFTER UPDATE OF kind, status, valid_from, expires_at, text ON memory_items
WHEN OLD.status <> NEW.status OR OLD.kind <> NEW.kind OR OLD.valid_from <> NEW.valid_from
     OR OLD.expires_at IS NOT NEW.expires_at OR OLD.text <> NEW.text
BEGIN
    UPDATE vector_codes
    SET live = NEW.status = 'active', kind = NEW.kind, since = NEW.valid_from, until = NEW.expires_at,
        vector = CASE WHEN NEW.status = 'deleted' OR OLD.text <> NEW.text THEN NULL ELSE vector END,
        code = CASE WHEN NEW.status = 'deleted' OR OLD.text <> NEW.text THEN NULL ELSE code END,
        change = 1 + (SELECT max(held.change) FROM vector_codes AS held
                      WHERE held.generation = vector_codes.generation AND held.scope_no = vector_codes.scope_no)
    WHERE scope_no = NEW.scope_no AND row = NEW.row
      AND generation IN (SELECT no FROM vector_generations WHERE target = 'memory');
    DELETE FROM vector_failures
    WHERE row = NEW.row AND (NEW.status = 'deleted' OR OLD.text <> NEW.text)
      AND generation IN (SELECT no FROM vector_generations WHERE target = 'memory');
END;
CREATE TRIGGER memory_items_vectors_leave
AFTER DELETE ON memory_items
BEGIN
    UPDATE vector_codes
    SET live = 0, vector = NULL, code = NULL,
        change = 1 + (SELECT max(held.change) FROM vector_codes AS held
                      WHERE held.generation = vector_codes.generation AND held.scope_no = vector_codes.scope_no)
    WHERE scope_no = OLD.scope_no AND row = OLD.row
      AND generation IN (SELECT no FROM vector_generations WHERE target = 'memory');
    DELETE FROM vector_failures
    WHERE row = OLD.row AND generation IN (SELECT no FROM vector_generations WHERE target = 'memory');
END;

-- Evidence does not change; it leaves.
CREATE TRIGGER evidence_units_vectors_leave
AFTER DELETE ON evidence_units
BEGIN
    UPDATE vector_codes
    SET live = 0, vector = NULL, code = NULL,
        change = 1 + (SELECT max(held.change) FROM vector_codes AS held
                      WHERE held.generation = vector_codes.generation AND held.scope_no = vector_codes.scope_no)
    WHERE scope_no = OLD.scope_no AND row = OLD.seq
      AND generation IN (SELECT no FROM vector_generations WHERE target = 'evidence');
    DELETE FROM vector_failures
    WHERE row = OLD.seq AND generation IN (SELECT no FROM vector_generations WHERE target = 'evidence');
END;

-- A code that lost its vector takes the vector along.
CREATE TRIGGER vector_codes_drop
AFTER UPDATE OF vector ON vector_codes
WHEN OLD.vector IS NOT NULL AND NEW.vector IS NOT OLD.vector
BEGIN
    DELETE FROM vectors WHERE id = OLD.vector;
END;
CREATE TRIGGER vector_codes_gone
AFTER DELETE ON vector_codes
WHEN OLD.vector IS NOT NULL
BEGIN
    DELETE FROM vectors WHERE id = OLD.vector;
END;

PRAGMA user_version = 2;
