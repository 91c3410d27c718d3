-- 0007 claims: what a memory is about and says, so that a later statement about the same is found; what stands in its
-- way; and what it was before it changed.

-- Derived from the text of active memories: numbers of subjects and attributes (learnt.model.claim).
CREATE TABLE claims (
    scope_no INTEGER NOT NULL REFERENCES scopes (no),
    key      INTEGER NOT NULL,
    row      INTEGER NOT NULL,
    PRIMARY KEY (scope_no, key, row)
) WITHOUT ROWID;
CREATE INDEX claims_row ON claims (row);

-- Derived from the metadata of the later written memory (learnt.model.conflict).
CREATE TABLE conflicts (
    memory_id TEXT NOT NULL,
    rival_id  TEXT NOT NULL,
    scope_no  INTEGER NOT NULL REFERENCES scopes (no),
    reason    TEXT NOT NULL,
    score     REAL NOT NULL,
    at        TEXT NOT NULL,
    PRIMARY KEY (memory_id, rival_id)
) WITHOUT ROWID;
CREATE INDEX conflicts_rival ON conflicts (rival_id);
CREATE INDEX conflicts_listing ON conflicts (scope_no, reason, at DESC);

-- What a memory was, written by the trigger below. `until` is the moment from which the store held it otherwise; of several changes
-- at one instant the state before all of them.
CREATE TABLE memory_past (
    id            TEXT NOT NULL,
    until         TEXT NOT NULL,
    scope_no      INTEGER NOT NULL REFERENCES scopes (no),
    kind          TEXT NOT NULL,
    status        TEXT NOT NULL,
    trust         TEXT NOT NULL,
    confidence    REAL NOT NULL,
    q_value       REAL NOT NULL,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    valid_from    TEXT NOT NULL,
    expires_at    TEXT,
    superseded_by TEXT,
    clearance     TEXT NOT NULL,
    text          TEXT NOT NULL,
    record_json   TEXT NOT NULL,
    PRIMARY KEY (id, until)
) WITHOUT ROWID;
CREATE INDEX memory_past_until ON memory_past (scope_no, until);

CREATE TRIGGER memory_items_past
AFTER UPDATE OF status, trust, confidence, valid_from, expires_at, superseded_by, text, record_json ON memory_items
WHEN OLD.status <> NEW.status OR OLD.trust <> NEW.trust OR OLD.confidence <> NEW.confidence
     OR OLD.valid_from <> NEW.valid_from OR OLD.expires_at IS NOT NEW.expires_at
     OR OLD.superseded_by IS NOT NEW.superseded_by OR OLD.text <> NEW.text
     OR (OLD.record_json <> NEW.record_json AND OLD.updated_at <> NEW.updated_at)
BEGIN
    INSERT INTO memory_past (scope_no, until, id, kind, status, trust, confidence, q_value, created_at, updated_at,
                             valid_from, expires_at, superseded_by, clearance, text, record_json)
    SELECT OLD.scope_no, NEW.updated_at, OLD.id, OLD.kind, OLD.status, OLD.trust, OLD.confidence, OLD.q_value,
           OLD.created_at, OLD.updated_at, OLD.valid_from, OLD.expires_at, OLD.superseded_by, OLD.clearance, OLD.text,
           OLD.record_json
    WHERE NOT EXISTS (SELECT 1 FROM memory_past WHERE id = OLD.id AND until = NEW.updated_at);
END;

-- Whoever removes a memory, nothing it said stays: nobody can forget to.
CREATE TRIGGER memory_items_claims_leave AFTER DELETE ON memory_items
BEGIN
    DELETE FROM claims WHERE row = OLD.row;
    DELETE FROM conflicts WHERE memory_id = OLD.id;
    DELETE FROM conflicts WHERE rival_id = OLD.id;
    DELETE FROM memory_past WHERE id = OLD.id;
END;

PRAGMA user_version = 7;
