"""Hot statements find their rows by an index, whatever the store holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from learnt.stores.sqlite.statements import load, parsed
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLES = (
    "memories",
    "proposals",
    "events",
    "usage",
    "archive",
    "evidence",
    "recipes",
    "outcomes",
    "claims",
    "meta",
    "scopes",
    "vectors",
    "queue",
    "threads",
)
HOT = {
    "memories.get": "sqlite_autoindex_memory_items_1 (id=?)",
    "memories.many": "sqlite_autoindex_memory_items_1 (id=?)",
    "memories.page": "COVERING INDEX memory_items_listing (scope_no=? AND status=?)",
    "memories.total": "COVERING INDEX memory_items_listing (scope_no=? AND status=?)",
    "memories.page_narrowed": "memory_items_listing (scope_no=? AND status=?)",
    "memories.stale": "INDEX memory_items_clearance (scope_no=? AND clearance>?)",
    "memories.count": "COVERING INDEX memory_items_listing",
    "memories.held": "sqlite_autoindex_memory_items_1 (id=?)",
    "memories.untie": "anchors_target (target_id=?)",
    "proposals.by_value": "memory_proposals_queue (scope_no=? AND status=?)",
    "proposals.saying": "memory_proposals_said (scope_no=? AND <expr>=?)",
    "proposals.related": "memory_relations USING PRIMARY KEY (scope_no=? AND memory_id=?)",
    "proposals.untie": "memory_relations_proposal (proposal_id=?)",
    "proposals.scope_of": "sqlite_autoindex_memory_proposals_1 (id=?)",
    "events.end": "_meta USING PRIMARY KEY (key=?)",
    "events.get": "sqlite_autoindex_memory_events_1 (id=?)",
    "events.about": "memory_events_target (target_id=?)",
    "events.stretch": "memory_events USING INTEGER PRIMARY KEY",
    "usage.recalls": "usage_memories USING PRIMARY KEY (memory_id=?)",
    "usage.shown": "usage_memories_context (context=?)",
    "usage.find": "memory_recall_usage_bundle (bundle_id=?)",
    "usage.reward": "memory_recall_usage_bundle (bundle_id=?)",
    "usage.learn": "sqlite_autoindex_memory_items_1 (id=?)",
    "usage.valued": "memory_items_learned (scope_no=? AND q_value>?)",
    "usage.unrecalled": "COVERING INDEX memory_items_listing (scope_no=? AND status=?)",
    "archive.doomed": "evidence_units_age (at<?)",
    "archive.sessions": "sessions_listing (scope_no=?)",
    "claims.sharing": "claims USING PRIMARY KEY (scope_no=? AND key=?)",
    "claims.unclaim": "claims_row (row=?)",
    "claims.past": "memory_past USING PRIMARY KEY (id=?)",
    "claims.then": "memory_past_until (scope_no=? AND until>?)",
    "outcomes.get": "sqlite_autoindex_memory_outcomes_1 (scope_no=? AND id=?)",
    "outcomes.of": "memory_outcomes_memory (memory_id=?)",
    "outcomes.told": "COVERING INDEX memory_items_listing (scope_no=? AND status=?)",
    "outcomes.open": "memory_flags USING PRIMARY KEY (memory_id=?)",
    "outcomes.past": "memory_flags USING PRIMARY KEY (memory_id=?)",
    "outcomes.clear": "memory_flags USING PRIMARY KEY (memory_id=?)",
    "outcomes.unflag": "memory_flags USING PRIMARY KEY (memory_id=?",
    "outcomes.flagged": "COVERING INDEX memory_flags_open (scope_no=?)",
    "outcomes.count": "COVERING INDEX memory_flags_open (scope_no=?)",
    "recipes.find": "recipes USING PRIMARY KEY (scope_no=? AND key=?)",
    "vectors.changes": "INDEX vector_codes_change (generation=? AND scope_no=? AND change>? AND change<?)",
    "vectors.later": "COVERING INDEX vector_codes_change (generation=? AND scope_no=?)",
    "vectors.last_change": "COVERING INDEX vector_codes_change (generation=? AND scope_no=?)",
    "vectors.embedded": "COVERING INDEX vector_codes_change (generation=?)",
    "vectors.vectors": "vectors USING INTEGER PRIMARY KEY",
    "vectors.ids_memory": "memory_items USING INTEGER PRIMARY KEY",
    "vectors.of_session": "evidence_units_session (session_id=? AND scope_no=?)",
    "vectors.of_speaker": "evidence_units_scope (scope_no=?)",
    "vectors.ids_evidence": "evidence_units USING INTEGER PRIMARY KEY",
    "vectors.owner_memory": "sqlite_autoindex_memory_items_1 (id=?)",
    "vectors.owner_evidence": "evidence_units_id (id=?)",
    "vectors.drop_codes": "PRIMARY KEY (generation=? AND scope_no=? AND row=? AND part>?)",
    "queue.of": "sqlite_autoindex_jobs_2 (kind=? AND job_key=?)",
    "queue.held": "jobs USING PRIMARY KEY (id=?)",
    "queue.due": "jobs_due (status=? AND due_at<?)",
    "queue.lapsed": "jobs_leased (status=? AND lease_until<?)",
    "queue.ahead": "jobs_listing (updated_at>?)",
    "queue.spent": "jobs_leased (status=? AND lease_until<?)",
    "queue.lost": "jobs_leased (status=? AND lease_until<?)",
    "queue.due_since": "jobs_due (status=? AND due_at<?)",
    "threads.get": "t USING PRIMARY KEY (id=?)",
    "threads.latest": "threads_listing (scope_no=?)",
    "threads.ranks": "extractions_scope (scope_no=?)",
    "threads.extractions": "extractions",
    "threads.summary": "summaries_current (scope_no=?)",
    "hook.owed": "threads_waiting (scope_no=? AND updated_at>? AND updated_at<?)",
    "hook.guidance": "summaries_current (scope_no=?)",
    "scopes.number": "sqlite_autoindex_scopes_1 (key=?)",
}
WHOLE = {
    "2",  # constant rows
    "scopes",
    "json_each",
    "nth",
    "wanted",
    "taken",
    "within",
    "held",
    "CONSTANT",
    "old",
    "vector_generations",
    "bare",
    "plain",
}
"""What may be gone through whole: the few scopes and generations, a bound JSON array, the tags of one memory, and the
few memories that need no vector."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store: the planner has no statistics, as in practice."""
    store = SqliteStore.open(tmp_path / "memory.db", now=FixedClock())
    yield store
    store.close()


