-- 0010 forgotten: keyed digests of what was forgotten, so that it does not come back.

-- Nothing can be read from a digest without the key, which lies outside of the database. `compact` never removes one.
CREATE TABLE forgotten (
    scope_no INTEGER NOT NULL REFERENCES scopes (no),
    digest   TEXT NOT NULL,   -- 32 hex digits of HMAC-SHA-256
    trace    TEXT NOT NULL,   -- text or ref: a statement, or where a piece of evidence came from
    at       TEXT NOT NULL,
    PRIMARY KEY (scope_no, digest)
) WITHOUT ROWID;

PRAGMA user_version = 10;
