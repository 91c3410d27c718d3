-- 0010 forgotten: keyed digests of what was forgotten, so that it does not come back.

-- Nothing can be read from a digest without the key. `compact` never removes one.
CREATE TABLE forgotten (
    tenant   text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    scope_no bigint NOT NULL,
    digest   text COLLATE "C" NOT NULL,   -- 32 hex digits of HMAC-SHA-256
    trace    text COLLATE "C" NOT NULL,   -- text or ref: a statement, or where a piece of evidence came from
    at       text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, scope_no, digest)
);
