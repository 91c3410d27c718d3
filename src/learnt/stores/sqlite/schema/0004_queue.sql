-- 0004 queue: work that waits. Table and columns carry the names of the seeds' job table where they mean the same.

-- A lease counts while status is running and token and fence are the worker's; the fence rises with every lease.
CREATE TABLE jobs (
    id                     TEXT PRIMARY KEY,
    kind                   TEXT NOT NULL,
    job_key                TEXT NOT NULL,
    scope_key              TEXT NOT NULL,              -- '' for work of the whole store
    payload                TEXT NOT NULL,              -- a JSON object of ids, names and numbers
    status                 TEXT NOT NULL,              -- pending, running, done or dead
    attempts               INTEGER NOT NULL,
    max_attempts           INTEGER NOT NULL,
    due_at                 TEXT NOT NULL,
    ownership_token        TEXT NOT NULL,
    fence                  INTEGER NOT NULL,
    lease_until            TEXT NOT NULL,
    input_watermark        INTEGER NOT NULL,
    last_success_watermark INTEGER NOT NULL,
    takeovers              INTEGER NOT NULL,
    last_error             TEXT NOT NULL,
    created_at             TEXT NOT NULL,
    updated_at             TEXT NOT NULL,
    UNIQUE (kind, job_key)
) WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (status, due_at) WHERE status = 'pending';
CREATE INDEX jobs_leased ON jobs (status, lease_until) WHERE status = 'running';
CREATE INDEX jobs_listing ON jobs (updated_at);
PRAGMA user_version = 4;
