-- 0003 evidence: full text over evidence units, and evidence documents.

ALTER TABLE evidence_units ADD COLUMN detail TEXT NOT NULL DEFAULT '';   -- JSON pairs, of documents only
ALTER TABLE evidence_units ADD COLUMN clearance TEXT NOT NULL DEFAULT '';   -- pattern set that redacted the text
ALTER TABLE evidence_units ADD COLUMN crc INTEGER;   -- check sum of what is shown; NULL where an older learnt kept it

-- Rises when units of the scope leave, so that whoever remembers the index starts again.
ALTER TABLE scopes ADD COLUMN evidence_version INTEGER NOT NULL DEFAULT 0;

CREATE INDEX evidence_units_scope ON evidence_units (scope_no);   -- with seq behind it, as every index
CREATE INDEX evidence_units_session ON evidence_units (session_id, scope_no);
CREATE INDEX evidence_units_documents ON evidence_units (scope_no, at) WHERE type = 'document';

-- 1,024 units of a scope in the order in which they were kept. Later units are in no sheet: whoever searches reads
-- their text, so that keeping a unit costs no indexing. Words are those of each unit's
-- passages alone; neighbours are found through `numbers`.
CREATE TABLE evidence_sheets (
    scope_no  INTEGER NOT NULL REFERENCES scopes (no),
    sheet     INTEGER NOT NULL,
    form      TEXT NOT NULL,      -- name of the rules the words were made by
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    units     INTEGER NOT NULL,
    numbers   BLOB NOT NULL,      -- of its passages: seq, moment in ms (64 bits each); terms, terms of the beginning,
                                  -- session, who, about, type, whether it is long (16 bits each)
    names     TEXT NOT NULL,      -- JSON: the sessions, speakers and subjects that the numbers mean
    PRIMARY KEY (scope_no, sheet)
) WITHOUT ROWID;
CREATE TABLE evidence_postings (
    scope_no INTEGER NOT NULL REFERENCES scopes (no),
    sheet    INTEGER NOT NULL,
    term     TEXT NOT NULL,
    places   BLOB NOT NULL,       -- 16-bit places of passages within the sheet, ascending
    repeats  BLOB NOT NULL,       -- pairs of 16-bit index into places and count, where it stands more than once
    heads    BLOB NOT NULL,       -- the same of long passages whose beginning holds it
    PRIMARY KEY (scope_no, sheet, term)
) WITHOUT ROWID;
PRAGMA user_version = 3;
