-- The full-text stage. Every reader holds the scope predicate.

-- name: scopes
-- What ranking needs of each scope in sight; stored terms have no prefix here. Then the last change of its memories, and
-- when the first of them ends.
SELECT no, key, type, active, terms, next_seq, blocks, version, '',
       (SELECT max(change) FROM changes WHERE tenant = learnt_tenant() AND scope_no = s.no),
       (SELECT min(expires_at)
        FROM memory_items
        WHERE tenant = learnt_tenant() AND scope_no = s.no AND status = 'active' AND expires_at IS NOT NULL)
FROM scopes AS s
WHERE tenant = learnt_tenant() AND no = ANY(%(scopes)s::bigint[])
ORDER BY no;

-- name: whole
-- Every active memory of a small scope set, in the columns of a candidate.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = 'active'
ORDER BY id;

-- name: newest
-- What manual recall ranks when the full-text stage found nothing. Source: swarm-memory seed, limit 1,000.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = 'active'
  AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY(%(kinds)s::text[]))
  AND (%(now)s = '' OR expires_at IS NULL OR expires_at > %(now)s)
ORDER BY updated_at DESC, id
LIMIT 1000;

-- name: retired
-- What a successor is also found by: the words of the memories it replaced.
SELECT row, id, scope_no, kind, 'active', trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND status = 'superseded'
ORDER BY updated_at DESC, id
LIMIT %(limit)s;

-- name: candidates
-- What scoring needs of the memories narrowed to.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE tenant = learnt_tenant() AND row = ANY(%(rows)s::bigint[]) AND status = 'active';

-- name: named
-- The same for memories that something else than words found.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, signals
FROM memory_items
WHERE tenant = learnt_tenant() AND id = ANY(%(ids)s::text[]) AND status = 'active'
  AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: named_bare
-- The same without token sets.
SELECT row, id, scope_no, kind, status, trust, confidence, q_value, updated_at, valid_from, expires_at, run, ''
FROM memory_items
WHERE tenant = learnt_tenant() AND id = ANY(%(ids)s::text[]) AND status = 'active'
  AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: block_postings
-- The memories that hold one of these terms and how often, for each full block.
SELECT term, block, docs, repeats
FROM lexicon_blocks
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND block < %(blocks)s
  AND term_no = ANY(ARRAY(SELECT hashtextextended(term, 0) FROM unnest(%(terms)s::text[]) AS term))
  AND term = ANY(%(terms)s::text[]);

-- name: lengths
-- Counts of terms of whole blocks.
SELECT block, lengths
FROM lexicon_lengths
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND block < %(blocks)s
ORDER BY block;

-- name: tail_terms
-- All memories of a stretch, such as after the last full block.
SELECT row, terms
FROM memory_items
WHERE tenant = learnt_tenant() AND row >= %(first)s AND row < %(end)s AND terms <> ''
ORDER BY row;

-- name: terms
-- The terms of some memories.
SELECT row, terms, id
FROM memory_items
WHERE tenant = learnt_tenant() AND row = ANY(%(rows)s::bigint[]) AND status = 'active';

-- name: expired
-- Rows of active memories of a scope that no longer hold.
SELECT row
FROM memory_items
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND status = 'active' AND expires_at <= %(now)s;

-- name: anchored
-- What is tied to some anchors in sight.
SELECT held.target_id
FROM unnest(%(types)s::text[], %(keys)s::text[]) WITH ORDINALITY AS wanted (type, key, nth)
JOIN anchors AS held
  ON held.key_no = hashtextextended(wanted.key, 0) AND held.type = wanted.type AND held.key = wanted.key
WHERE held.tenant = learnt_tenant() AND held.scope_no = ANY(%(scopes)s::bigint[])
ORDER BY wanted.nth, held.target_id;

-- name: closed
-- So many blocks of a scope are full.
UPDATE scopes SET blocks = %(blocks)s WHERE tenant = learnt_tenant() AND no = %(scope)s;

-- name: postings
-- Who of a block holds some terms.
SELECT term, docs, repeats
FROM lexicon_blocks
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND block = %(block)s
  AND term_no = ANY(ARRAY(SELECT hashtextextended(term, 0) FROM unnest(%(terms)s::text[]) AS term))
  AND term = ANY(%(terms)s::text[]);

-- name: put_postings
-- The same, made or replaced.
INSERT INTO lexicon_blocks (scope_no, term, block, docs, repeats)
SELECT %(scope)s, term, %(block)s, docs, repeats
FROM unnest(%(terms)s::text[], %(docs)s::bytea[], %(repeats)s::bytea[]) AS given (term, docs, repeats)
ON CONFLICT (tenant, scope_no, term_no, block) DO UPDATE SET docs = excluded.docs, repeats = excluded.repeats;

-- name: drop_postings
-- Nobody of the block holds these terms any more.
DELETE FROM lexicon_blocks
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND block = %(block)s
  AND term_no = ANY(ARRAY(SELECT hashtextextended(term, 0) FROM unnest(%(terms)s::text[]) AS term))
  AND term = ANY(%(terms)s::text[]);

-- name: put_lengths
-- Counts of terms of one block, made or replaced.
INSERT INTO lexicon_lengths (scope_no, block, lengths) VALUES (%(scope)s, %(block)s, %(lengths)s)
ON CONFLICT (tenant, scope_no, block) DO UPDATE SET lengths = excluded.lengths;

-- name: relength
-- The count of one memory of it.
UPDATE lexicon_lengths
SET lengths = overlay(lengths PLACING %(length)s::bytea FROM %(at)s::int)
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND block = %(block)s;
