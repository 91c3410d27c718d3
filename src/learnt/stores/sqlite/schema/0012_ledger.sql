-- 0012 ledger: what models were asked to do, and what it cost. Numbers and names, no text.

-- What is reserved counts like what is settled, so a process that died leaves nothing unaccounted for.
CREATE TABLE model_charges (
    id                TEXT PRIMARY KEY,
    user_id           TEXT NOT NULL,              -- who pays
    repository_id     TEXT NOT NULL,              -- '' for none
    start             TEXT NOT NULL,              -- the process that asked
    purpose           TEXT NOT NULL,              -- extraction, consolidation or embedding
    role              TEXT NOT NULL,
    provider          TEXT NOT NULL,
    model             TEXT NOT NULL,
    at                TEXT NOT NULL,
    status            TEXT NOT NULL,              -- reserved or settled
    input_tokens      INTEGER NOT NULL,
    output_tokens     INTEGER NOT NULL,
    cost_nano_usd     INTEGER NOT NULL,           -- billionths of a dollar
    settled_at        TEXT NOT NULL,
    fault             TEXT NOT NULL,              -- '' for an answer
    remaining_percent REAL,                       -- of the provider's narrowest rate limit
    resets_at         TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX model_charges_spent ON model_charges (user_id, at, input_tokens, output_tokens, cost_nano_usd);
CREATE INDEX model_charges_start ON model_charges (user_id, start);
PRAGMA user_version = 12;
