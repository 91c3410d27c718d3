"""The copy that hooks read beside a store that is elsewhere: what it holds, how it follows, what it sends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import StoreError
from learnt.flows import copy as copying
from learnt.flows.copy import follow
from learnt.gate.clearance import PATTERN_SET
from learnt.model.change import Batch, Mark
from learnt.model.scope import Scope, Sight
from learnt.stores.sqlite.copy import SqliteCopy
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.fakes import NOON
from learnt.testing.wrappers import Flaky

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.flows.means import Means
    from learnt.model.memory import Memory

REPOSITORY = Scope(type="repository", repo_id="repo-a")
USER = Scope(type="global_user", user_id="u1")
ELSEWHERE = Scope(type="repository", repo_id="repo-b")
LONG_S = 60.0


@pytest.fixture
def local(tmp_path: Path) -> Iterator[SqliteStore]:
    """The copy's file."""
    store = SqliteStore.open(tmp_path / "copy.db", now=lambda: NOON)
    yield store
    store.close()


@pytest.fixture
def team(means: Means, local: SqliteStore) -> Means:
    """The means of an engine whose store is elsewhere."""
    return replace(means, copy=SqliteCopy(local))


def cleared(text: str, scope: Scope = REPOSITORY, **given: Any) -> Memory:
    """A memory the present pattern set cleared."""
    return samples.memory(scope, text, **{"clearance": PATTERN_SET, **given})


def keep(means: Means, *memories: Memory) -> None:
    """Write memories into the store."""
    with means.store.transaction():
        for memory in memories:
            means.store.memories.put(memory)


def texts(local: SqliteStore) -> set[str]:
    """What the copy holds."""
    return {str(row[0]) for row in local.connection.rows("SELECT text FROM memory_items")}


def test_flags_and_outcomes_are_counted_in_the_copy(team: Means, local: SqliteStore) -> None:
    """Whoever gave them and took them back; the copy holds no reason and no correction."""
    one, two = cleared("Counted."), cleared("Not counted.")
    keep(team, one, two)
    with team.store.transaction():
        team.store.flags.put(REPOSITORY, samples.flag(one))
        team.store.flags.put(REPOSITORY, samples.flag(one, "agent:a"))
        team.store.outcomes.add(REPOSITORY, samples.outcome(one))
        team.store.outcomes.add(REPOSITORY, samples.outcome(one, 2, result="dead_end"))
    follow(team)
    counts = "SELECT flags, useful, against FROM memory_items ORDER BY text"
    assert local.connection.rows(counts) == [(2, 1, 1), (0, 0, 0)]
    with team.store.transaction():
        team.store.flags.withdraw(team.context.sight, one.id, "agent:a")
    follow(team)
    assert local.connection.rows(counts) == [(1, 1, 1), (0, 0, 0)]
    kept = "SELECT (SELECT count(*) FROM memory_flags), (SELECT count(*) FROM memory_outcomes)"
    assert local.connection.rows(kept) == [(0, 0)]


def receipts(means: Means) -> list[str]:
    """The bundles the store has, oldest first."""
    return [each.id for each in reversed(means.store.usage.page(means.context.sight, "", 1_000))]


def given(local: SqliteStore, number: int, **facts: Any) -> str:
    """A receipt that a hook wrote; gives its id."""
    made = samples.bundle(REPOSITORY, "mem_a", context="c", session_id=f"s-{number}", **facts)
    with local.transaction():
        local.usage.put(made)
    return made.id


