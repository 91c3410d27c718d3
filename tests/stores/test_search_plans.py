"""On a server, what a question asks for is found by an index, as a role that row-level security binds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from learnt.model.wording import WORDS_FORM
from learnt.stores.postgres.blocks import SQL as LEXICON
from learnt.stores.postgres.sheets import SQL as EVIDENCE
from learnt.stores.postgres.store import PostgresStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.roles import PLAIN, as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server import Server

SCOPES, EACH = 20, 200
VALUES: dict[str, Any] = {
    "scopes": [1, 2],
    "scope": 1,
    "kinds": [],
    "now": NOON,
    "limit": 20,
    "rows": [(1 << 32) + 5, (1 << 32) + 6],
    "ids": ["mem_0000000000000001", "mem_0000000000000002"],
    "terms": ["words", "uv"],
    "blocks": 3,
    "block": 1,
    "first": (1 << 32) + 100,
    "end": (1 << 32) + 150,
    "types": ["command"],
    "keys": ["=npm test"],
    "form": WORDS_FORM,
    "sheets": [0, 1],
    "seq": 100,
    "last": 120,
    "seqs": [3, 4],
    "names": ["evd_0000000000000001", "session:s-1#5"],
    "session": "s-1",
    "skip": 10,
}
HOT = {
    **{
        ("lexicon", name): LEXICON[name] for name in ("whole", "newest", "retired", "candidates", "named", "tail_terms")
    },
    **{("lexicon", name): LEXICON[name] for name in ("scopes", "terms", "expired", "anchored", "block_postings")},
    **{("evidence", name): EVIDENCE[name] for name in ("areas", "postings", "after", "between", "numbered", "ids")},
    **{("evidence", name): EVIDENCE[name] for name in ("by_id", "by_name", "documents", "sheets")},
}


@pytest.fixture(scope="module")
def store(server: Server) -> Iterator[PostgresStore]:
    """A few thousand memories and units, so that it matters how they are found."""
    with server.database(prepare) as url:
        store = PostgresStore.open(as_role(url, PLAIN), now=FixedClock())
        for number in range(SCOPES):
            scope = samples.repository(f"planned-{number}")
            with store.transaction():
                for n in range(EACH):
                    store.memories.put(samples.memory(scope, f"words of number {n}"))
                store.archive.put_units(samples.unit(scope, n, text=f"words of {n}") for n in range(EACH))
        with psycopg.connect(url, autocommit=True) as root:
            root.execute("ANALYZE")
        yield store
        store.close()


@pytest.mark.parametrize("statement", HOT)
def test_no_question_goes_through_a_table(store: PostgresStore, statement: tuple[str, str]) -> None:
    """But for the few scopes, and sheets where there are none."""
    rows = store.connection.rows(f"EXPLAIN {HOT[statement]}", VALUES)
    plan = "\n".join(str(row[0]) for row in rows)
    gone_through = set(re.findall(r"Seq Scan on (\w+)", plan))
    assert gone_through <= {"scopes", "lexicon_blocks", "evidence_sheets", "evidence_postings", "anchors"}, plan
    assert "Index" in plan or gone_through, plan
