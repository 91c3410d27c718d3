-- name: session
-- A session's own row; its columns differ from release to release.
SELECT * FROM session WHERE id = ?

-- name: sessions
-- The sessions a person began, the latest changed first.
SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC, id

-- name: children
-- The sub-agents' sessions of one session, in the order in which they began.
SELECT id FROM session WHERE parent_id = ? ORDER BY time_created, id

-- name: known
-- Every session, a sub-agent's or not.
SELECT id FROM session

-- name: extent
-- When anything of a session was last written, and how many records it has.
SELECT
    max(
        coalesce((SELECT max(time_updated) FROM message WHERE session_id = :session), 0),
        coalesce((SELECT max(time_updated) FROM part WHERE session_id = :session), 0),
        coalesce((SELECT time_updated FROM session WHERE id = :session), 0)
    ),
    (SELECT count(*) FROM message WHERE session_id = :session)
    + (SELECT count(*) FROM part WHERE session_id = :session)

-- name: size
-- How many bytes the records of a session have.
SELECT
    coalesce((SELECT sum(length(CAST(data AS BLOB))) FROM message WHERE session_id = :session), 0)
    + coalesce((SELECT sum(length(CAST(data AS BLOB))) FROM part WHERE session_id = :session), 0)

-- name: messages
-- The messages of a session in the order of the conversation.
SELECT rowid, id FROM message WHERE session_id = ? ORDER BY time_created, id

-- name: message
-- What one message says of itself; as bytes, so that a giant one is not turned into text before it is cut.
SELECT CAST(data AS BLOB) FROM message WHERE rowid = ?

-- name: parts
-- The parts of one message in the order in which they were made; without what they say, for that would be sorted, too.
SELECT rowid, id FROM part WHERE message_id = ? ORDER BY id

-- name: part
-- What one part says, as bytes.
SELECT CAST(data AS BLOB) FROM part WHERE rowid = ?
