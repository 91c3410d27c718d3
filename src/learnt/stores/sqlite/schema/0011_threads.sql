-- 0011 threads: sessions as they are learnt from, what each taught, and what a session is told at its start.
-- The tables threads and stage1_outputs (here extractions) are the autonomous-memory seed's in meaning.

-- The registry of sessions. Its rows outlive `memory clear`, so that a session taken out is not taken in again.
CREATE TABLE threads (
    id         TEXT PRIMARY KEY,           -- sessions.id
    scope_no   INTEGER NOT NULL REFERENCES scopes (no),
    updated_at TEXT NOT NULL,              -- when somebody last wrote to the session
    path       TEXT NOT NULL,
    cwd        TEXT NOT NULL,
    host       TEXT NOT NULL,
    session_id TEXT NOT NULL,              -- the host's own id
    source     TEXT NOT NULL,              -- cli, app, program, subagent or own
    mode       TEXT NOT NULL,              -- enabled, disabled or polluted
    extracted  TEXT NOT NULL               -- updated_at up to which phase 1 has worked; '' for not at all
) WITHOUT ROWID;
CREATE INDEX threads_listing ON threads (scope_no, updated_at DESC, id);
-- What a starting session looks for: is there anything left to extract?
CREATE INDEX threads_waiting ON threads (scope_no, updated_at) WHERE extracted < updated_at AND mode = 'enabled';

-- What one session taught, with the quotes that each fact rests on. Source: 1 row a session, newest state wins.
CREATE TABLE extractions (
    session_id        TEXT PRIMARY KEY,    -- threads.id
    scope_no          INTEGER NOT NULL REFERENCES scopes (no),
    host              TEXT NOT NULL,
    source_updated_at TEXT NOT NULL,
    generated_at      TEXT NOT NULL,
    writer            TEXT NOT NULL,       -- offline, or PROVIDER:MODEL
    summary           TEXT NOT NULL,
    slug              TEXT,
    facts             TEXT NOT NULL,       -- JSON array of facts with their quotes
    dropped           TEXT NOT NULL,       -- JSON object: claims that were not kept, by reason
    usage_count       INTEGER NOT NULL DEFAULT 0,
    last_usage        TEXT,
    selected_source   TEXT,                -- source_updated_at that the last consolidation took
    crc               INTEGER NOT NULL
);
CREATE INDEX extractions_scope ON extractions (scope_no, session_id);

-- What a starting session is told. Older texts stay for a while: a session that runs keeps the bytes it was given.
CREATE TABLE summaries (
    scope_no  INTEGER NOT NULL REFERENCES scopes (no),
    digest    TEXT NOT NULL,               -- SHA-256 of the text
    text      TEXT NOT NULL,
    clearance TEXT NOT NULL,               -- pattern-set version that cleared the text
    made_at   TEXT NOT NULL,
    current   INTEGER NOT NULL,
    PRIMARY KEY (scope_no, digest)
) WITHOUT ROWID;
CREATE UNIQUE INDEX summaries_current ON summaries (scope_no) WHERE current = 1;

PRAGMA user_version = 11;
