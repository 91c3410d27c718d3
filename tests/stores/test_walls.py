"""Two tenants in one database: each wall holds alone."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from learnt.audit.chain import verify
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.scope import Sight
from learnt.stores.postgres import archive, events, memories, meta, outcomes, proposals, recipes, scopes, usage
from learnt.stores.postgres.store import PostgresStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock
from tests.stores.roles import as_role, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server import Server

SCOPE = samples.repository("same")
SIGHT = Sight((SCOPE, samples.user("same")))
_PORTS = (archive, events, memories, meta, outcomes, proposals, recipes, scopes, usage)


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A store as the manual makes it, the URL a superuser's."""
    with server.database(prepare) as url:
        yield url


def _open(url: str) -> PostgresStore:
    return PostgresStore.open(url, now=FixedClock())


def _fill(store: PostgresStore, word: str) -> None:
    with store.transaction():
        memory = samples.memory(SCOPE, f"Known to {word}.")
        store.memories.put(memory)
        store.outcomes.add(SCOPE, samples.outcome(memory, result="corrected", correction=f"Corrected by {word}."))
        store.flags.put(SCOPE, samples.flag(memory, reason=f"Flagged by {word}."))
        store.proposals.put(samples.proposal(SCOPE, f"Asked by {word}."))
        store.events.append(samples.event(1, memory.id))
        store.usage.put(samples.bundle(SCOPE, memory.id, context=word))
        store.archive.put_units([samples.unit(SCOPE, 1, text=word)])
        store.archive.put_session(samples.session(SCOPE, f"session-{word}"))
        store.recipes.add(SCOPE, samples.recipe(word))
        store.meta.put("word", word)


def _seen(store: PostgresStore) -> list[str]:
    """Every text a reader of this repository gets from any port."""
    page = store.memories.page(SIGHT, MemoryFilter(statuses=()), NOON).values
    unit = store.archive.unit(SIGHT, samples.unit(SCOPE, 1).ref)
    ids = [each.id for each in page]
    return [
        *(each.correction for each in store.outcomes.of(SIGHT, ids)),
        *(each.reason for each in store.flags.of(SIGHT, ids)),
        *store.flags.flagged(SIGHT, 10),
        str(store.flags.count(SIGHT)),
        str(store.outcomes.told(SIGHT, NOON, 10)),
        *(each.text for each in page),
        *(each.text for each in store.memories.many(SIGHT, ids)),
        *(each.text for each in store.proposals.page(SIGHT, ProposalFilter()).values),
        *(str(each.memory_ids) for each in store.usage.page(SIGHT, "", 10)),
        *(each.id for each in store.archive.sessions(SIGHT, 10)),
        *(each.session_id for each in store.recipes.find(SIGHT, samples.recipe("x").key)),
        *(each.id for each in store.events.chain()),
        unit.text if unit else "",
        str(store.meta.get("word")),
        str(store.memories.count(SIGHT)),
    ]


def _without_first_wall(monkeypatch: pytest.MonkeyPatch, numbers: list[int]) -> None:
    """Every statement forgets its tenant, and every reader sees every scope of everybody."""
    for module in _PORTS:
        bare = {name: re.sub(r"(\w+\.)?tenant = learnt_tenant\(\)", "true", sql) for name, sql in module._SQL.items()}
        monkeypatch.setattr(module, "_SQL", bare)
    monkeypatch.setattr(scopes.Scopes, "within", lambda self, sight: numbers)


@pytest.mark.parametrize("role", ["plain", "superuser"])
def test_the_first_wall_holds_alone(url: str, role: str) -> None:
    """Statements name their tenant: also a role that bypasses row-level security sees its own rows only."""
    at = as_role(url) if role == "plain" else url
    with closing(_open(f"{at}?tenant=blue")) as blue, closing(_open(f"{at}?tenant=red")) as red:
        _fill(blue, "blue")
        before = _seen(blue)
        _fill(red, "red")
        assert _seen(blue) == before
        assert not any("blue" in each for each in _seen(red))


def test_the_second_wall_holds_alone(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain role sees nothing of another tenant where statements forget the tenant and readers see every scope."""
    with closing(_open(as_role(url, tenant="blue"))) as blue, closing(_open(as_role(url, tenant="red"))) as red:
        _fill(blue, "blue")
        _fill(red, "red")
        with psycopg.connect(url) as everybody:
            numbers = [row[0] for row in everybody.execute("SELECT no FROM scopes").fetchall()]
        _without_first_wall(monkeypatch, numbers)
        assert len(numbers) > 1
        told = _seen(red)
        assert "Known to red." in told
        assert not any("blue" in each for each in told)


def test_without_both_walls_the_other_tenant_shows(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the test above would see it: a superuser bypasses the second wall."""
    with closing(_open(f"{url}?tenant=blue")) as blue, closing(_open(f"{url}?tenant=red")) as red:
        _fill(blue, "blue")
        _fill(red, "red")
        with psycopg.connect(url) as everybody:
            numbers = [row[0] for row in everybody.execute("SELECT no FROM scopes").fetchall()]
        _without_first_wall(monkeypatch, numbers)
        assert any("blue" in each.text for each in red.memories.page(SIGHT, MemoryFilter(), NOON).values)


def test_a_plain_role_writes_for_no_other_tenant(url: str) -> None:
    """Neither a new row nor a changed one."""
    with closing(_open(as_role(url, tenant="blue"))) as blue:
        _fill(blue, "blue")
    with psycopg.connect(as_role(url), autocommit=True, options="-c learnt.tenant=red") as red:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            red.execute("INSERT INTO _meta (tenant, key, value) VALUES ('blue', 'k', 'v')")
        assert red.execute("UPDATE memory_items SET text = 'x'").rowcount == 0
        assert red.execute("DELETE FROM memory_events").rowcount == 0


def test_who_names_no_tenant_sees_nothing(url: str) -> None:
    """A plain role that connects by other means."""
    with closing(_open(as_role(url))) as store:
        _fill(store, "main")
    with psycopg.connect(as_role(url), autocommit=True) as other:
        assert other.execute("SELECT count(*) FROM memory_items").fetchall() == [(0,)]


def test_each_tenant_has_its_chain(url: str) -> None:
    """Both begin at the beginning and hold, with the same ids of events."""
    with closing(_open(as_role(url, tenant="blue"))) as blue, closing(_open(as_role(url, tenant="red"))) as red:
        for store, word in ((blue, "blue"), (red, "red")):
            _fill(store, word)
            head, rows = store.events.sealed()
            assert (verify(rows, head).verified, verify(store.events.chain(), head).events) == (True, 1)


def test_a_store_says_whether_it_has_both_walls(url: str) -> None:
    """For `doctor`."""
    with closing(_open(as_role(url, tenant="blue"))) as plain, closing(_open(url)) as superuser:
        told = plain.meta.describe()
        assert (told["tenant"], told["role"], told["bypasses_row_security"]) == ("blue", "learnt", False)
        assert superuser.meta.describe()["bypasses_row_security"] is True
        assert str(told["pgvector"]) >= "0.8"