class TestWhatItHolds:
    """Cleared memories of this user and of the repositories used here."""

    def test_what_merges_tied_comes_along_and_leaves(self, team: Means, local: SqliteStore) -> None:
        """A merge is told like a change of its memories; so is its end, and what leaves takes its ties along."""
        one, two = cleared("One."), cleared("Two.")
        keep(team, one, two)
        follow(team)
        taken = {"curatorDecision": {"action": "merge"}}
        merge = samples.proposal(REPOSITORY, "", operation="merge", kind=None, related=(one.id, two.id))
        applied = replace(merge, status="applied", metadata=taken)
        held = local.proposals.related
        for proposal, right in ((applied, {one.id: (two.id,)}), (merge, {}), (applied, {one.id: (two.id,)})):
            with team.store.transaction():
                team.store.proposals.put(proposal)
            follow(team)
            assert held(Sight((REPOSITORY,)), [one.id]) == right
        keep(team, replace(one, status="deleted"))
        follow(team)
        assert held(Sight((REPOSITORY,)), [one.id]) == {}

    def test_cleared_active_memories(self, team: Means, local: SqliteStore) -> None:
        """Of this user and this repository; nothing quarantined, deleted, uncleared, or of another repository."""
        keep(
            team,
            cleared("here"),
            cleared("mine", USER),
            cleared("other user", Scope(type="global_user", user_id="u2")),
            cleared("other repository", ELSEWHERE),
            cleared("held", status="quarantined"),
            cleared("hidden", status="deleted"),
            cleared("older gate", clearance="set-0"),
        )
        assert follow(team).taken == 2
        assert texts(local) == {"here", "mine"}

    def test_a_superseded_memory_leads_to_its_successor(self, team: Means, local: SqliteStore) -> None:
        """It is in the copy as it is in the store: not active, its successor named."""
        new = cleared("new words")
        keep(team, new, cleared("old words", status="superseded", superseded_by=new.id))
        follow(team)
        rows = local.connection.rows("SELECT text, status, superseded_by FROM memory_items ORDER BY text")
        assert rows == [("new words", "active", None), ("old words", "superseded", new.id)]

    def test_observations_that_wait(self, team: Means, local: SqliteStore) -> None:
        """A cleared one that nobody decided on; it leaves when somebody does."""
        seen = samples.proposal(REPOSITORY, "seen", observation=True, clearance=PATTERN_SET)
        unseen = samples.proposal(REPOSITORY, "unseen", observation=True, clearance="set-0")
        with team.store.transaction():
            team.store.proposals.put(seen)
            team.store.proposals.put(unseen)
        follow(team)
        assert local.proposals.count(Sight((REPOSITORY,))) == {"pending": 1}
        with team.store.transaction():
            team.store.proposals.put(replace(seen, status="rejected"))
        assert follow(team).dropped == 1
        assert local.proposals.count(Sight((REPOSITORY,))) == {}

    def test_repositories_of_this_machine(self, team: Means, local: SqliteStore) -> None:
        """A worker brings all of them up, an engine its own; another name of a place is followed."""
        keep(team, cleared("here"), cleared("there", ELSEWHERE))
        assert team.copy is not None
        team.copy.record({}, {"/srv/other": "by-its-folder"})
        with team.store.transaction():
            team.store.meta.adopt("/srv/other", "repo-b")
        follow(team)
        assert texts(local) == {"here"}
        follow(team, everywhere=True)
        assert texts(local) == {"here", "there"}
        assert local.meta.alias("/srv/other") == "repo-b"

    def test_nothing_without_a_copy(self, means: Means) -> None:
        """Where hooks read the store itself there is nothing to do."""
        assert follow(means) == copying.Followed()


