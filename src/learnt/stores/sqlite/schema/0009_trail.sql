-- 0009 trail: marks of events, checkpoints of the event chain, and how far it was cut.

-- mac: the name of the key and the mark that was made with it (learnt.model.seal); null for an event written without.
-- erased: the event's hash, where target, reason and detail were taken out of it.
ALTER TABLE memory_events ADD COLUMN mac TEXT;
ALTER TABLE memory_events ADD COLUMN erased TEXT;

-- What installations signed of the trail. An epoch is one key, which signs once. `size` and `cut` count events from the
-- first ever on, as `seq` does: up to `cut` they are gone, and `cut_peaks` is what is left of them in the tree.
CREATE TABLE audit_checkpoints (
    installation TEXT NOT NULL,
    epoch        INTEGER NOT NULL,
    size         INTEGER NOT NULL,
    cut          INTEGER NOT NULL DEFAULT 0,
    at           TEXT NOT NULL,
    statement    TEXT NOT NULL,              -- what was signed: compact JSON
    signature    TEXT NOT NULL,              -- LM-OTS, hex
    peaks        TEXT NOT NULL,              -- roots of the whole subtrees over `size` events, hex, with blanks between
    cut_peaks    TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (installation, epoch)
) WITHOUT ROWID;

-- Roots of whole subtrees of 256 events and more, so that a proof of one event need not hash them all. Derived.
CREATE TABLE audit_nodes (
    level  INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash   TEXT NOT NULL,
    PRIMARY KEY (level, number)
) WITHOUT ROWID;

PRAGMA user_version = 9;
