"""How a server finds things among 200,000 rows, for a role that row-level security holds for: by an index, always."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from learnt.stores.postgres import archive, events, memories, meta, outcomes, proposals, recipes, scopes, usage
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server import Server

ROWS = 200_000
_FILL = """
SET session_replication_role = replica;
SELECT set_config('learnt.tenant', 'main', false);
INSERT INTO scopes (key, type) SELECT 'scope-' || n, 'repository' FROM generate_series(1, 500) AS n;
INSERT INTO memory_items (row, id, scope_no, scope_key, kind, status, trust, confidence, created_at, updated_at,
                          valid_from, text, signals, terms, record_json)
SELECT ((1 + mod(n, 500))::bigint << 32) | n, 'mem-' || n, 1 + mod(n, 500), 'scope-' || (1 + mod(n, 500)), 'lesson',
       CASE WHEN mod(n, 10) = 0 THEN 'superseded' ELSE 'active' END, 'person', 1, 't' || n, 't' || n, 't' || n, 'text',
       '', '', '{}'
FROM generate_series(1, %(rows)s) AS n;
INSERT INTO memory_proposals (id, scope_no, scope_key, status, created_at, text, proposal_json)
SELECT 'prop-' || n, 1 + mod(n, 500), 'scope-' || (1 + mod(n, 500)), 'pending', 't' || n, 'text ' || n, '{}'
FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO memory_events (seq, id, operation, target_id, timestamp)
SELECT n, 'evt-' || n, 'upsert', 'mem-' || n, 't' FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO anchors (scope_no, type, key, target_id)
SELECT 1 + mod(n, 500), 'file', 'f-' || n, 'mem-' || n FROM generate_series(1, 20000) AS n;
INSERT INTO memory_recall_usage (seq, id, bundle_id, timestamp, run_id, moment, usage_json)
SELECT n, 'b-' || n, 'b-' || n, 't' || n, 'run-' || n, 'prompt', '{}' FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO usage_scopes (scope_no, usage_seq) SELECT 1 + mod(n, 500), n FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO usage_memories (memory_id, usage_seq, context, moment)
SELECT 'mem-' || n, n, 'context-' || n, 'prompt' FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO evidence_units (seq, id, scope_no, ref, session_id, type, who, at, cited, text)
SELECT n, 'evd-' || n, 1 + mod(n, 500), 'session:s#' || n, 's', 'prompt', 'person', 't' || n, mod(n, 2) = 0, 'text'
FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO sessions (id, scope_no, host, session_id, path, ended_at, session_json)
SELECT 's-' || n, 1 + mod(n, 500), 'h', 'host-' || n, '/p/' || n, 't' || n, '{}' FROM generate_series(1, 20000) AS n;
INSERT INTO memory_outcomes (scope_no, id, memory_id, generation, result, at, writer, task, correction, clearance,
                             spots, repository_id)
