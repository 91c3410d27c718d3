-- Full text of evidence: sheets of 1,024 units, their postings, and the units after the last sheet.

-- name: areas
-- The scopes in sight: what has changed since is seen by version, last unit and last sheet.
SELECT s.no, s.key, s.evidence_version,
       coalesce((SELECT max(seq) FROM evidence_units WHERE scope_no = s.no), 0),
       coalesce((SELECT max(last_seq) FROM evidence_sheets WHERE scope_no = s.no AND form = :form), 0)
FROM scopes AS s
WHERE s.no IN (SELECT value FROM json_each(:scopes))
ORDER BY s.no;

-- name: sheets
-- The sheets of a scope in order.
SELECT sheet, numbers, names FROM evidence_sheets WHERE scope_no = :scope AND form = :form ORDER BY first_seq;

-- name: postings
-- Who of each sheet holds one of these terms; the join order makes every step one key look-up.
SELECT held.term, held.sheet, held.places, held.repeats, held.heads
FROM json_each(:sheets) AS nth
CROSS JOIN json_each(:terms) AS wanted
CROSS JOIN evidence_postings AS held
WHERE held.scope_no = :scope AND held.sheet = nth.value AND held.term = wanted.value;

-- name: after
-- Units after a place, in order.
SELECT seq, session_id, who, type, at, detail, text
FROM evidence_units INDEXED BY evidence_units_scope
WHERE scope_no = :scope AND seq > :seq
ORDER BY seq
LIMIT :limit;

-- name: count_after
-- How many there are.
SELECT count(*) FROM evidence_units INDEXED BY evidence_units_scope WHERE scope_no = :scope AND seq > :seq;

-- name: between
-- Units of a stretch, in order.
SELECT seq, session_id, who, type, at, detail, text
FROM evidence_units INDEXED BY evidence_units_scope
WHERE scope_no = :scope AND seq BETWEEN :first AND :last
ORDER BY seq;

-- name: numbered
-- Whole units by their places.
SELECT e.seq, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.seq IN (SELECT value FROM json_each(:seqs)) AND e.scope_no IN (SELECT value FROM json_each(:scopes));

-- name: ids
-- Ids of units by their places.
SELECT seq, id
FROM evidence_units
WHERE seq IN (SELECT value FROM json_each(:seqs)) AND scope_no IN (SELECT value FROM json_each(:scopes));

-- name: by_id
-- Places of units with these ids.
SELECT e.scope_no, e.seq
FROM json_each(:names) AS wanted
CROSS JOIN evidence_units AS e INDEXED BY evidence_units_id ON e.id = wanted.value
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes));

-- name: by_name
-- Whole units by id or reference, in the order asked for.
SELECT wanted.key, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length,
       e.record, e.detail, e.clearance, e.crc, e.text
FROM json_each(:names) AS wanted
CROSS JOIN evidence_units AS e ON e.id = wanted.value
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes))
UNION ALL
SELECT wanted.key, s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length,
       e.record, e.detail, e.clearance, e.crc, e.text
FROM json_each(:names) AS wanted
CROSS JOIN json_each(:scopes) AS within
CROSS JOIN evidence_units AS e ON e.scope_no = within.value AND e.ref = wanted.value
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes));

-- name: documents
-- Evidence documents, newest first.
SELECT s.key, e.id, e.ref, e.session_id, e.type, e.who, e.at, e.cited, e.path, e.offset, e.length, e.record,
       e.detail, e.clearance, e.crc, e.text
FROM evidence_units AS e INDEXED BY evidence_units_documents
JOIN scopes AS s ON s.no = e.scope_no
WHERE e.scope_no IN (SELECT value FROM json_each(:scopes)) AND e.type = 'document'
ORDER BY e.at DESC, e.id
LIMIT :limit;

-- name: document_count
-- How many documents there are.
SELECT count(*)
FROM evidence_units INDEXED BY evidence_units_documents
WHERE scope_no IN (SELECT value FROM json_each(:scopes)) AND type = 'document';

-- name: document_sizes
-- Size and age of the documents of one scope, newest first.
SELECT seq, length(CAST(text AS BLOB)), cited
FROM evidence_units INDEXED BY evidence_units_documents
WHERE scope_no = :scope AND type = 'document'
ORDER BY at DESC, seq DESC;

-- name: last_number
-- The highest number in a reference of one session.
SELECT max(CAST(substr(ref, :skip) AS INTEGER))
FROM evidence_units INDEXED BY evidence_units_session
WHERE session_id = :session AND scope_no = :scope;

-- name: remove
-- Units by their places.
DELETE FROM evidence_units WHERE scope_no = :scope AND seq IN (SELECT value FROM json_each(:seqs));

-- name: changed
-- What others remember of this scope's units no longer holds.
UPDATE scopes SET evidence_version = evidence_version + 1 WHERE no = ?;

-- name: last_sheet
-- The number and the last unit of the scope's last sheet.
SELECT coalesce(max(sheet), -1), coalesce(max(last_seq), 0)
FROM evidence_sheets
WHERE scope_no = :scope AND form = :form;

-- name: stretches
-- The sheets of a scope, by what they reach over.
SELECT sheet, first_seq, last_seq FROM evidence_sheets WHERE scope_no = ? ORDER BY first_seq;

-- name: stale_sheets
-- Sheets made by other rules.
SELECT sheet FROM evidence_sheets WHERE scope_no = :scope AND form <> :form;

-- name: put_sheet
-- One sheet.
INSERT INTO evidence_sheets (scope_no, sheet, form, first_seq, last_seq, units, numbers, names)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_posting
-- Who of a sheet holds one term.
INSERT INTO evidence_postings (scope_no, sheet, term, places, repeats, heads) VALUES (?, ?, ?, ?, ?, ?);

-- name: drop_sheet
-- A sheet that is no longer right.
DELETE FROM evidence_sheets WHERE scope_no = ? AND sheet = ?;

-- name: drop_postings
-- With all its terms.
DELETE FROM evidence_postings WHERE scope_no = ? AND sheet = ?;
