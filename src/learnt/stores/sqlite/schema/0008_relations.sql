-- 0008 relations: which memories an applied merge tied together.

-- Derived: the store writes these rows itself when it keeps an applied merge, and takes them back with it; nobody gives
-- them. Both directions are there. Memories of a merge and its proposal are of one scope.
CREATE TABLE memory_relations (
    scope_no    INTEGER NOT NULL REFERENCES scopes (no),
    memory_id   TEXT NOT NULL,
    other_id    TEXT NOT NULL,
    proposal_id TEXT NOT NULL,
    PRIMARY KEY (scope_no, memory_id, other_id, proposal_id)
) WITHOUT ROWID;
CREATE INDEX memory_relations_proposal ON memory_relations (proposal_id);

-- A copy for hooks holds the ties of its memories: like a change of the memory itself.
CREATE TRIGGER memory_relations_told_new
AFTER INSERT ON memory_relations
WHEN EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT NEW.scope_no, 1 + coalesce(max(change), 0), NEW.memory_id FROM changes WHERE scope_no = NEW.scope_no;
END;
CREATE TRIGGER memory_relations_told_gone
AFTER DELETE ON memory_relations
WHEN EXISTS (SELECT 1 FROM changes WHERE scope_no = 0 AND change = 0)
BEGIN
    INSERT INTO changes (scope_no, change, target_id)
    SELECT OLD.scope_no, 1 + coalesce(max(change), 0), OLD.memory_id FROM changes WHERE scope_no = OLD.scope_no;
END;

-- Who asks for the same as somebody before is found by the beginning of the text; a whole one would double it.
CREATE INDEX memory_proposals_said ON memory_proposals (scope_no, substr(text, 1, 64));

PRAGMA user_version = 8;
