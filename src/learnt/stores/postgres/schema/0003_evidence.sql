-- 0003 evidence: full text over evidence units (what belongs to the units themselves is in 0001).

CREATE INDEX evidence_units_scope ON evidence_units (scope_no, seq);
CREATE INDEX evidence_units_session ON evidence_units (scope_no, session_id, seq);
CREATE INDEX evidence_units_documents ON evidence_units (scope_no, at DESC, id) WHERE type = 'document';

-- 1,024 units of a scope in the order in which they were kept. Later units are in no sheet: whoever searches reads
-- their text, so that keeping a unit costs no indexing. The same bytes as in SQLite, ranked by the same code.
CREATE TABLE evidence_sheets (
    tenant    text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no  bigint NOT NULL,
    sheet     bigint NOT NULL,
    form      text COLLATE "C" NOT NULL,   -- name of the rules the words were made by
    first_seq bigint NOT NULL,
    last_seq  bigint NOT NULL,
    units     bigint NOT NULL,
    numbers   bytea NOT NULL,              -- of its passages: see learnt.stores.index.sheets
    names     text COLLATE "C" NOT NULL,   -- JSON: the sessions, speakers and subjects that the numbers mean
    PRIMARY KEY (tenant, scope_no, sheet)
);
CREATE TABLE evidence_postings (
    tenant   text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no bigint NOT NULL,
    sheet    bigint NOT NULL,
    term_no  bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(term, 0)) STORED,
    term     text COLLATE "C" NOT NULL,
    places   bytea NOT NULL,               -- 16-bit places of passages within the sheet, ascending
    repeats  bytea NOT NULL,               -- pairs of 16-bit index into places and count, where it stands repeatedly
    heads    bytea NOT NULL,               -- the same of long passages whose beginning holds it
    PRIMARY KEY (tenant, scope_no, sheet, term_no)
);
