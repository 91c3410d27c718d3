-- 0012 ledger: what models were asked to do, and what it cost, as SQLite's 0012.

CREATE TABLE model_charges (
    tenant            text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    id                text COLLATE "C" NOT NULL,
    user_id           text COLLATE "C" NOT NULL,          -- who pays
    repository_id     text COLLATE "C" NOT NULL,          -- '' for none
    start             text COLLATE "C" NOT NULL,          -- the process that asked
    purpose           text COLLATE "C" NOT NULL,          -- extraction, consolidation or embedding
    role              text COLLATE "C" NOT NULL,
    provider          text COLLATE "C" NOT NULL,
    model             text COLLATE "C" NOT NULL,
    at                text COLLATE "C" NOT NULL,
    status            text COLLATE "C" NOT NULL,          -- reserved or settled
    input_tokens      bigint NOT NULL,
    output_tokens     bigint NOT NULL,
    cost_nano_usd     bigint NOT NULL,                    -- billionths of a dollar
    settled_at        text COLLATE "C" NOT NULL,
    fault             text COLLATE "C" NOT NULL,          -- '' for an answer
    remaining_percent double precision,                   -- of the provider's narrowest rate limit
    resets_at         text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX model_charges_spent ON model_charges (tenant, user_id, at);
CREATE INDEX model_charges_start ON model_charges (tenant, user_id, start);
