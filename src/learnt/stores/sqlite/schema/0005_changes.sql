-- 0005 changes: which memories and observations of a scope changed, in order, for whoever keeps a copy of them.

-- Only ids: what was forgotten leaves nothing else here. A row is never changed; what changes again stands here again.
CREATE TABLE changes (
    scope_no  INTEGER NOT NULL,
    change    INTEGER NOT NULL,   -- from 1 within the scope, without a gap
    target_id TEXT NOT NULL,
    PRIMARY KEY (scope_no, change)
) WITHOUT ROWID;

-- Whoever changes these, the change is told: nobody who forgets a memory can forget to say so. Only once somebody has
-- asked (a row of scope 0): a page more in every commit costs a writer 4 %, and of a local file nobody keeps a copy.
CREATE TRIGGER memory_items_told_new
AFTER INSERT ON memory_items
WHEN EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT NEW.scope_no, 1 + coalesce(max(change), 0), NEW.id FROM changes WHERE scope_no = NEW.scope_no;
END;
CREATE TRIGGER memory_items_told
AFTER UPDATE ON memory_items
WHEN EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT NEW.scope_no, 1 + coalesce(max(change), 0), NEW.id FROM changes WHERE scope_no = NEW.scope_no;
END;
CREATE TRIGGER memory_items_told_gone
AFTER DELETE ON memory_items
WHEN EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT OLD.scope_no, 1 + coalesce(max(change), 0), OLD.id FROM changes WHERE scope_no = OLD.scope_no;
END;
CREATE TRIGGER memory_proposals_told_new
AFTER INSERT ON memory_proposals
WHEN NEW.observation AND EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT NEW.scope_no, 1 + coalesce(max(change), 0), NEW.id FROM changes WHERE scope_no = NEW.scope_no;
END;
CREATE TRIGGER memory_proposals_told
AFTER UPDATE ON memory_proposals
WHEN (NEW.observation OR OLD.observation) AND EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT NEW.scope_no, 1 + coalesce(max(change), 0), NEW.id FROM changes WHERE scope_no = NEW.scope_no;
END;
CREATE TRIGGER memory_proposals_told_gone
AFTER DELETE ON memory_proposals
WHEN OLD.observation AND EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT OLD.scope_no, 1 + coalesce(max(change), 0), OLD.id FROM changes WHERE scope_no = OLD.scope_no;
END;

PRAGMA user_version = 5;
