-- 0009 trail: marks of events, checkpoints of the event chain, and how far it was cut.

-- mac: the name of the key and the mark that was made with it (learnt.model.seal); null for an event written without.
-- erased: the event's hash, where target, reason and detail were taken out of it.
ALTER TABLE memory_events ADD COLUMN mac text COLLATE "C", ADD COLUMN erased text COLLATE "C";

-- The mark over place and hash of the last event; the next one overwrites it.
ALTER TABLE memory_chain ADD COLUMN seal text COLLATE "C";

-- What installations signed of the trail. An epoch is one key, which signs once. `size` and `cut` count events from the
-- first ever on, as `seq` does: up to `cut` they are gone, and `cut_peaks` is what is left of them in the tree.
CREATE TABLE audit_checkpoints (
    tenant       text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    installation text COLLATE "C" NOT NULL,
    epoch        bigint NOT NULL,
    size         bigint NOT NULL,
    cut          bigint NOT NULL DEFAULT 0,
    at           text COLLATE "C" NOT NULL,
    statement    text COLLATE "C" NOT NULL,            -- what was signed: compact JSON
    signature    text COLLATE "C" NOT NULL,            -- LM-OTS, hex
    peaks        text COLLATE "C" NOT NULL,            -- roots of the whole subtrees over `size` events, hex
    cut_peaks    text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, installation, epoch)
);

-- Roots of whole subtrees of 256 events and more, so that a proof of one event need not hash them all. Derived.
CREATE TABLE audit_nodes (
    tenant text COLLATE "C" NOT NULL DEFAULT learnt_tenant(),
    level  integer NOT NULL,
    number bigint NOT NULL,
    hash   text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, level, number)
);
