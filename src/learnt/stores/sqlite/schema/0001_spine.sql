-- 0001 spine: scopes, memories with their full text and anchors, proposals, events, usage, evidence, sessions, recipes.
-- The tables memory_items, memory_proposals, memory_events, memory_recall_usage, schema_migrations and _meta carry the
-- names of the swarm-memory seed. Times are canonical text instants, so text order is the order of time.

CREATE TABLE _meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- One row a scope. `no` is the prefix of the scope's full-text tokens and the upper half of its memories' row numbers.
CREATE TABLE scopes (
    no       INTEGER PRIMARY KEY,
    key      TEXT NOT NULL UNIQUE,
    type     TEXT NOT NULL,
    next_seq INTEGER NOT NULL DEFAULT 1,   -- sequence of the scope's next memory
    active   INTEGER NOT NULL DEFAULT 0,   -- active memories now
    terms    INTEGER NOT NULL DEFAULT 0,   -- indexed terms of the active memories together (BM25's average length)
    blocks   INTEGER NOT NULL DEFAULT 0,   -- full blocks of lexicon_blocks; later memories are only in memory_fts
    version  INTEGER NOT NULL DEFAULT 0    -- rises when the terms of a memory that is not new change
);

-- Identity values (origin URL, folder) that mean a repository known under another one.
CREATE TABLE aliases (
    value         TEXT PRIMARY KEY,
    repository_id TEXT NOT NULL
) WITHOUT ROWID;

-- row = (scope no << 32) | sequence: a scope's memories lie together, and a full-text row names its scope.
CREATE TABLE memory_items (
    row           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    scope_no      INTEGER NOT NULL REFERENCES scopes (no),
    scope_key     TEXT NOT NULL,
    kind          TEXT NOT NULL,
    status        TEXT NOT NULL,
    trust         TEXT NOT NULL,
    confidence    REAL NOT NULL,
    q_value       REAL NOT NULL DEFAULT 0.5,
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    valid_from    TEXT NOT NULL,
    expires_at    TEXT,
    superseded_by TEXT,
    deleted       INTEGER NOT NULL DEFAULT 0,
    clearance     TEXT NOT NULL DEFAULT '',   -- pattern-set version that cleared the text
    run           TEXT NOT NULL DEFAULT '',   -- provenance: run id, else session id; one run has two slots in a block
    text          TEXT NOT NULL,
    signals       TEXT NOT NULL,              -- token sets for scoring, see learnt.model.tokens.pack
    terms         TEXT NOT NULL,              -- exactly the terms in memory_fts; '' while not active
    record_json   TEXT NOT NULL               -- every other field of the memory
);
CREATE INDEX memory_items_listing ON memory_items (scope_no, status, updated_at DESC, id);
CREATE INDEX memory_items_expiry ON memory_items (scope_no, expires_at)
    WHERE status = 'active' AND expires_at IS NOT NULL;
CREATE INDEX memory_items_clearance ON memory_items (scope_no, clearance) WHERE status = 'active';
CREATE INDEX memory_items_learned ON memory_items (scope_no, q_value) WHERE q_value <> 0.5;

-- The few that may need no vector, so that status counts those that lack one without going through all: of a kind that
-- gets none, of another stability than most (which `record_json` leaves out), or blank.
CREATE INDEX memory_items_plain ON memory_items (row)
    WHERE status = 'active'
      AND (kind IN ('api_finding', 'evidence', 'scratch', 'todo') OR instr(record_json, '"stability":"') > 0
           OR trim(text, char(9, 10, 11, 12, 13, 32)) = '');

-- Contentless: the terms are in memory_items.terms. Every term is prefixed with its scope's number ('12_install'), so
-- neither cost nor statistics of one scope depend on another's rows.
-- Neither positions nor lengths are kept: the ranking takes them from memory_items.terms and from lexicon_lengths.
CREATE VIRTUAL TABLE memory_fts USING fts5 (
    terms, content = '', detail = none, columnsize = 0, tokenize = "ascii tokenchars '_-'"
);

-- The full text of a scope once more, 2,048 memories at a time, in a form that ranks a hundred thousand of them in
-- milliseconds: for each term which memories hold it, as a bit set or (fewer than 48) a list of 16-bit positions.
-- A term's blocks lie together: a query reads some twenty terms of every block, a writer one block in 2,048 writes.
CREATE TABLE lexicon_blocks (
    scope_no INTEGER NOT NULL REFERENCES scopes (no),
    term     TEXT NOT NULL,
    block    INTEGER NOT NULL,
    docs     BLOB NOT NULL,
    repeats  BLOB NOT NULL,                -- pairs of 16-bit position and count, of memories that hold it repeatedly
    PRIMARY KEY (scope_no, term, block)
) WITHOUT ROWID;
CREATE TABLE lexicon_lengths (
    scope_no INTEGER NOT NULL REFERENCES scopes (no),
    block    INTEGER NOT NULL,
    lengths  BLOB NOT NULL,                -- 2,048 16-bit counts of terms
    PRIMARY KEY (scope_no, block)
) WITHOUT ROWID;

-- What an action is recognised by: a normalised command, a repository-relative file, a symbol.
CREATE TABLE anchors (
    scope_no  INTEGER NOT NULL REFERENCES scopes (no),
    type      TEXT NOT NULL,
    key       TEXT NOT NULL,
    target_id TEXT NOT NULL,
    PRIMARY KEY (scope_no, type, key, target_id)
) WITHOUT ROWID;
CREATE INDEX anchors_target ON anchors (target_id);

CREATE TABLE memory_proposals (
    id             TEXT PRIMARY KEY,
    scope_no       INTEGER NOT NULL REFERENCES scopes (no),
    status         TEXT NOT NULL,
    created_at     TEXT NOT NULL,
    expected_value REAL NOT NULL DEFAULT 0.5,
    observation    INTEGER NOT NULL DEFAULT 0,
    clearance      TEXT NOT NULL DEFAULT '',
    run            TEXT NOT NULL DEFAULT '',
    text           TEXT NOT NULL DEFAULT '',
    signals        TEXT NOT NULL DEFAULT '',
    proposal_json  TEXT NOT NULL
);
CREATE INDEX memory_proposals_queue ON memory_proposals (scope_no, status, expected_value DESC, created_at DESC, id);
CREATE INDEX memory_proposals_observations ON memory_proposals (scope_no, created_at DESC) WHERE observation = 1;

CREATE TABLE memory_events (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    operation  TEXT NOT NULL,
    target_id  TEXT NOT NULL,
    reason     TEXT,
    timestamp  TEXT NOT NULL,
    event_json TEXT,
    prev_hash  TEXT
);
CREATE INDEX memory_events_target ON memory_events (target_id);

CREATE TABLE memory_recall_usage (
    seq            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL,
    bundle_id      TEXT NOT NULL,
    timestamp      TEXT NOT NULL,
    run_id         TEXT NOT NULL DEFAULT '',
    unit_id        TEXT NOT NULL DEFAULT '',
    context        TEXT NOT NULL DEFAULT '',
    moment         TEXT NOT NULL,
    q_value        REAL NOT NULL DEFAULT 0.5,
    last_reward    REAL,
    task_outcome   TEXT,
    reward_key     TEXT,
    usage_json     TEXT NOT NULL
);
CREATE INDEX memory_recall_usage_time ON memory_recall_usage (timestamp);
CREATE INDEX memory_recall_usage_bundle ON memory_recall_usage (bundle_id);
CREATE INDEX memory_recall_usage_run ON memory_recall_usage (run_id, timestamp) WHERE run_id <> '';

-- Which memory was in which bundle of which context, and in which scopes the bundle was asked.
CREATE TABLE usage_memories (
    memory_id TEXT NOT NULL,
    usage_seq INTEGER NOT NULL REFERENCES memory_recall_usage (seq),
    context   TEXT NOT NULL DEFAULT '',
    moment    TEXT NOT NULL,
    PRIMARY KEY (memory_id, usage_seq)
) WITHOUT ROWID;
CREATE INDEX usage_memories_context ON usage_memories (context, memory_id) WHERE context <> '';
CREATE TABLE usage_scopes (
    scope_no  INTEGER NOT NULL REFERENCES scopes (no),
    usage_seq INTEGER NOT NULL REFERENCES memory_recall_usage (seq),
    PRIMARY KEY (usage_seq, scope_no)
) WITHOUT ROWID;

-- A host session's present context: the generation rises at start, clear and compaction (contract: once per context).
CREATE TABLE contexts (
    session    TEXT PRIMARY KEY,   -- keyed hash of host, session and sub-agent
    generation INTEGER NOT NULL,
    at         TEXT NOT NULL,
    guidance   TEXT                -- digest and room of the summary the session was given at its start
) WITHOUT ROWID;

CREATE TABLE evidence_units (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    scope_no   INTEGER NOT NULL REFERENCES scopes (no),
    ref        TEXT NOT NULL,
    session_id TEXT NOT NULL,
    type       TEXT NOT NULL,
    who        TEXT NOT NULL,
    at         TEXT NOT NULL,
    cited      INTEGER NOT NULL DEFAULT 0,
    path       TEXT NOT NULL DEFAULT '',
    offset     INTEGER,
    length     INTEGER,
    record     INTEGER,
    text       TEXT NOT NULL,
    UNIQUE (scope_no, ref)
);
CREATE INDEX evidence_units_id ON evidence_units (id);
CREATE INDEX evidence_units_age ON evidence_units (at) WHERE cited = 0;
CREATE INDEX evidence_units_blank ON evidence_units (seq) WHERE trim(text, char(9, 10, 11, 12, 13, 32)) = '';

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    scope_no     INTEGER NOT NULL REFERENCES scopes (no),
    host         TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    path         TEXT NOT NULL,
    ended_at     TEXT NOT NULL,
    session_json TEXT NOT NULL
);
CREATE INDEX sessions_listing ON sessions (scope_no, ended_at DESC, id);
CREATE INDEX sessions_path ON sessions (path);
CREATE INDEX sessions_session ON sessions (session_id);

-- 64-bit prefixes of SHA-256 over message ids: what was counted once in a lineage is never counted again.
CREATE TABLE seen_messages (
    lineage INTEGER NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (lineage, message)
) WITHOUT ROWID;

CREATE TABLE recipes (
    scope_no   INTEGER NOT NULL REFERENCES scopes (no),
    key        TEXT NOT NULL,
    session_id TEXT NOT NULL,
    commit_sha TEXT NOT NULL,
    command    TEXT NOT NULL,
    ref        TEXT NOT NULL,
    at         TEXT NOT NULL,
    PRIMARY KEY (scope_no, key, session_id)
) WITHOUT ROWID;

-- One row a step of this folder; `user_version` repeats the last one in the file's header.
CREATE TABLE schema_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at TEXT NOT NULL
);
PRAGMA user_version = 1;
