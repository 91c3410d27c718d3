-- Full text of evidence: sheets of 1,024 units, their postings, and the units after the last sheet.

-- name: areas
-- The scopes in sight: what has changed since is seen by version, last unit and last sheet.
SELECT s.no, s.key, s.evidence_version,
       coalesce((SELECT max(seq) FROM evidence_units WHERE tenant = learnt_tenant() AND scope_no = s.no), 0),
       coalesce((SELECT max(last_seq)
                 FROM evidence_sheets
                 WHERE tenant = learnt_tenant() AND scope_no = s.no AND form = %(form)s), 0)
FROM scopes AS s
WHERE s.tenant = learnt_tenant() AND s.no = ANY(%(scopes)s::bigint[])
ORDER BY s.no;

-- name: sheets
-- The sheets of a scope in order.
SELECT sheet, numbers, names
FROM evidence_sheets
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND form = %(form)s
ORDER BY first_seq;

-- name: postings
-- Who of each sheet holds one of these terms, in the order of the sheets.
SELECT held.term, held.sheet, held.places, held.repeats, held.heads
FROM unnest(%(sheets)s::bigint[]) WITH ORDINALITY AS wanted (sheet, nth)
JOIN evidence_postings AS held ON held.sheet = wanted.sheet
WHERE held.tenant = learnt_tenant() AND held.scope_no = %(scope)s
  AND held.term_no = ANY(ARRAY(SELECT hashtextextended(term, 0) FROM unnest(%(terms)s::text[]) AS term))
  AND held.term = ANY(%(terms)s::text[])
ORDER BY wanted.nth;

-- name: after
-- Units after a place, in order; -1: all of them.
SELECT seq, session_id, who, type, at, detail, text
FROM evidence_units
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND seq > %(seq)s
ORDER BY seq
LIMIT nullif(%(limit)s, -1);

-- name: count_after
-- How many there are.
SELECT count(*) FROM evidence_units WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND seq > %(seq)s;

-- name: between
-- Units of a stretch, in order.
SELECT seq, session_id, who, type, at, detail, text
FROM evidence_units
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND seq BETWEEN %(first)s AND %(last)s
ORDER BY seq;

-- name: numbered
-- Whole units by their places.
SELECT e.seq, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.seq = ANY(%(seqs)s::bigint[]) AND e.scope_no = ANY(%(scopes)s::bigint[]);

-- name: ids
-- Ids of units by their places.
SELECT seq, id
FROM evidence_units
WHERE tenant = learnt_tenant() AND seq = ANY(%(seqs)s::bigint[]) AND scope_no = ANY(%(scopes)s::bigint[]);

-- name: by_id
-- Places of units with these ids.
SELECT scope_no, seq
FROM evidence_units
WHERE tenant = learnt_tenant() AND id = ANY(%(names)s::text[]) AND scope_no = ANY(%(scopes)s::bigint[])
ORDER BY array_position(%(names)s::text[], id);

-- name: by_name
-- Whole units by id or reference, in the order asked for.
WITH wanted AS (
    SELECT name, nth, hashtextextended(name, 0) AS number
    FROM unnest(%(names)s::text[]) WITH ORDINALITY AS given (name, nth)
), places AS (
    SELECT wanted.nth, 0 AS way, e.seq
    FROM wanted
    JOIN evidence_units AS e ON e.tenant = learnt_tenant() AND e.id = wanted.name
    WHERE e.scope_no = ANY(%(scopes)s::bigint[])
    UNION ALL
    SELECT wanted.nth, 1, e.seq
    FROM wanted
    JOIN evidence_units AS e ON e.ref_no = wanted.number AND e.ref = wanted.name
    WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[])
)
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length, e.record, e.detail,
       e.clearance, e.crc, e.text
FROM places
JOIN evidence_units AS e ON e.tenant = learnt_tenant() AND e.seq = places.seq
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
ORDER BY places.nth, places.way, e.seq;

-- name: documents
-- Evidence documents, newest first.
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e."offset", e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.tenant = learnt_tenant() AND s.no = e.scope_no
WHERE e.tenant = learnt_tenant() AND e.scope_no = ANY(%(scopes)s::bigint[]) AND e.type = 'document'
ORDER BY e.at DESC, e.id
LIMIT nullif(%(limit)s, -1);

-- name: document_count
-- How many documents there are.
SELECT count(*)
FROM evidence_units
WHERE tenant = learnt_tenant() AND scope_no = ANY(%(scopes)s::bigint[]) AND type = 'document';

-- name: document_sizes
-- Size and age of the documents of one scope, newest first.
SELECT seq, octet_length(text), cited
FROM evidence_units
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND type = 'document'
ORDER BY at DESC, seq DESC;

-- name: last_number
-- The highest number in a reference of one session.
SELECT max(coalesce(substring(substr(ref, %(skip)s) FROM '^[0-9]{1,18}')::bigint, 0))
FROM evidence_units
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND session_id = %(session)s;

-- name: remove
-- Units by their places.
DELETE FROM evidence_units
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND seq = ANY(%(seqs)s::bigint[]);

-- name: changed
-- What others remember of this scope's units no longer holds.
UPDATE scopes SET evidence_version = evidence_version + 1 WHERE tenant = learnt_tenant() AND no = %s;

-- name: last_sheet
-- The number and the last unit of the scope's last sheet.
SELECT coalesce(max(sheet), -1), coalesce(max(last_seq), 0)
FROM evidence_sheets
WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND form = %(form)s;

-- name: stretches
-- The sheets of a scope, by what they reach over.
SELECT sheet, first_seq, last_seq
FROM evidence_sheets
WHERE tenant = learnt_tenant() AND scope_no = %s
ORDER BY first_seq;

-- name: drop_stale
-- Sheets made by other rules, with all their terms; gives their numbers.
WITH stale AS (
    DELETE FROM evidence_sheets
    WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND form <> %(form)s
    RETURNING sheet
), gone AS (
    DELETE FROM evidence_postings
    WHERE tenant = learnt_tenant() AND scope_no = %(scope)s AND sheet IN (SELECT sheet FROM stale)
)
SELECT sheet FROM stale;

-- name: put_sheet
-- One sheet.
INSERT INTO evidence_sheets (scope_no, sheet, form, first_seq, last_seq, units, numbers, names)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s);

-- name: put_postings
-- Who of a sheet holds some terms.
INSERT INTO evidence_postings (scope_no, sheet, term, places, repeats, heads)
SELECT %(scope)s, %(sheet)s, term, places, repeats, heads
FROM unnest(%(terms)s::text[], %(places)s::bytea[], %(repeats)s::bytea[], %(heads)s::bytea[])
     AS given (term, places, repeats, heads);

-- name: drop_sheet
-- A sheet that is no longer right.
DELETE FROM evidence_sheets WHERE tenant = learnt_tenant() AND scope_no = %s AND sheet = %s;

-- name: drop_postings
-- With all its terms.
DELETE FROM evidence_postings WHERE tenant = learnt_tenant() AND scope_no = %s AND sheet = %s;