def _plan(store: SqliteStore, sql: str) -> list[str]:
    names = re.findall(r"(?<![:\w]):(\w+)", sql)
    values = dict.fromkeys(names, "[1]") if names else ("[1]",) * sql.count("?")
    return [str(row[3]) for row in store.connection.rows("EXPLAIN QUERY PLAN " + sql, values)]


@pytest.mark.parametrize("name", HOT)
def test_a_hot_statement_uses_its_index(store: SqliteStore, name: str) -> None:
    """The plan names the index that makes the statement's cost independent of the table's size."""
    table, _, statement = name.partition(".")
    assert HOT[name] in " | ".join(_plan(store, load(table)[statement]))


@pytest.mark.parametrize("table", TABLES)
def test_no_statement_goes_through_a_table(store: SqliteStore, table: str) -> None:
    """Except the listing of receipts (newest first, until enough are found), an insert's children, the check-up, what
    has no vector yet, what held at a moment, what is made anew, and the listing and count of jobs.
    """
    whole = {
        "vectors.missing_memory",
        "vectors.missing_evidence",
        "vectors.needless_evidence",
        "vectors.swept",
        "vectors.swept_failures",
        "memories.page_then",
        "memories.total_then",
        "claims.disown",
        "claims.reconcile",
        "usage.page",
        "usage.put",
        "meta.unreadable",
        "meta.uncounted",
        "meta.unindexed",
        "queue.page",
        "queue.total",
        "queue.counts",
    }
    for name, sql in load(table).items():
        if f"{table}.{name}" in whole:
            continue
        scans = [step.split()[1] for step in _plan(store, sql) if step.startswith("SCAN")]
        assert set(scans) <= WHOLE, name


@pytest.mark.parametrize("table", TABLES)
def test_every_reader_holds_the_scope_predicate(table: str) -> None:
    """A statement that reads what belongs to a scope is bound to the scopes in sight."""
    owned = {"threads", "memories", "proposals", "usage", "archive", "recipes", "outcomes"}
    unscoped = {
        "memories.held",  # the writer's own row, compared with the scope it writes to
        "proposals.scope_of",
        "archive.doomed",  # retention, over the whole store
        "archive.seen",  # what passed in a lineage, as numbers
        "usage.recalls",  # a number
        "usage.shown",  # a context is a keyed hash only its own session knows
    }
    for name, sql in load(table).items():
        if table in owned and sql.startswith("SELECT") and f"{table}.{name}" not in unscoped:
            assert "IN (SELECT value FROM json_each(" in sql, name
            assert "scope_no" in sql, name


def test_a_name_stands_once() -> None:
    """Two statements of one name would hide one another."""
    with pytest.raises(ValueError, match="twice"):
        parsed("-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;")


def test_comments_are_left_out() -> None:
    """What is executed is the statement alone."""
    assert parsed("-- file\n\n-- name: a\n-- why\nSELECT\n  -- inside\n  1;\n") == {"a": "SELECT\n  1"}
