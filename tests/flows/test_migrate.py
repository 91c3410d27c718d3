"""Moving a whole store: what arrives, what is refused, and what happens when it is interrupted."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from learnt.errors import StoreError, UsageError
from learnt.flows import migrate as migrating
from learnt.flows.marker import marked, refuse_unfinished
from learnt.flows.migrate import migrate
from learnt.flows.moved import Moved, Way
from learnt.flows.recall import recall
from learnt.model.answer import Refusal
from learnt.model.cargo import CHAPTERS
from learnt.model.ranking import Query
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.cargo import everything, tallies
from learnt.testing.fakes import NOON, FixedClock
from learnt.testing.wrappers import Counting, Flaky, Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.flows.moved import Step
    from learnt.ports.store import Store
    from tests.server import Server

HERE, THERE = "sqlite:here", "sqlite:there"
ONE, OTHER = samples.repository("repo-a"), samples.repository("repo-b")
BEFORE = "2020-01-01T00:00:00.000Z"


@pytest.fixture
def source(means: Means) -> Means:
    """The means of a person whose store holds something of everything."""
    everything(means.store, ONE, OTHER)
    return means


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty file, or an empty database."""
    if request.param == "sqlite":
        store: Any = SqliteStore.open(tmp_path / "there" / "memory.db", now=FixedClock())
        yield store
        store.close()
        return
    with request.getfixturevalue("server").database(made) as url:
        store = PostgresStore.open(url, now=FixedClock())
        yield store
        store.close()


def made(url: str) -> None:
    """An empty store, to be copied."""
    PostgresStore.open(url, now=FixedClock()).close()


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches so short that every chapter has several."""
    monkeypatch.setattr(migrating, "STRETCH", 2)


class _Open(Wrapper):
    """Stays open when a move closes it."""

    def close(self) -> None:
        """For the test to look into."""


def way(target: Any, source: str = HERE) -> Way:
    """From the source to an open store."""
    return Way(source, THERE, lambda: _Open(target))


def done(means: Means, target: Any, source: str = HERE, **given: Any) -> Moved:
    """A move that was not refused."""
    moved = migrate(means, way(target, source), **given)
    assert isinstance(moved, Moved), moved
    return moved


def refusal(means: Means, target: Any, source: str = HERE) -> Refusal:
    """A move that was refused."""
    refused = migrate(means, way(target, source))
    assert isinstance(refused, Refusal)
    return refused


def test_everything_arrives_and_nothing_changes(source: Means, target: Store) -> None:
    """Counts and digests are equal at both ends, the trail holds, and the source is as it was."""
    before, facts = tallies(source.store), source.store.meta.get("hook.all")
    moved = done(source, target)
    assert moved.verified
    assert (moved.chain.chained, moved.chain.head_match) == (moved.chain.events, True)
    assert tallies(target) == before == tallies(source.store)
    assert {each.chapter: (each.rows, each.digest) for each in moved.chapters} == before
    assert (moved.resumed, moved.restarted, moved.changed, moved.damaged) == (False, False, False, ())
    assert target.events.head() == source.store.events.head()
    assert (facts, target.meta.get("hook.all")) == ("1", None)


def test_the_same_questions_have_the_same_answers(source: Means, target: Store) -> None:
    """Order, scores and block."""
    told = recall(source, Query(text="alpha beta"))
    done(source, target)
    again = recall(replace(source, store=target), Query(text="alpha beta"))
    assert [(hit.memory, hit.score) for hit in again.hits] == [(hit.memory, hit.score) for hit in told.hits]
    assert again.hits


def test_progress_ends_at_the_whole(source: Means, target: Store) -> None:
    """Steps rise to the number of rows moved and read back."""
    steps: list[Step] = []
    done(source, target, tell=steps.append)
    assert [each.done for each in steps] == sorted(each.done for each in steps)
    assert steps[-1].done == steps[-1].total == 2 * sum(rows for rows, _ in tallies(target).values())
    assert {each.phase for each in steps} == {"moving", "checking"}


def test_a_store_that_holds_anything_is_refused(source: Means, target: Store) -> None:
    """It says what it holds, and stays as it was."""
    with target.transaction():
        target.memories.put(samples.memory(ONE))
    before = tallies(target)
    refused = refusal(source, target)
    assert (refused.code, refused.details) == ("conflict", {"scopes": 1, "memories": 1})
    assert refused.hint
    assert tallies(target) == before
    assert marked(target) is None


def test_a_completed_move_catches_up(source: Means, target: Store) -> None:
    """Repeated before anybody worked on the target, it carries what was written since."""
    done(source, target)
    with source.store.transaction():
        _grown(source.store)
    again = done(source, target)
    assert (again.verified, again.resumed, again.changed) == (True, True, False)
    assert tallies(target) == tallies(source.store)
    refuse_unfinished(target)


def test_who_moves_is_known_by_name(source: Means, target: Store) -> None:
    """The person that the target's URL names goes on as who they were, and the move may still be repeated."""
    whom = Way(HERE, THERE, lambda: _Open(target), "cargo.person:ada")
    for _ in range(2):
        assert isinstance(migrate(source, whom), Moved)
        assert target.meta.get("cargo.person:ada") == source.context.user_id
        assert tallies(target) == tallies(source.store)


