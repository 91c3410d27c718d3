-- The copy that hooks read where the store is elsewhere: what leaves it, how far it is, and the receipts it holds back.

-- name: secure
-- What leaves the copy is overwritten in the file.
PRAGMA secure_delete = ON;

-- name: settle
-- The words of what left stay in older segments of the index until these are merged: 1 ms for a thousand memories.
INSERT INTO memory_fts (memory_fts) VALUES ('optimize');

-- name: checkpoint
-- And in the log: its pages go back into the file, and it begins anew. A reader in the way only delays that.
PRAGMA wal_checkpoint(TRUNCATE);

-- name: facts
-- Rows about the copy itself.
SELECT key, value FROM _meta WHERE key >= 'copy.' AND key < 'copy/';

-- name: marks
-- How far each feed was taken over; it goes together with the memories. A mark set meanwhile is another one.
UPDATE _meta SET value = '0 ' || abs(random()) || ' ' WHERE key >= 'copy.at.' AND key < 'copy.at/';

-- name: words
-- The whole full-text index.
INSERT INTO memory_fts (memory_fts) VALUES ('delete-all');

-- name: postings
-- Its blocks.
DELETE FROM lexicon_blocks;

-- name: lengths
-- And their lengths.
DELETE FROM lexicon_lengths;

-- name: anchors
-- What actions are recognised by.
DELETE FROM anchors;

-- name: ties
-- What merges tied together.
DELETE FROM memory_relations;

-- name: untied
-- The ties of one memory.
DELETE FROM memory_relations WHERE memory_id = ?;

-- name: memories_gone
-- Every memory.
DELETE FROM memory_items;

-- name: proposals_gone
-- Every observation.
DELETE FROM memory_proposals;

-- name: summaries_gone
-- What sessions are told.
DELETE FROM summaries;

-- name: counters
-- A scope begins anew; its number stays.
UPDATE scopes SET next_seq = 1, active = 0, terms = 0, blocks = 0, version = version + 1;

-- name: counted
-- What the store counted of a memory: its flags and outcomes themselves are not copied.
UPDATE memory_items
SET flags = :flags, useful = :useful, against = :against
WHERE id = :id AND (flags, useful, against) <> (:flags, :useful, :against);

-- name: held_memories
-- Which of these are here.
SELECT id FROM memory_items WHERE id IN (SELECT value FROM json_each(?));

-- name: held_proposals
-- The same of observations.
SELECT id FROM memory_proposals WHERE id IN (SELECT value FROM json_each(?));

-- name: remove_memory
-- The row itself; what points to it left before.
DELETE FROM memory_items WHERE row = ?;

-- name: remove_proposal
-- The same of an observation.
DELETE FROM memory_proposals WHERE id = ?;

-- name: places
-- The places of this machine.
SELECT value, repository_id FROM aliases;

-- name: memories
-- How many the hooks choose from.
SELECT coalesce(sum(active), 0) FROM scopes;

-- name: observations
-- How many wait for a decision elsewhere.
SELECT count(*) FROM memory_proposals WHERE observation = 1;

-- name: waiting
-- Receipts the store has not yet.
SELECT seq, usage_json FROM memory_recall_usage
WHERE seq > :after AND json_valid(usage_json)
ORDER BY seq
LIMIT :limit;

-- name: queued
-- How many those are.
SELECT count(*) FROM memory_recall_usage WHERE seq > ?;

-- name: latest
-- The newest receipt; it always stays, because its number is what the next one's follows.
SELECT coalesce(max(seq), 0) FROM memory_recall_usage;

-- name: spent
-- The last receipt that may leave: sent, and older than a context lives or beyond the newest ones.
SELECT coalesce(max(seq), 0)
FROM memory_recall_usage
WHERE seq <= :sent AND (timestamp < :before OR seq <= :newest - :kept);

-- name: forget_memories
-- What was in them.
DELETE FROM usage_memories WHERE usage_seq <= :until;

-- name: forget_scopes
-- Where they were asked.
DELETE FROM usage_scopes WHERE usage_seq <= :until;

-- name: forget_receipts
-- And they themselves.
DELETE FROM memory_recall_usage WHERE seq <= :until;

-- name: forget_contexts
-- Sessions nobody takes up again.
DELETE FROM contexts WHERE at < ?;
