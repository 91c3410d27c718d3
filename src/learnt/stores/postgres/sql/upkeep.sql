-- What is derived from rows: checked against them, and made anew. Of this tenant alone.

-- name: scopes
-- Every scope, with the sequence of its next memory, its full blocks and what it counts.
SELECT no, next_seq, blocks, active, terms FROM scopes WHERE tenant = learnt_tenant() ORDER BY no;

-- name: held
-- The indexed terms of a scope's memories, in stretches.
SELECT row, status, terms
FROM memory_items
WHERE tenant = learnt_tenant() AND row > %(after)s AND row < %(end)s
ORDER BY row
LIMIT %(limit)s;

-- name: block
-- Everything that is kept of one block.
SELECT term, docs, repeats
FROM lexicon_blocks
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND block = %(block)s
ORDER BY term;

-- name: lengths
-- How many terms each memory of one block has.
SELECT lengths FROM lexicon_lengths WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND block = %(block)s;

-- name: every
-- The memories of a scope with all that values are made of, in stretches.
SELECT row, terms, signals, id, kind, status, trust, confidence, q_value, created_at, updated_at, valid_from,
       expires_at, superseded_by, clearance, text, record_json
FROM memory_items
WHERE tenant = learnt_tenant() AND row > %(after)s AND row < %(end)s
ORDER BY row
LIMIT %(limit)s;

-- name: survey
-- Memories of one scope in short, in stretches: columns alone, and the beginning of each text.
SELECT row, id, kind, status, confidence, q_value, created_at, updated_at, expires_at, superseded_by,
       substr(text, 1, 120)
FROM memory_items
WHERE tenant = learnt_tenant() AND row > %(after)s AND row < %(end)s
ORDER BY row
LIMIT %(limit)s;

-- name: derive
-- What was made of a memory's words.
UPDATE memory_items
SET terms = %(terms)s, signals = %(signals)s
WHERE tenant = learnt_tenant() AND row = %(row)s;

-- name: drop_blocks
-- Every block of a scope.
DELETE FROM lexicon_blocks WHERE tenant = learnt_tenant() AND scope_no = %(scope)s;

-- name: drop_lengths
-- With its counts.
DELETE FROM lexicon_lengths WHERE tenant = learnt_tenant() AND scope_no = %(scope)s;

-- name: recount
-- What a scope counts; who remembers anything of it starts again.
UPDATE scopes
SET active = %(active)s, terms = %(terms)s, blocks = 0, version = version + 1,
    evidence_version = evidence_version + 1, next_seq = greatest(next_seq, %(next_seq)s)
WHERE tenant = learnt_tenant() AND no = %(no)s;

-- name: drop_sheets
-- The full text of evidence; searches make it anew.
DELETE FROM evidence_sheets WHERE tenant = learnt_tenant();

-- name: drop_postings
-- With its terms.
DELETE FROM evidence_postings WHERE tenant = learnt_tenant();

-- name: merges
-- Every one, whatever became of it.
SELECT scope_no, id, status, created_at, expected_value, clearance, text, proposal_json
FROM memory_proposals
WHERE tenant = learnt_tenant() AND position('"operation":"merge"' IN proposal_json) > 0;

-- name: ties
-- Every pair there is.
SELECT scope_no, memory_id, other_id, proposal_id FROM memory_relations WHERE tenant = learnt_tenant();

-- name: loose
-- All of them.
DELETE FROM memory_relations WHERE tenant = learnt_tenant();

-- name: uncleared
-- Scopes with an active memory that the present pattern set never cleared: two looks into the index for each scope.
SELECT s.key
FROM scopes AS s
WHERE s.tenant = learnt_tenant()
  AND (EXISTS (SELECT 1
               FROM memory_items AS m
               WHERE m.tenant = s.tenant AND m.scope_no = s.no AND m.status = 'active'
                 AND m.clearance < %(pattern_set)s)
       OR EXISTS (SELECT 1
                  FROM memory_items AS m
                  WHERE m.tenant = s.tenant AND m.scope_no = s.no AND m.status = 'active'
                    AND m.clearance > %(pattern_set)s))
ORDER BY s.no
LIMIT %(limit)s;

-- name: miscounted
-- Memories that count other outcomes or open flags than they have.
SELECT count(*)
FROM memory_items AS m
WHERE m.tenant = learnt_tenant()
  AND (flags <> (SELECT count(*)
                 FROM memory_flags AS f
                 WHERE f.tenant = m.tenant AND f.memory_id = m.id AND f.cleared_at = '')
       OR (useful, against) <> (SELECT count(*) FILTER (WHERE result = 'useful'),
                                       count(*) FILTER (WHERE result <> 'useful')
                                FROM memory_outcomes AS o
                                WHERE o.tenant = m.tenant AND o.memory_id = m.id AND o.generation = m.created_at));

-- name: count_again
-- Of those that count others.
UPDATE memory_items AS m
SET flags = (SELECT count(*)
             FROM memory_flags AS f
             WHERE f.tenant = m.tenant AND f.memory_id = m.id AND f.cleared_at = ''),
    (useful, against) = (SELECT count(*) FILTER (WHERE result = 'useful'), count(*) FILTER (WHERE result <> 'useful')
                         FROM memory_outcomes AS o
                         WHERE o.tenant = m.tenant AND o.memory_id = m.id AND o.generation = m.created_at)
WHERE m.tenant = learnt_tenant()
  AND (flags <> (SELECT count(*)
                 FROM memory_flags AS f
                 WHERE f.tenant = m.tenant AND f.memory_id = m.id AND f.cleared_at = '')
       OR (useful, against) <> (SELECT count(*) FILTER (WHERE result = 'useful'),
                                       count(*) FILTER (WHERE result <> 'useful')
                                FROM memory_outcomes AS o
                                WHERE o.tenant = m.tenant AND o.memory_id = m.id AND o.generation = m.created_at));
