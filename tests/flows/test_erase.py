"""A person, or a whole repository, erased, on every store."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from learnt.errors import NotFoundError, UsageError
from learnt.flows.erase import erase_person, erase_repository
from learnt.flows.forget import forget
from learnt.flows.observe import observe
from learnt.flows.remember import remember
from learnt.model.answer import Refusal, Written
from learnt.model.evidence import Turn
from learnt.model.forget import Ended, Erased, Forgotten
from learnt.model.memory import Reference
from learnt.model.request import WriteRequest
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.fakes import FixedClock
from tests.faults.world import means_over, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.ports.store import Store


def _store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "postgres":
        return opened(request.getfixturevalue("database"))
    if request.param == "sqlite":
        return SqliteStore.open(tmp_path / "memory.db", now=FixedClock())
    return EphemeralStore(FixedClock().now)


@pytest.fixture(params=["ephemeral", "sqlite", "postgres"])
def means(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Means]:
    """A person's means over each store, with a key for digests."""
    (tmp_path / "repo-a").mkdir()
    with closing(_store(request, tmp_path)) as store:
        yield replace(means_over(store, tmp_path), digest_key=b"d" * 32)


def wrote(means: Means, text: str, **fields: object) -> Memory:
    answer = remember(means, WriteRequest(text=text, **{"kind": "repo_convention", **fields}))  # type: ignore[arg-type]
    assert isinstance(answer, Written)
    return answer.memory


def elsewhere(means: Means, name: str) -> Means:
    """The same person in another repository."""
    Path(means.place.value, name).mkdir(exist_ok=True)
    there = means_over(means.store, Path(means.place.value), repository=name)
    return replace(there, digest_key=means.digest_key, ids=means.ids)


def erased(means: Means, name: str, **fields: object) -> Erased:
    answer = erase_person(means, name, **fields)  # type: ignore[arg-type]
    assert isinstance(answer, Erased)
    return answer


class TestPerson:
    """What a person wrote, what was said to them, what is about them."""

    def test_it_reaches_every_repository(self, means: Means) -> None:
        """Words, answers to them, and statements about them go, here and elsewhere; the rest stays."""
        there = elsewhere(means, "repo-b")
        said = [
            Turn(text="The staging password rotates.", session="s1", who="Ann", key="a"),
            Turn(text="Noted, it rotates.", session="s1", who="agent", type="reply", key="b"),
            Turn(text="Unrelated.", session="s1", who="Bob", key="c"),
        ]
        refs = observe(there, said)
        about = wrote(means, "Ann owns the deploy script.")
        stays = wrote(means, "Announcements are weekly.")
        told = erased(means, "Ann", dry_run=True)
        done = erased(means, "Ann")
        assert told.forgotten.deleted == done.forgotten.deleted == (about.id,)
        assert set(done.forgotten.blanked) == set(refs[:2])
        kept = there.store.evidence.units(there.context.sight, refs)
        assert [(unit.text, unit.who) for unit in kept if unit.ref in refs[:2]] == [("", ""), ("", "")]
        assert means.store.memories.get(means.context.sight, stays.id) == stays
        assert done.forgotten.event
        again = observe(there, said)
        assert {unit.text for unit in there.store.evidence.units(there.context.sight, again)} == {"", "Unrelated."}

    def test_what_others_stand_for_too_lives_on(self, means: Means) -> None:
        """A fact keeps its other contributors."""
        memory = wrote(means, "Deploys are on Tuesday.")
        other = Reference(type="person", ref="person:bob", trust="person", writer="person:bob")
        with means.store.transaction():
            means.store.memories.put(replace(memory, evidence=(*memory.evidence, other)))
        done = erased(means, means.context.writer)
        assert (done.forgotten.deleted, done.kept) == ((), (memory.id,))
        left = means.store.memories.get(means.context.sight, memory.id)
        assert left is not None
        assert (left.evidence, left.provenance.writer) == ((other,), "")

    def test_nobody_is_no_fault(self, means: Means) -> None:
        """Who was never here leaves nothing behind, and no event."""
        wrote(means, "Deploys are on Tuesday.")
        done = erased(means, "Zoltan")
        assert (done.forgotten.deleted, done.forgotten.event, done.kept) == ((), "", ())
        with pytest.raises(UsageError):
            erase_person(means, " ")

    def test_only_a_person_erases(self, means: Means) -> None:
        """An agent is refused."""
        agent = replace(means, context=replace(means.context, person=False))
        for answer in (erase_person(agent, "Ann"), erase_repository(agent, ".")):
            assert isinstance(answer, Refusal)
            assert answer.code == "person_required"


class TestRepository:
    """A repository ends."""

    def test_all_of_it_goes_and_nothing_else(self, means: Means) -> None:
        """Memories, evidence and receipts of the repository; the person's own memories and other repositories stay."""
        there = elsewhere(means, "repo-b")
        wrote(means, "Here.")
        observe(means, [Turn(text="said here", session="s1")])
        own, other = wrote(means, "Prefers tabs.", kind="user_preference"), wrote(there, "There.")
        told = erase_repository(means, ".", dry_run=True)
        assert isinstance(told, Ended)
        assert means.store.memories.count(means.context.sight) == {"active": 2}
        done = erase_repository(means, "repo-a")
        assert isinstance(done, Ended)
        assert (done.removed["memories"], done.removed["evidence"]) == (1, 1)
        assert (dict(told.removed), told.event) == (dict(done.removed), "")
        assert means.store.memories.count(means.context.sight) == {"active": 1}
        assert means.store.memories.get(means.context.sight, own.id) == own
        assert there.store.memories.get(there.context.sight, other.id) == other
        wrote(means, "Here.")

    def test_what_was_forgotten_stays_away(self, means: Means) -> None:
        """A digest outlives its repository."""
        memory = wrote(means, "Here.")
        assert isinstance(forget(means, [memory.id]), Forgotten)
        erase_repository(means, ".")
        answer = remember(means, WriteRequest(text="here", kind="lesson"))
        assert isinstance(answer, Refusal)
        assert answer.code == "forgotten"

    def test_an_unknown_one_is_told(self, means: Means) -> None:
        """Nothing is known, nothing goes."""
        with pytest.raises(NotFoundError):
            erase_repository(means, "repo-z")