def test_a_store_at_work_is_no_target(source: Means, target: Store) -> None:
    """After a completed move one event is enough: nothing is written over what was done since."""
    done(source, target)
    with target.transaction():
        target.events.append(samples.event(900))
    before = tallies(target)
    refused = refusal(source, target)
    assert (refused.code, refused.details["chapters"]) == ("conflict", ["events", "facts"])
    assert tallies(target) == before
    refuse_unfinished(target)


def test_the_remains_of_another_move_are_refused(source: Means, target: Store) -> None:
    """What another store's interrupted move left is not ours to go on with."""
    with pytest.raises(StoreError):
        migrate(source, way(Flaky(target, 40)))
    assert refusal(source, target, "sqlite:elsewhere").code == "conflict"
    assert done(source, target).verified


def test_an_agent_moves_nothing(agent: Means, target: Store) -> None:
    """A whole store is a person's to move."""
    assert refusal(agent, target).code == "person_required"


def test_a_store_is_not_moved_onto_itself(source: Means) -> None:
    """Source and target lie in different places."""
    with pytest.raises(UsageError):
        migrate(source, way(source.store, THERE))


def test_an_interrupted_move_goes_on(source: Means, tmp_path: Path) -> None:
    """Whichever call fails, the store is refused to everybody until the next run has completed it."""
    before = tallies(source.store)
    calls = Counting(EphemeralStore())
    done(source, calls)
    for at in range(4, len(calls.calls) + 1, 7):
        target = EphemeralStore()
        with pytest.raises(StoreError):
            migrate(source, way(Flaky(target, at)))
        marker = marked(target)
        if marker is not None:
            with pytest.raises(StoreError) as caught:
                refuse_unfinished(target)
            assert (caught.value.error_code, caught.value.exit_code) == ("store_incomplete", 5)
        moved = done(source, target)
        assert moved.verified
        assert moved.resumed == bool(marker and marker.held)
        assert not moved.restarted
        assert tallies(target) == before
        refuse_unfinished(target)


def test_what_was_carried_is_not_carried_again(source: Means) -> None:
    """The second run goes on behind the last stretch that was committed."""
    target = EphemeralStore()
    with pytest.raises(StoreError):
        migrate(source, way(Flaky(target, 80)))
    marker = marked(target)
    assert marker is not None
    carried = sum(rows for _, rows, _ in marker.held.values())
    calls = Counting(target)
    assert done(source, calls).resumed
    rest = sum(rows for rows, _ in tallies(source.store).values()) - carried
    assert 0 < calls.calls.count("cargo.accept") <= rest
    assert carried > 10


def _grown(store: Any) -> None:
    store.memories.put(samples.memory(ONE, "alpha beta four"))
    store.memories.put(replace(samples.memory(ONE, "alpha beta one", tags=("red",)), status="superseded"))
    store.archive.put_units([samples.unit(ONE, 7)])
    store.events.append(samples.event(77))


def _shrunk(store: Any) -> None:
    store.archive.prune("2099-01-01T00:00:00.000Z")
    store.events.append(samples.event(77))


@pytest.mark.parametrize(("change", "restarted"), [(_grown, False), (_shrunk, True)])
def test_a_source_that_changed_in_between_is_followed(
    source: Means, change: Callable[[Any], None], restarted: bool
) -> None:
    """What is new or different is carried; where something left, the move begins anew."""
    target = EphemeralStore()
    calls = Counting(EphemeralStore())
    done(source, calls)
    late = [at for at, call in enumerate(calls.calls) if call == "cargo.accept"][-3]
    with pytest.raises(StoreError):
        migrate(source, way(Flaky(target, late)))
    with source.store.transaction():
        change(source.store)
    moved = done(source, target)
    assert moved.verified
    assert moved.restarted == restarted
    assert tallies(target) == tallies(source.store)