SELECT 1 + mod(n, 500), 'out-' || n, 'mem-' || n, 't' || n, 'useful', 't' || n, 'w', '', '', '', '', ''
FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO memory_flags (memory_id, writer, cleared_at, scope_no, at, reason, person, login)
SELECT 'mem-' || n, 'r-' || n, CASE WHEN mod(n, 2) = 0 THEN '' ELSE 't' END, 1 + mod(n, 500), 't' || n, 'r', true, ''
FROM generate_series(1, %(rows)s / 4) AS n;
INSERT INTO recipes (scope_no, key, session_id, commit_sha, command, ref, at)
SELECT 1 + mod(n, 500), 'key-' || n, 's', 'c', 'x', 'r', 't' FROM generate_series(1, 20000) AS n;
INSERT INTO aliases (value, repository_id) SELECT '/v/' || n, 'r' FROM generate_series(1, 20000) AS n;
"""
_ALL: dict[str, Any] = {
    "scopes": [7],
    "statuses": ["active"],
    "kinds": [],
    "tag": "",
    "flagged": False,
    "expired": False,
    "now": "t",
    "as_of": "",
    "at": "",
    "id": "mem-7",
    "limit": 50,
    "pattern_set": "set-1",
    "observations": False,
    "text": "text 7",
    "targets": ["mem-7"],
    "run": "run-7",
    "own": [1],
    "ref": "session:s#7",
    "refs": ["session:s#7"],
    "name": "host-7",
    "key": "key-7",
    "value": "/v/7",
}
_REWARD = {
    **dict.fromkeys(("last_reward", "q_value"), 0.5),
    **dict.fromkeys(("timestamp", "run_id", "unit_id", "context", "task_outcome", "reward_key", "usage_json"), "x"),
    "id": "b-7",
    "scopes": [8],
}
STATEMENTS: list[tuple[Any, str, Any]] = [
    (memories, "many", {"ids": ["mem-7", "mem-8"], "scopes": ["scope-8"]}),
    (memories, "page", _ALL),
    (memories, "total", _ALL),
    (memories, "total_narrowed", _ALL),
    (memories, "stale", _ALL),
    (memories, "count", [[7]]),
    (memories, "untie", ["mem-7"]),
    (proposals, "get", {"id": "prop-7", "scopes": ["scope-8"]}),
    (proposals, "saying", _ALL),
    (proposals, "by_value", _ALL),
    (proposals, "by_time", _ALL),
    (proposals, "count", [[7]]),
    (events, "get", ["evt-7"]),
    (events, "about", _ALL),
    (events, "end", None),
    (events, "stretch", [7, 9000]),
    (usage, "page", _ALL),
    (usage, "recalls", ["mem-7"]),
    (usage, "shown", ["context-7"]),
    (usage, "find", {**_ALL, "bundle": "b-7"}),
    (usage, "reward", _REWARD),
    (usage, "learn", {"ids": ["mem-7"], "q_values": [0.55], "scopes": [8]}),
    (usage, "valued", {**_ALL, "above": 0.85}),
    (usage, "unrecalled", _ALL),
    (archive, "unit", _ALL),
    (archive, "cite", _ALL),
    (archive, "session", _ALL),
    (archive, "sessions", _ALL),
    (outcomes, "get", {"id": "out-7", "scopes": [7]}),
    (outcomes, "of", {"ids": ["mem-7"], "scopes": [8]}),
    (outcomes, "told", _ALL),
    (outcomes, "size", _ALL),
    (outcomes, "open", {"ids": ["mem-7"], "scopes": [8]}),
    (outcomes, "past", {"memory_id": "mem-7", "scopes": [8], "limit": 20}),
    (outcomes, "clear", {"memory_id": "mem-7", "scopes": [8], "cleared_at": "t", "cleared_by": "b"}),
    (outcomes, "unflag", {"memory_id": "mem-7", "scopes": [8], "by": "r-7"}),
    (outcomes, "flagged", _ALL),
    (outcomes, "count", _ALL),
    (recipes, "find", _ALL),
    (meta, "alias", _ALL),
    (scopes, "numbers", [["scope-7"]]),
]


@pytest.fixture(scope="module")
def plain(server: Server) -> Iterator[psycopg.Connection[Any]]:
    """A connection of the plain role to a database with many rows."""
    with server.database(prepare) as url:
        with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
            owner.execute(_FILL.encode(), {"rows": ROWS})
            owner.execute(b"VACUUM ANALYZE")
        with psycopg.connect(as_role(url), autocommit=True, options="-c learnt.tenant=main") as connection:
            yield connection


@pytest.mark.parametrize(("module", "name", "values"), STATEMENTS, ids=lambda value: getattr(value, "__name__", None))
def test_no_table_is_read_whole(plain: psycopg.Connection[Any], module: Any, name: str, values: Any) -> None:
    """Also behind the second wall, where an operator that is not leakproof would keep an index from being used."""
    explained = plain.execute(f"EXPLAIN (FORMAT JSON) {module._SQL[name]}".encode(), values).fetchall()
    whole = set(re.findall(r'"Seq Scan".*?"Relation Name": "(\w+)"', json.dumps(explained)))
    assert whole <= {"memory_chain", "_meta"}  # one row a tenant; a few facts


def test_a_listing_reads_no_more_than_it_shows(plain: psycopg.Connection[Any]) -> None:
    """The first fifty of a scope and status come in the order of the index; nothing is sorted but those."""
    sql = f"EXPLAIN (ANALYZE, FORMAT JSON) {memories._SQL['page']}"
    (found,) = plain.execute(sql.encode(), _ALL).fetchall()[0]

    def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield plan
        for below in plan.get("Plans", ()):
            yield from nodes(below)

    scans = [node for node in nodes(found[0]["Plan"]) if node.get("Relation Name") == "memory_items"]
    assert [node["Actual Rows"] for node in scans] == [50]
