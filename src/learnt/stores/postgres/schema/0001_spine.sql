-- 0001 spine: scopes, memories with their terms and anchors, proposals, events, usage, evidence, sessions, recipes.
-- The same tables in meaning as SQLite's 0001 (and of 0003 what belongs to evidence units), with these differences:
-- - Every table begins with its tenant, which a connection sets (`learnt.tenant`) and no statement names: it is filled
--   in by default and compared with `learnt_tenant()`. `migrate` puts the second wall, row-level security, on every
--   table that has the column.
-- - Behind that wall only leakproof operators become index conditions: = and < of numbers and text are, @@, && and
--   functions over columns are not. So what must be found by a hash has a stored column for it.
-- - An index entry holds at most 2.7 KB, so text of any length (paths, commands, references) is found by such a hash.
-- - Text is compared by bytes (collation "C"), so that an order is SQLite's. Times are canonical text instants.
-- - No foreign keys: a number of a scope never goes, its writers hold the scope's lock, and each check would lock a row.

CREATE FUNCTION learnt_tenant() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN current_setting('learnt.tenant', true);

CREATE TABLE _meta (
    tenant text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    key    text COLLATE "C" NOT NULL,
    value  text NOT NULL,
    PRIMARY KEY (tenant, key)
);

-- One row a scope. `no` is unique over all tenants: what names a scope's number names its tenant.
CREATE TABLE scopes (
    tenant           text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    no               bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    key              text COLLATE "C" NOT NULL,
    type             text COLLATE "C" NOT NULL,
    next_seq         bigint NOT NULL DEFAULT 1,   -- sequence of the scope's next memory
    active           bigint NOT NULL DEFAULT 0,   -- active memories now
    terms            bigint NOT NULL DEFAULT 0,   -- indexed terms of the active memories together
    blocks           bigint NOT NULL DEFAULT 0,   -- full blocks of its full text
    version          bigint NOT NULL DEFAULT 0,   -- rises when the terms of a memory that is not new change
    evidence_version bigint NOT NULL DEFAULT 0,   -- rises when evidence of the scope leaves
    PRIMARY KEY (tenant, no),
    UNIQUE (tenant, key)
) WITH (fillfactor = 50);   -- its counters move with every write; room on the page keeps that out of the indexes

-- Identity values (origin URL, folder) that mean a repository known under another one.
CREATE TABLE aliases (
    tenant        text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    value_no      bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(value, 0)) STORED,
    value         text COLLATE "C" NOT NULL,
    repository_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, value_no)
);

-- row = (scope no << 32) | sequence: a row names its scope, and a scope's rows lie together in every index on it.
CREATE TABLE memory_items (
    tenant        text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    row           bigint NOT NULL,
    id            text COLLATE "C" NOT NULL,
    scope_no      bigint NOT NULL,
    scope_key     text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    status        text COLLATE "C" NOT NULL,
    trust         text COLLATE "C" NOT NULL,
    confidence    double precision NOT NULL,
    q_value       double precision NOT NULL DEFAULT 0.5,
    created_at    text COLLATE "C" NOT NULL,
    updated_at    text COLLATE "C" NOT NULL,
    valid_from    text COLLATE "C" NOT NULL,
    expires_at    text COLLATE "C",
    superseded_by text COLLATE "C",
    deleted       boolean NOT NULL DEFAULT false,
    clearance     text COLLATE "C" NOT NULL DEFAULT '',   -- pattern-set version that cleared the text
    run           text COLLATE "C" NOT NULL DEFAULT '',   -- provenance: run id, else session id
    revision      bigint NOT NULL DEFAULT 1,              -- rises with every put: what was read is what is replaced
    text          text COLLATE "C" NOT NULL,
    tags          text[] COLLATE "C" NOT NULL DEFAULT '{}',
    signals       text COLLATE "C" NOT NULL,              -- token sets for scoring, see learnt.model.tokens.pack
    terms         text COLLATE "C" NOT NULL,              -- its full-text terms, a blank between; '' while not active
    record_json   text COLLATE "C" NOT NULL,              -- every other field of the memory
    PRIMARY KEY (tenant, row),
    UNIQUE (tenant, id)
);
CREATE INDEX memory_items_listing ON memory_items (scope_no, status, updated_at DESC, id);
CREATE INDEX memory_items_expiry ON memory_items (scope_no, expires_at)
    WHERE status = 'active' AND expires_at IS NOT NULL;