def test_what_is_written_during_a_move_is_told(source: Means, target: Store) -> None:
    """The target shows the moment of the beginning."""
    before = tallies(source.store)
    written: list[int] = []

    def write(step: Step) -> None:
        if step.phase == "checking" and not written:
            written.append(1)
            with source.store.transaction():
                source.store.events.append(samples.event(500))

    moved = done(source, target, tell=write)
    assert (moved.verified, moved.changed) == (True, True)
    assert tallies(target) == before


def test_of_two_moves_the_later_goes_on(source: Means, target: Store) -> None:
    """The earlier stops at its next stretch and writes nothing over what was done since."""
    later: list[Moved] = []

    def take_over(step: Step) -> None:
        if step.chapter == "events" and not later:
            later.append(done(source, target))
            with target.transaction():
                target.memories.put(samples.memory(ONE, "written since"))

    with pytest.raises(StoreError) as caught:
        done(source, target, tell=take_over)
    assert caught.value.error_code == "lease_lost"
    assert later[0].verified
    refuse_unfinished(target)
    assert target.cargo.count("memories") == source.store.cargo.count("memories") + 1


class _Losing(EphemeralStore):
    """Loses one memory while `lossy`."""

    lossy = True

    def __init__(self) -> None:
        super().__init__()
        accept = self.cargo.accept

        def losing(chapter: Any, values: Any) -> None:
            accept(chapter, values[1:] if chapter == "memories" and self.lossy else values)

        self.cargo.accept = losing  # type: ignore[method-assign]


def test_a_move_that_does_not_verify_is_no_store(source: Means) -> None:
    """The difference is named, the target stays refused, and the next run begins anew."""
    target = _Losing()
    moved = done(source, target)
    assert not moved.verified
    assert [each.chapter for each in moved.chapters if not each.equal] == ["memories"]
    with pytest.raises(StoreError):
        refuse_unfinished(target)
    target.lossy = False
    again = done(source, target)
    assert (again.verified, again.restarted) == (True, True)


def test_damaged_rows_are_named(means: Means, target: Store, tmp_path: Path) -> None:
    """They stay behind; the rest arrives."""
    store = SqliteStore.open(tmp_path / "memory.db", now=FixedClock())
    everything(store, ONE, OTHER)
    memory = samples.memory(ONE, "alpha beta one", tags=("red",))
    with store.transaction():
        store.connection.write("UPDATE memory_items SET record_json = '{' WHERE id = ?", (memory.id,))
    moved = done(replace(means, store=store), target)
    assert moved.damaged == (("memories", memory.id),)
    assert moved.verified
    assert (target.cargo.count("memories"), target.cargo.count("vectors")) == (5, 1)
    store.close()


def test_every_chapter_moves_an_empty_store(means: Means, target: Store) -> None:
    """Nothing is fine too."""
    moved = done(means, target)
    assert moved.verified
    assert [each.rows for each in moved.chapters] == [0] * len(CHAPTERS)
    assert moved.as_of == NOON


def _cut(url: str) -> None:
    """The server ends every connection to a database."""
    with psycopg.connect(url, autocommit=True) as root:
        root.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.mark.parametrize("at", [1, 9, 30, 50])
@pytest.mark.parametrize("end", ["source", "target"])
def test_a_connection_that_breaks(source: Means, server: Server, end: str, at: int) -> None:
    """Between two stretches the target only takes another one; with the source's its moment is lost, and a run goes on.

    Whatever the run that was hit answered, a store that is whole is equal.
    """
    with server.database(made) as url, closing(PostgresStore.open(url, now=FixedClock())) as store:
        here, target = (source, store) if end == "target" else (replace(source, store=store), EphemeralStore())
        if end == "source":
            everything(store, ONE, OTHER)
        steps: list[Step] = []

        def cut(step: Step) -> None:
            steps.append(step)
            if len(steps) == at:
                _cut(url)

        moved, failed = None, 0
        while moved is None:
            try:
                moved = done(here, target, tell=cut)
            except StoreError:
                failed += 1
                assert failed < 9
        assert moved.verified
        assert moved.resumed == bool(failed)
        assert len(steps) >= at
        assert tallies(target) == tallies(here.store)
