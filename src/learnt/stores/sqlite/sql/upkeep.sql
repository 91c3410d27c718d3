-- What is derived from rows: checked against them, and made anew.

-- name: scopes
-- Every scope, with the sequence of its next memory, its full blocks and what it counts.
SELECT no, next_seq, blocks, active, terms FROM scopes ORDER BY no;

-- name: held
-- The indexed terms of a scope's memories, in stretches.
SELECT row, status, terms FROM memory_items WHERE row > :after AND row < :end ORDER BY row LIMIT :limit;

-- name: vocabulary
-- For as long as the connection lives: what the full text itself says of every term.
CREATE VIRTUAL TABLE temp.upkeep_vocabulary USING fts5vocab (main, memory_fts, row);

-- name: vocabulary_terms
-- How many memories hold each term, by the full text.
SELECT term, doc FROM temp.upkeep_vocabulary;

-- name: vocabulary_gone
-- It was needed once.
DROP TABLE IF EXISTS temp.upkeep_vocabulary;

-- name: block
-- Everything that is kept of one block.
SELECT term, docs, repeats FROM lexicon_blocks WHERE scope_no = ? AND block = ? ORDER BY term;

-- name: lengths
-- How many terms each memory of one block has.
SELECT lengths FROM lexicon_lengths WHERE scope_no = ? AND block = ?;

-- name: empty
-- The full text forgets everything, without reading what it held.
INSERT INTO memory_fts (memory_fts) VALUES ('delete-all');

-- name: every
-- The memories of a scope with all that values are made of, in stretches.
SELECT row, terms, signals, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from,
       expires_at, superseded_by, clearance, text, record_json
FROM memory_items
WHERE row > :after AND row < :end
ORDER BY row
LIMIT :limit;

-- name: survey
-- Memories of one scope in short, in stretches: columns alone, and the beginning of each text.
SELECT row, id, kind, status, confidence, q_value, created_at, updated_at, expires_at, superseded_by,
       substr(text, 1, 120)
FROM memory_items
WHERE row > :after AND row < :end
ORDER BY row
LIMIT :limit;

-- name: derive
-- What was made of a memory's words.
UPDATE memory_items SET terms = ?, signals = ? WHERE row = ?;

-- name: drop_blocks
-- Every block of a scope.
DELETE FROM lexicon_blocks WHERE scope_no = ?;

-- name: drop_lengths
-- With its counts.
DELETE FROM lexicon_lengths WHERE scope_no = ?;

-- name: recount
-- What a scope counts; who remembers anything of it starts again. A row that came past the store moves the sequence on.
UPDATE scopes
SET active = :active, terms = :terms, blocks = 0, version = version + 1, evidence_version = evidence_version + 1,
    next_seq = max(next_seq, :next_seq)
WHERE no = :no;

-- name: drop_sheets
-- The full text of evidence; searches make it anew.
DELETE FROM evidence_sheets;

-- name: drop_postings
-- With its terms.
DELETE FROM evidence_postings;

-- name: codes
-- Codes with the vectors they were made of, in stretches; NULL for a vector that is not there.
SELECT held.generation, held.scope_no, held.row, held.part, held.code, v.vector, g.dimension
FROM vector_codes AS held
JOIN vector_generations AS g ON g.no = held.generation
LEFT JOIN vectors AS v ON v.id = held.vector
WHERE held.vector IS NOT NULL
  AND (held.generation, held.scope_no, held.row, held.part) > (:generation, :scope, :row, :part)
ORDER BY held.generation, held.scope_no, held.row, held.part
LIMIT :limit;

-- name: recode
-- The code of one vector, or that there is none; others see the change.
UPDATE vector_codes
SET code = :code, vector = CASE WHEN :code IS NULL THEN NULL ELSE vector END,
    live = CASE WHEN :code IS NULL THEN 0 ELSE live END,
    change = 1 + (SELECT max(other.change) FROM vector_codes AS other
                  WHERE other.generation = :generation AND other.scope_no = :scope)
WHERE generation = :generation AND scope_no = :scope AND row = :row AND part = :part;

-- name: copy
-- Everything committed, in an empty file; readers and writers go on.
VACUUM INTO ?;

-- name: secure
-- What this connection deletes is overwritten.
PRAGMA secure_delete = ON;

-- name: optimize
-- One segment of all: words of rows that left stay in older ones until these are merged.
INSERT INTO memory_fts (memory_fts) VALUES ('optimize');

-- name: merge
-- A bounded step of the same.
INSERT INTO memory_fts (memory_fts, rank) VALUES ('merge', -200);

-- name: vacuum
-- A free page leaves the file.
PRAGMA incremental_vacuum (1);

-- name: free
-- How many there are.
PRAGMA freelist_count;

-- name: size
-- In bytes, free pages included.
SELECT counted.page_count * sized.page_size FROM pragma_page_count AS counted, pragma_page_size AS sized;

-- name: page_bytes
-- In bytes.
PRAGMA page_size;

-- name: truncate
-- Pages of the log go into the file, and it is emptied; a reader in the way only delays that.
PRAGMA wal_checkpoint(TRUNCATE);

-- name: merges
-- Every one, whatever became of it.
SELECT scope_no, id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE json_valid(proposal_json) AND proposal_json ->> '$.operation' = 'merge';

-- name: ties
-- Every pair there is.
SELECT scope_no, memory_id, other_id, proposal_id FROM memory_relations;

-- name: loose
-- All of them.
DELETE FROM memory_relations;

-- name: uncleared
-- Scopes with an active memory that the present pattern set never cleared: two looks into the index for each scope.
SELECT key
FROM scopes
WHERE EXISTS (SELECT 1
              FROM memory_items INDEXED BY memory_items_clearance
              WHERE scope_no = scopes.no AND status = 'active' AND clearance < :pattern_set)
   OR EXISTS (SELECT 1
              FROM memory_items INDEXED BY memory_items_clearance
              WHERE scope_no = scopes.no AND status = 'active' AND clearance > :pattern_set)
ORDER BY no
LIMIT :limit;

-- name: miscounted
-- Memories that count other outcomes or open flags than they have.
SELECT count(*)
FROM memory_items AS m
WHERE flags <> (SELECT count(*) FROM memory_flags AS f WHERE f.memory_id = m.id AND f.cleared_at = '')
   OR (useful, against) <> (SELECT count(*) FILTER (WHERE o.result = 'useful'),
                                   count(*) FILTER (WHERE o.result <> 'useful')
                            FROM memory_outcomes AS o
                            WHERE o.memory_id = m.id AND o.generation = m.created_at);

-- name: count_again
-- Of those that count others.
UPDATE memory_items AS m
SET flags = (SELECT count(*) FROM memory_flags AS f WHERE f.memory_id = m.id AND f.cleared_at = ''),
    (useful, against) = (SELECT count(*) FILTER (WHERE o.result = 'useful'),
                                count(*) FILTER (WHERE o.result <> 'useful')
                         FROM memory_outcomes AS o
                         WHERE o.memory_id = m.id AND o.generation = m.created_at)
WHERE flags <> (SELECT count(*) FROM memory_flags AS f WHERE f.memory_id = m.id AND f.cleared_at = '')
   OR (useful, against) <> (SELECT count(*) FILTER (WHERE o.result = 'useful'),
                                   count(*) FILTER (WHERE o.result <> 'useful')
                            FROM memory_outcomes AS o
                            WHERE o.memory_id = m.id AND o.generation = m.created_at);

-- name: integrity
-- Whether pages, rows and indexes of the file agree with each other.
PRAGMA integrity_check;

-- name: reindex
-- Every index, from its table.
REINDEX;
