-- Numbers of scopes. A scope's number is given once, inside the transaction that first writes to it.

-- name: number
-- A scope's number, which prefixes its terms.
SELECT no FROM scopes WHERE key = ?;

-- name: create
-- Numbers are given once.
INSERT INTO scopes (key, type) VALUES (?, ?) ON CONFLICT (key) DO NOTHING;

-- name: moved
-- Takes the scope's next sequence for a new memory, and keeps what BM25 needs of the scope; its memories' rows lie
-- together: row = (number << 32) | sequence. Gives the row after the last.
UPDATE scopes SET next_seq = next_seq + :new, active = active + :active, terms = terms + :terms
WHERE no = :no
RETURNING (no << 32) | next_seq, blocks;

-- name: next_rows
-- Takes sequences for many; gives the row after the last.
UPDATE scopes SET next_seq = next_seq + :many WHERE no = :no RETURNING (no << 32) | next_seq;

-- name: count
-- Keeps what BM25 needs of the scope alone: how many active memories, how many indexed terms.
UPDATE scopes SET active = active + :active, terms = terms + :terms WHERE no = :no;

-- name: keys
-- The keys behind some numbers.
SELECT no, key FROM scopes WHERE no IN (SELECT value FROM json_each(?));
