-- 0006 outcomes: what became of a memory when it was used, and what its readers think of it.

-- Counted by the triggers below, and by nothing else: whoever writes a memory leaves them as they are.
ALTER TABLE memory_items ADD COLUMN flags INTEGER NOT NULL DEFAULT 0;     -- open flags
ALTER TABLE memory_items ADD COLUMN useful INTEGER NOT NULL DEFAULT 0;    -- outcomes that found it useful
ALTER TABLE memory_items ADD COLUMN against INTEGER NOT NULL DEFAULT 0;   -- outcomes that did not
CREATE INDEX memory_items_flagged ON memory_items (scope_no, updated_at DESC, id) WHERE flags > 0;

-- Only added to. `generation` is created_at of the memory it is about: one that was removed and written anew has another.
CREATE TABLE memory_outcomes (
    seq           INTEGER PRIMARY KEY,
    scope_no      INTEGER NOT NULL REFERENCES scopes (no),
    id            TEXT NOT NULL,
    memory_id     TEXT NOT NULL,
    generation    TEXT NOT NULL,
    result        TEXT NOT NULL,              -- useful, dead_end or corrected
    at            TEXT NOT NULL,
    writer        TEXT NOT NULL,
    task          TEXT NOT NULL,
    correction    TEXT NOT NULL,
    clearance     TEXT NOT NULL,              -- pattern-set version that cleared the correction
    spots         TEXT NOT NULL,              -- JSON: pairs of file and symbol; '' for none
    repository_id TEXT NOT NULL,              -- whose files these are
    UNIQUE (scope_no, id)
);
CREATE INDEX memory_outcomes_memory ON memory_outcomes (memory_id, at, id);

-- One open flag a reader; a cleared one keeps who cleared it.
CREATE TABLE memory_flags (
    memory_id  TEXT NOT NULL,
    writer     TEXT NOT NULL,
    cleared_at TEXT NOT NULL DEFAULT '',      -- '' while it is open
    scope_no   INTEGER NOT NULL REFERENCES scopes (no),
    at         TEXT NOT NULL,
    reason     TEXT NOT NULL,
    person     INTEGER NOT NULL,
    login      TEXT NOT NULL,                 -- as whom that person was authenticated; '' where nobody is
    cleared_by TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (memory_id, writer, cleared_at)
) WITHOUT ROWID;
CREATE INDEX memory_flags_open ON memory_flags (scope_no, at DESC, memory_id) WHERE cleared_at = '';

CREATE TRIGGER memory_outcomes_counted AFTER INSERT ON memory_outcomes
BEGIN
    UPDATE memory_items
    SET useful = useful + (NEW.result = 'useful'), against = against + (NEW.result <> 'useful')
    WHERE id = NEW.memory_id AND created_at = NEW.generation;
END;
CREATE TRIGGER memory_flags_opened AFTER INSERT ON memory_flags WHEN NEW.cleared_at = ''
BEGIN
    UPDATE memory_items SET flags = flags + 1 WHERE id = NEW.memory_id;
END;
CREATE TRIGGER memory_flags_cleared AFTER UPDATE OF cleared_at ON memory_flags
WHEN OLD.cleared_at = '' AND NEW.cleared_at <> ''
BEGIN
    UPDATE memory_items SET flags = flags - 1 WHERE id = NEW.memory_id;
END;
CREATE TRIGGER memory_flags_withdrawn AFTER DELETE ON memory_flags WHEN OLD.cleared_at = ''
BEGIN
    UPDATE memory_items SET flags = flags - 1 WHERE id = OLD.memory_id;
END;

-- Whoever removes a memory, what was said about it goes with it: nobody can forget to.
CREATE TRIGGER memory_items_judged_leave AFTER DELETE ON memory_items
BEGIN
    DELETE FROM memory_outcomes WHERE memory_id = OLD.id;
    DELETE FROM memory_flags WHERE memory_id = OLD.id;
END;

PRAGMA user_version = 6;
