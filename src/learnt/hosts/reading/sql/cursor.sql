-- name: value
-- One entry of the client's own key-value table, as bytes.
SELECT rowid, CAST(value AS BLOB) FROM cursorDiskKV WHERE key = ?

-- name: composers
-- Every conversation that has messages, with what tells drafts and sub-agents from the others.
SELECT
    substr(key, length('composerData:') + 1),
    coalesce(json_extract(value, '$.subagentInfo.parentComposerId'), ''),
    coalesce(json_extract(value, '$.subagentComposerIds'), '[]'),
    coalesce(json_extract(value, '$.lastUpdatedAt'), json_extract(value, '$.createdAt'), 0)
FROM (
    SELECT key, CASE WHEN json_valid(CAST(value AS TEXT)) THEN CAST(value AS TEXT) ELSE '{}' END AS value
    FROM cursorDiskKV
    WHERE key >= 'composerData:' AND key < 'composerData;'
)
WHERE
    coalesce(json_array_length(value, '$.fullConversationHeadersOnly'), 0)
    + coalesce(json_array_length(value, '$.conversation'), 0) > 0

-- name: extent
-- The latest row of a conversation (a row that is written again gets a new number) and how many bytes it has.
SELECT coalesce(max(rowid), 0), coalesce(sum(length(value)), 0)
FROM cursorDiskKV
WHERE (key >= 'bubbleId:' || :session || ':' AND key < 'bubbleId:' || :session || ';')
    OR key = 'composerData:' || :session

-- name: head
-- What newer releases say of a conversation in a table of its own.
SELECT value, isSubagent FROM composerHeaders WHERE composerId = ?

-- name: item
-- One entry of the editor's own settings, as bytes.
SELECT CAST(value AS BLOB) FROM ItemTable WHERE key = ?