CREATE INDEX memory_items_clearance ON memory_items (scope_no, clearance) WHERE status = 'active';
CREATE INDEX memory_items_learned ON memory_items (scope_no, q_value) WHERE q_value <> 0.5;

-- What an action is recognised by: a normalised command, a repository-relative file, a symbol.
CREATE TABLE anchors (
    tenant    text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no  bigint NOT NULL,
    key_no    bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(key, 0)) STORED,
    type      text COLLATE "C" NOT NULL,
    key       text COLLATE "C" NOT NULL,
    target_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, scope_no, key_no, type, target_id)
);
CREATE INDEX anchors_target ON anchors (target_id);

CREATE TABLE memory_proposals (
    tenant         text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    id             text COLLATE "C" NOT NULL,
    scope_no       bigint NOT NULL,
    scope_key      text COLLATE "C" NOT NULL,
    status         text COLLATE "C" NOT NULL,
    created_at     text COLLATE "C" NOT NULL,
    expected_value double precision NOT NULL DEFAULT 0.5,
    observation    boolean NOT NULL DEFAULT false,
    clearance      text COLLATE "C" NOT NULL DEFAULT '',
    run            text COLLATE "C" NOT NULL DEFAULT '',
    revision       bigint NOT NULL DEFAULT 1,
    text           text COLLATE "C" NOT NULL DEFAULT '',
    text_no        bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(text, 0)) STORED,
    signals        text COLLATE "C" NOT NULL DEFAULT '',
    proposal_json  text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX memory_proposals_queue ON memory_proposals (scope_no, status, expected_value DESC, created_at DESC, id);
CREATE INDEX memory_proposals_observations ON memory_proposals (scope_no, created_at DESC) WHERE observation;
CREATE INDEX memory_proposals_words ON memory_proposals (scope_no, text_no);

CREATE TABLE memory_events (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    seq        bigint NOT NULL,                -- the chain's own count: no gaps, in the order of the chain
    id         text COLLATE "C" NOT NULL,
    operation  text COLLATE "C" NOT NULL,
    target_no  bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(target_id, 0)) STORED,
    target_id  text COLLATE "C" NOT NULL,
    reason     text COLLATE "C",
    timestamp  text COLLATE "C" NOT NULL,
    event_json text COLLATE "C",
    prev_hash  text COLLATE "C",
    PRIMARY KEY (tenant, seq),
    UNIQUE (tenant, id)
);
CREATE INDEX memory_events_target ON memory_events (tenant, target_no, seq);

-- The end of each tenant's chain. Its row is the chain's lock: who moves it holds it until the end of the transaction.
CREATE TABLE memory_chain (
    tenant text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    seq    bigint NOT NULL,                    -- of the last event
    before text COLLATE "C" NOT NULL,          -- `prev_hash` of the last event
    head   text COLLATE "C",                   -- hash of the last event
    PRIMARY KEY (tenant)
) WITH (fillfactor = 10);

CREATE TABLE memory_recall_usage (
    tenant       text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    seq          bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id           text COLLATE "C" NOT NULL,
    bundle_id    text COLLATE "C" NOT NULL,
    timestamp    text COLLATE "C" NOT NULL,
    run_no       bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(run_id, 0)) STORED,
    run_id       text COLLATE "C" NOT NULL DEFAULT '',
    unit_id      text COLLATE "C" NOT NULL DEFAULT '',
    context      text COLLATE "C" NOT NULL DEFAULT '',
    moment       text COLLATE "C" NOT NULL,
    q_value      double precision NOT NULL DEFAULT 0.5,
    last_reward  double precision,
    task_outcome text COLLATE "C",
    reward_key   text COLLATE "C",
    usage_json   text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, seq)
);
CREATE INDEX memory_recall_usage_bundle ON memory_recall_usage (tenant, bundle_id);
CREATE INDEX memory_recall_usage_run ON memory_recall_usage (tenant, run_no, seq) WHERE run_id <> '';

