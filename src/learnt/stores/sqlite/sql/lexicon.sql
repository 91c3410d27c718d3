-- The full-text stage. Every reader holds the scope predicate; terms reach MATCH only as one quoted, prefixed term.

-- name: scopes
-- What ranking needs of each scope in sight.
SELECT no, key, type, active, terms, next_seq, blocks, version, no || '_'
FROM scopes
WHERE no IN (SELECT value FROM json_each(:scopes))
ORDER BY no;

-- name: whole
-- Every active memory of a small scope set, in the columns of a candidate.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items INDEXED BY memory_items_listing
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'active'
ORDER BY id;

-- name: newest
-- What manual recall ranks when the full-text stage found nothing. Source: swarm-memory seed, limit 1,000.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items INDEXED BY memory_items_listing
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'active'
  AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))
  AND (:now = '' OR expires_at IS NULL OR expires_at > :now)
ORDER BY updated_at DESC, id
LIMIT 1000;

-- name: retired
-- What a successor is also found by: the words of the memories it replaced.
SELECT row, id, scope_no, kind, 'active', trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items INDEXED BY memory_items_listing
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND status = 'superseded'
ORDER BY updated_at DESC, id
LIMIT :limit;

-- name: candidates
-- What scoring needs of the memories narrowed to.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE row IN (SELECT value FROM json_each(:rows)) AND status = 'active';

-- name: named_bare
-- The same without token sets.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, ''
FROM memory_items
WHERE (row IN (SELECT value FROM json_each(:rows)) OR id IN (SELECT value FROM json_each(:ids))) AND status = 'active'
  AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: named
-- The same for memories that something else than words found.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE (row IN (SELECT value FROM json_each(:rows)) OR id IN (SELECT value FROM json_each(:ids))) AND status = 'active'
  AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: block_postings
-- The memories that hold one of these terms and how often, for each full block; by the join order a term's blocks are
-- one range.
SELECT held.term, held.block, held.docs, held.repeats
FROM json_each(:terms) AS wanted
CROSS JOIN lexicon_blocks AS held
WHERE held.scope_no = :scope AND held.term = wanted.value AND held.block < :blocks;

-- name: lengths
-- Counts of terms of whole blocks.
SELECT block, lengths FROM lexicon_lengths WHERE scope_no = :scope AND block < :blocks ORDER BY block;

-- name: tail
-- Memories after the last full block that hold one term.
SELECT rowid FROM memory_fts WHERE memory_fts MATCH :term AND rowid >= :first;

-- name: tail_terms
-- All memories of a stretch, such as after the last full block.
SELECT row, terms FROM memory_items WHERE row >= :first AND row < :end AND terms <> '' ORDER BY row;

-- name: terms
-- The terms of some memories.
SELECT row, terms, id FROM memory_items WHERE row IN (SELECT value FROM json_each(:rows)) AND status = 'active';

-- name: expired
-- Rows of active memories of a scope that no longer hold.
SELECT row
FROM memory_items INDEXED BY memory_items_expiry
WHERE scope_no = :scope AND status = 'active' AND expires_at <= :now;

-- name: data_version
-- Changes when another connection has changed the file.
PRAGMA data_version;

-- name: anchored
-- What is tied to some anchors in sight.
SELECT held.type, held.key, held.target_id
FROM json_each(:anchors) AS wanted
CROSS JOIN json_each(:scopes) AS within
CROSS JOIN anchors AS held
WHERE held.scope_no = within.value AND held.type = wanted.value ->> 0 AND held.key = wanted.value ->> 1
ORDER BY wanted.key, held.target_id;

-- name: blocks
-- How many full blocks a scope has.
SELECT blocks FROM scopes WHERE no = ?;

-- name: closed
-- So many blocks of a scope are full.
UPDATE scopes SET blocks = :blocks WHERE no = :no;

-- name: changed
-- Tells warm processes that what they hold is stale.
UPDATE scopes SET version = version + 1 WHERE no = ?;

-- name: posting
-- Who of a block holds one term.
SELECT docs, repeats FROM lexicon_blocks WHERE scope_no = ? AND term = ? AND block = ?;

-- name: put_posting
-- The same, made or replaced.
INSERT INTO lexicon_blocks (scope_no, term, block, docs, repeats) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (scope_no, term, block) DO UPDATE SET docs = excluded.docs, repeats = excluded.repeats;

-- name: drop_posting
-- Nobody of the block holds the term any more.
DELETE FROM lexicon_blocks WHERE scope_no = ? AND term = ? AND block = ?;

-- name: block_lengths
-- Counts of terms of one block.
SELECT lengths FROM lexicon_lengths WHERE scope_no = ? AND block = ?;

-- name: put_lengths
-- The same, made or replaced.
INSERT INTO lexicon_lengths (scope_no, block, lengths) VALUES (?, ?, ?)
ON CONFLICT (scope_no, block) DO UPDATE SET lengths = excluded.lengths;
