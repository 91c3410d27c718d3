-- 0011 threads: sessions as they are learnt from, what each taught, what a session is told at its start; as SQLite's.

CREATE TABLE threads (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    id         text COLLATE "C" NOT NULL,
    scope_no   bigint NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    path       text COLLATE "C" NOT NULL,
    cwd        text COLLATE "C" NOT NULL,
    host       text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,   -- the host's own id
    source     text COLLATE "C" NOT NULL,   -- cli, app, program, subagent or own
    mode       text COLLATE "C" NOT NULL,   -- enabled, disabled or polluted
    extracted  text COLLATE "C" NOT NULL,   -- updated_at up to which phase 1 has worked; '' for not at all
    PRIMARY KEY (tenant, id)
);
CREATE INDEX threads_listing ON threads (tenant, scope_no, updated_at DESC, id);

CREATE TABLE extractions (
    tenant            text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    session_id        text COLLATE "C" NOT NULL,
    scope_no          bigint NOT NULL,
    host              text COLLATE "C" NOT NULL,
    source_updated_at text COLLATE "C" NOT NULL,
    generated_at      text COLLATE "C" NOT NULL,
    writer            text COLLATE "C" NOT NULL,
    summary           text COLLATE "C" NOT NULL,
    slug              text COLLATE "C",
    facts             text COLLATE "C" NOT NULL,   -- JSON array of facts with their quotes
    dropped           text COLLATE "C" NOT NULL,   -- JSON object: claims that were not kept, by reason
    usage_count       bigint NOT NULL DEFAULT 0,
    last_usage        text COLLATE "C",
    selected_source   text COLLATE "C",
    crc               bigint NOT NULL,
    PRIMARY KEY (tenant, session_id)
);
CREATE INDEX extractions_scope ON extractions (tenant, scope_no, session_id);

CREATE TABLE summaries (
    tenant    text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no  bigint NOT NULL,
    digest    text COLLATE "C" NOT NULL,
    text      text COLLATE "C" NOT NULL,
    clearance text COLLATE "C" NOT NULL,
    made_at   text COLLATE "C" NOT NULL,
    current   boolean NOT NULL,
    PRIMARY KEY (tenant, scope_no, digest)
);
CREATE UNIQUE INDEX summaries_current ON summaries (tenant, scope_no) WHERE current;