class TestHowItFollows:
    """Step by step, and what leaves first."""

    def test_what_leaves(self, team: Means, local: SqliteStore) -> None:
        """A memory that is deleted, or that another pattern set cleared, is gone from every table of the copy."""
        one, two = cleared("pnpm is the package manager"), cleared("vitest runs the tests")
        keep(team, one, two)
        follow(team)
        keep(team, replace(one, status="deleted"), replace(two, clearance="set-0"))
        assert follow(team).dropped == 2
        for table in ("memory_items", "anchors", "changes"):
            assert local.connection.rows(f"SELECT * FROM {table}") == []  # noqa: S608 - a literal above
        found = local.lexicon.candidates(Sight((REPOSITORY,)), ("pnpm", "vitest"), 10)
        assert list(found.candidates) == []
        assert local.meta.gaps() == {}

    def test_what_leaves_is_in_no_byte(self, team: Means, tmp_path: Path) -> None:
        """Neither its text nor its words are left in the file or its log."""
        secret = cleared("zyxwvutsrq is the name nobody may know")
        keep(team, secret, *(cleared(f"fact number {number}") for number in range(50)))
        follow(team)
        keep(team, replace(secret, status="deleted"))
        follow(team)
        held = b"".join(each.read_bytes() for each in tmp_path.glob("copy.db*"))
        assert b"fact number 7" in held
        assert b"yxwvutsrq" not in held

    def test_an_unchanged_store_changes_nothing(self, team: Means, local: SqliteStore) -> None:
        """Only the moment moves on."""
        keep(team, cleared("here"))
        follow(team)
        assert follow(team) == copying.Followed()
        assert texts(local) == {"here"}

    def test_in_steps(self, team: Means, local: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
        """Out of time it stops after a step, says that it is not complete, and goes on from there."""
        monkeypatch.setattr(copying, "BATCH", 3)
        keep(team, *(cleared(f"fact number {number}") for number in range(7)))
        first = follow(team, within_s=-1.0)
        assert (first.taken, first.complete) == (3, False)
        assert team.copy is not None
        assert team.copy.state(REPOSITORY).synced_at == ""
        assert follow(team, within_s=LONG_S).taken == 4
        assert len(texts(local)) == 7
        assert team.copy.state(REPOSITORY).synced_at == NOON

    def test_what_leaves_does_not_wait(self, team: Means, local: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
        """However much is still to come, a deletion counts at once."""
        monkeypatch.setattr(copying, "BATCH", 3)
        old = cleared("no longer wanted")
        keep(team, old)
        follow(team)
        keep(team, *(cleared(f"fact number {number}") for number in range(20)), replace(old, status="deleted"))
        assert not follow(team, within_s=-1.0).complete
        assert "no longer wanted" not in texts(local)

    def test_a_memory_that_changed_its_scope(self, team: Means, local: SqliteStore) -> None:
        """It is taken over in the new one, and is in the old one no more."""
        memory = cleared("moved about")
        with local.transaction():
            local.memories.put(replace(memory, scope=USER))
        keep(team, memory)
        assert not follow(team).fault
        assert local.memories.count(Sight((USER,))) == {}
        assert local.memories.count(Sight((REPOSITORY,))) == {"active": 1}

    def test_another_pattern_set_begins_anew(self, team: Means, local: SqliteStore) -> None:
        """What an older one cleared leaves, receipts stay, and what the present one cleared comes."""
        keep(team, cleared("here"))
        follow(team)
        given(local, 1)
        assert team.copy is not None
        team.copy.begin("set-0")
        assert texts(local) == set()
        assert local.meta.gaps() == {}
        assert follow(team).taken == 1
        assert local.usage.recalls("mem_a") == 1
        assert local.meta.gaps() == {}

    def test_a_store_from_a_backup_begins_anew(self, team: Means, local: SqliteStore, means: Means) -> None:
        """A feed shorter than what was taken over is another one."""
        keep(team, cleared("before"), cleared("lost with the disk"))
        follow(team)
        restored = replace(team, store=type(means.store)())
        keep(restored, cleared("before"))
        follow(restored)
        assert texts(local) == {"before"}

    def test_a_late_batch_is_refused(self, team: Means, local: SqliteStore) -> None:
        """What was read before another process went on does not bring back what left meanwhile."""
        memory = cleared("forgotten meanwhile")
        keep(team, memory)
        assert team.copy is not None
        late = Batch(scope=REPOSITORY, mark=Mark(), until=1, memories=(memory,))
        keep(team, replace(memory, status="deleted"))
        follow(team)
        assert not team.copy.take(late)
        assert texts(local) == set()


class TestFaults:
    """Nothing of it fails a command, and no crash leaves half a step."""

    @pytest.mark.parametrize("at", range(1, 14))
    def test_a_crash_anywhere(self, team: Means, local: SqliteStore, tmp_path: Path, at: int) -> None:
        """A copy whose taker dies at any call of its file is whole, never shows what had left, and goes on."""
        one, two = cleared("the first statement"), cleared("the second statement")
        keep(team, one, two)
        follow(team)
        keep(team, replace(one, status="deleted"), replace(two, confidence=0.4), cleared("the third statement"))
        dying = SqliteStore.open(tmp_path / "copy.db", now=lambda: NOON)
        broken = follow(replace(team, copy=SqliteCopy(Flaky(dying, at))))  # type: ignore[arg-type]
        dying.close()
        before = texts(local)
        assert before in (
            {"the first statement", "the second statement"},
            {"the second statement", "the third statement"},
        )
        again = follow(team)
        assert texts(local) == {"the second statement", "the third statement"}
        assert local.meta.gaps() == {}
        assert not again.fault
        assert broken.fault in ("", "flaky")

    def test_a_store_that_stops_answering(self, team: Means, local: SqliteStore) -> None:
        """The fault is written down with its moment, the copy stays as it was, and success takes the note back."""
        keep(team, cleared("here"))
        follow(team)
        stuck = replace(team, store=Flaky(team.store, 2))
        found = follow(stuck)
        assert (found.fault, found.complete) == ("flaky", False)
        assert team.copy is not None
        assert team.copy.state(REPOSITORY).fault == f"flaky {NOON}"
        assert texts(local) == {"here"}
        follow(team)
        assert team.copy.state(REPOSITORY).fault == ""


class TestReceipts:
    """What hooks wrote goes to the store, each once."""

    def test_they_are_sent_once(self, team: Means, local: SqliteStore) -> None:
        """With their own ids; a second time there is nothing to send."""
        ids = [given(local, number) for number in range(3)]
        assert follow(team).sent == 3
        assert receipts(team) == ids
        assert follow(team).sent == 0
        assert receipts(team) == ids

    def test_a_lost_answer_sends_nothing_twice(self, team: Means, local: SqliteStore) -> None:
        """A sender that dies after the store committed, before the copy knows it."""
        ids = [given(local, number) for number in range(3)]

        class Deaf(SqliteCopy):
            """A copy whose note of what was sent gets lost."""

        deaf = Deaf(local)
        deaf.outbox.sent = _fails  # type: ignore[method-assign]
        assert follow(replace(team, copy=deaf)).fault == "flaky"
        ids.append(given(local, 9))
        assert follow(team).sent == 1
        assert receipts(team) == ids

    def test_a_failed_transaction_sends_nothing(self, team: Means, local: SqliteStore) -> None:
        """Receipts stay where they are until the store has them all."""
        ids = [given(local, number) for number in range(3)]
        calls = 0
        while True:
            calls += 1
            if not follow(replace(team, store=Flaky(team.store, calls))).fault:
                break
            assert receipts(team) in ([], ids)
        follow(team)
        assert receipts(team) == ids

    def test_once_per_context_outlives_sending(self, team: Means, local: SqliteStore) -> None:
        """What a context was given stays known after its receipt was sent, and leaves with the context."""
        given(local, 1)
        follow(team)
        assert local.usage.shown("c") == {"mem_a": "prompt"}
        team.clock.advance(40 * 86_400)  # type: ignore[attr-defined]
        given(local, 2, timestamp=team.clock.now())
        follow(team)
        assert local.connection.rows("SELECT count(*) FROM memory_recall_usage") == [(1,)]
        assert receipts(team)[-1] != receipts(team)[0]

    def test_they_are_bounded(self, team: Means, local: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
        """A store that never answers does not fill the disk: the oldest receipts are given up, and counted."""
        monkeypatch.setattr("learnt.stores.sqlite.outbox.MOST_WAITING", 4)
        ids = [given(local, number) for number in range(7)]
        assert team.copy is not None
        team.copy.outbox.sent(0, NOON)
        found = team.copy.state(REPOSITORY)
        assert (found.queued, found.dropped) == (4, 3)
        assert follow(team).sent == 4
        assert receipts(team) == ids[3:]

    def test_sent_ones_are_bounded_too(self, team: Means, local: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
        """The newest stay, the last one always: the next receipt's number follows its."""
        monkeypatch.setattr("learnt.stores.sqlite.outbox.MOST_KEPT", 2)
        ids = [given(local, number) for number in range(5)]
        follow(team)
        assert local.connection.rows("SELECT id FROM memory_recall_usage ORDER BY seq") == [(each,) for each in ids[3:]]
        last = given(local, 9)
        follow(team)
        assert receipts(team) == [*ids, last]


def _fails(until: int, now: str) -> None:
    raise StoreError(f"Failed on purpose at {until}, {now}.", code="flaky")


def test_what_starts_are_told_is_in_the_copy_as_it_is_now(team: Means, local: SqliteStore) -> None:
    """Another text takes its place; one that is cleared, or not cleared by the present patterns, is not there."""
    sight = Sight((REPOSITORY,))

    def told() -> str | None:
        follow(team)
        held = local.summaries.current(sight)
        return held.text if held else None

    assert told() is None
    for text in ("v1\n- one", "v1\n- two"):
        with team.store.transaction():
            team.store.summaries.put(samples.summary(REPOSITORY, text, clearance=PATTERN_SET))
        assert told() == text
    with team.store.transaction():
        team.store.summaries.put(samples.summary(REPOSITORY, "v1\n- three", clearance="older"))
    assert told() is None
    with team.store.transaction():
        team.store.summaries.put(samples.summary(REPOSITORY, "v1\n- two", clearance=PATTERN_SET))
    assert told() == "v1\n- two"
    with team.store.transaction():
        team.store.summaries.clear(sight)
    assert told() is None
    assert local.connection.rows("SELECT count(*) FROM summaries") == [(0,)]
