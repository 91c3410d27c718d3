-- 0004 queue: work that waits, as SQLite's 0004. Who chooses a job locks its row and passes over rows others locked.

CREATE TABLE jobs (
    tenant                 text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    id                     text COLLATE "C" NOT NULL,
    kind                   text COLLATE "C" NOT NULL,
    job_key                text COLLATE "C" NOT NULL,
    scope_key              text COLLATE "C" NOT NULL,         -- '' for work of the whole store
    payload                text COLLATE "C" NOT NULL,         -- a JSON object of ids, names and numbers
    status                 text COLLATE "C" NOT NULL,         -- pending, running, done or dead
    attempts               integer NOT NULL,
    max_attempts           integer NOT NULL,
    due_at                 text COLLATE "C" NOT NULL,
    ownership_token        text COLLATE "C" NOT NULL,
    fence                  bigint NOT NULL,
    lease_until            text COLLATE "C" NOT NULL,
    input_watermark        bigint NOT NULL,
    last_success_watermark bigint NOT NULL,
    takeovers              bigint NOT NULL,
    last_error             text COLLATE "C" NOT NULL,
    created_at             text COLLATE "C" NOT NULL,
    updated_at             text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, kind, job_key)
) WITH (fillfactor = 70);   -- a lease is renewed every half minute; room on the page
CREATE INDEX jobs_due ON jobs (tenant, due_at, id) WHERE status = 'pending';
CREATE INDEX jobs_leased ON jobs (tenant, lease_until, id) WHERE status = 'running';
CREATE INDEX jobs_listing ON jobs (tenant, updated_at DESC, id);
