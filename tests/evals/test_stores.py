"""Evaluation over every store: the same figures, whatever keeps the memories."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from learnt.evals import fresh, golden, matrix
from learnt.evals.fence import SHIPPED
from learnt.evals.golden import ASKED_AT
from learnt.stores.postgres.store import PostgresStore
from tests.stores.roles import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.ports.store import Store
    from tests.server import Server


def test_postgres_evaluates_like_the_others(server: Server) -> None:
    """Every fixture that ships, in every mode: hits, scores and metrics of PostgreSQL are those of SQLite."""

    @contextmanager
    def postgres() -> Iterator[Store]:
        with server.database(prepare) as url:
            store = PostgresStore.open(url, now=lambda: ASKED_AT)
            yield store
            store.close()

    fixtures = golden.load(SHIPPED / "fixtures", str(SHIPPED))
    found = matrix.report(fixtures, "fixtures", "now", stores={**fresh.HERE, "postgres": postgres})
    assert found["providers"] == ["local-jsonl", "sqlite", "postgres"]
    by_store: dict[str, list[Any]] = {}
    for run in found["runs"]:
        by_store.setdefault(run.pop("provider"), []).append(run)
    assert by_store["postgres"] == by_store["sqlite"] == by_store["local-jsonl"]