-- Which memory was in which bundle of which context, and in which scopes the bundle was asked.
CREATE TABLE usage_memories (
    tenant    text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    memory_id text COLLATE "C" NOT NULL,
    usage_seq bigint NOT NULL,
    context   text COLLATE "C" NOT NULL DEFAULT '',
    moment    text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, memory_id, usage_seq)
);
CREATE INDEX usage_memories_context ON usage_memories (tenant, context, usage_seq) WHERE context <> '';
CREATE TABLE usage_scopes (
    tenant    text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no  bigint NOT NULL,
    usage_seq bigint NOT NULL,
    PRIMARY KEY (tenant, scope_no, usage_seq)
);
CREATE INDEX usage_scopes_usage ON usage_scopes (usage_seq);

CREATE TABLE evidence_units (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    seq        bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
    id         text COLLATE "C" NOT NULL,
    scope_no   bigint NOT NULL,
    ref_no     bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(ref, 0)) STORED,
    ref        text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    type       text COLLATE "C" NOT NULL,
    who        text COLLATE "C" NOT NULL,
    at         text COLLATE "C" NOT NULL,
    cited      boolean NOT NULL DEFAULT false,
    path       text COLLATE "C" NOT NULL DEFAULT '',
    "offset"   bigint,
    length     bigint,
    record     bigint,
    detail     text COLLATE "C" NOT NULL DEFAULT '',   -- JSON pairs, of documents only
    clearance  text COLLATE "C" NOT NULL DEFAULT '',   -- pattern set that redacted the text
    crc        bigint,                                -- check sum of what is shown
    text       text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, seq)
);
CREATE UNIQUE INDEX evidence_units_ref ON evidence_units (scope_no, ref_no);
CREATE INDEX evidence_units_id ON evidence_units (tenant, id);
CREATE INDEX evidence_units_age ON evidence_units (tenant, at) WHERE NOT cited;

CREATE TABLE sessions (
    tenant       text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    id           text COLLATE "C" NOT NULL,
    scope_no     bigint NOT NULL,
    host         text COLLATE "C" NOT NULL,
    session_no   bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(session_id, 0)) STORED,
    session_id   text COLLATE "C" NOT NULL,
    path_no      bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(path, 0)) STORED,
    path         text COLLATE "C" NOT NULL,
    ended_at     text COLLATE "C" NOT NULL,
    session_json text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX sessions_listing ON sessions (scope_no, ended_at DESC, id);
CREATE INDEX sessions_path ON sessions (tenant, path_no);
CREATE INDEX sessions_session ON sessions (tenant, session_no);

-- 64-bit prefixes of SHA-256 over message ids: what was counted once in a lineage is never counted again.
CREATE TABLE seen_messages (
    tenant  text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    lineage bigint NOT NULL,
    message bigint NOT NULL,
    PRIMARY KEY (tenant, lineage, message)
);

CREATE TABLE recipes (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no   bigint NOT NULL,
    key_no     bigint NOT NULL GENERATED ALWAYS AS (hashtextextended(key, 0)) STORED,
    key        text COLLATE "C" NOT NULL,
    session_id text COLLATE "C" NOT NULL,
    commit_sha text COLLATE "C" NOT NULL,
    command    text COLLATE "C" NOT NULL,
    ref        text COLLATE "C" NOT NULL,
    at         text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, scope_no, key_no, session_id)
);

-- The present context of each host session, of a store that was moved here from a file; hooks have theirs in their copy.
CREATE TABLE contexts (
    tenant     text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    session    text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    at         text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, session)
);
