"""What was retired or ran out leaves: by hand, and by itself where a person set it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import StoreBusyError, StoreError
from learnt.flows.compact import BATCH, Compacted, cleanup, compact, compact_if_due
from learnt.flows.read import explain
from learnt.flows.recall import recall
from learnt.flows.undo import undo
from learnt.model.answer import Refusal
from learnt.model.filter import MemoryFilter
from learnt.model.instant import plus_days
from learnt.model.ranking import Query
from learnt.settings import CompactionSettings, Settings
from learnt.testing import samples
from learnt.testing.fakes import NOON
from tests.flows.test_writing import asked, decided, wrote

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory


def put(means: Means, text: str, **fields: Any) -> Memory:
    """A memory of this repository, stored as it is given."""
    memory = samples.memory(means.context.sight.one("repository"), text, **fields)
    with means.store.transaction():
        means.store.memories.put(memory)
    return memory


def furnished(means: Means) -> dict[str, Memory]:
    """One of everything."""
    old = plus_days(NOON, -1)
    return {
        "active": put(means, "Active."),
        "deleted": put(means, "Deleted.", status="deleted", at=old),
        "superseded": put(means, "Superseded.", status="superseded", superseded_by="mem_0000000000000000", at=old),
        "consolidated": put(means, "Consolidated.", status="consolidated"),
        "quarantined": put(means, "Quarantined.", status="quarantined"),
        "expired scratch": put(means, "Scratch.", kind="scratch", expires_at=NOON),
        "scratch": put(means, "Scratch to come.", kind="scratch", expires_at=plus_days(NOON, 1)),
        "expired todo": put(means, "Todo.", kind="todo", expires_at=old),
    }


def held(means: Means) -> set[str]:
    """Texts of everything that is there."""
    wanted = MemoryFilter(statuses=(), include_expired=True)
    return {each.text for each in means.store.memories.page(means.context.sight, wanted, NOON).values}


def compacted(means: Means, *, confirm: bool) -> Compacted:
    """A compaction that was not refused."""
    answer = compact(means, confirm=confirm)
    assert isinstance(answer, Compacted)
    return answer


LEAVING = {"Deleted.", "Superseded.", "Scratch."}


class TestByHand:
    """`compact`."""

    def test_without_confirm_it_only_counts(self, means: Means) -> None:
        """Everything is there afterwards, and no event tells of anything."""
        furnished(means)
        before = held(means)
        answer = compacted(means, confirm=False)
        assert answer.removed == {"deleted": 1, "superseded": 1, "expired_scratch": 1}
        assert (answer.dry_run, answer.remaining, answer.events) == (True, 5, ())
        assert held(means) == before
        assert list(means.store.events.chain()) == []

    def test_with_confirm_it_takes_away(self, means: Means) -> None:
        """Deleted, superseded and expired scratch, at once; an expired todo stays."""
        furnished(means)
        before = held(means)
        answer = compacted(means, confirm=True)
        assert answer.removed == {"deleted": 1, "superseded": 1, "expired_scratch": 1}
        assert (answer.dry_run, answer.remaining) == (False, 5)
        assert held(means) == before - LEAVING
        assert sum(compacted(means, confirm=True).removed.values()) == 0

    def test_its_event_names_what_left(self, means: Means) -> None:
        """By id and reason, never by text."""
        made = furnished(means)
        answer = compacted(means, confirm=True)
        details = [json.loads(row.event_json or "{}") for row in means.store.events.chain()]
        assert [row.id for row in means.store.events.chain()] == list(answer.events)
        assert sum(each["rowsPurged"] for each in details) == 3
        assert {each["trigger"] for each in details} == {"manual"}
        removed = {name for each in details for names in each["removed"].values() for name in names}
        assert removed == {made[name].id for name in ("deleted", "superseded", "expired scratch")}
        assert not any(text in str(details) for text in LEAVING)

    def test_an_agent_only_counts(self, means: Means, agent: Means) -> None:
        """Taking away is for a person."""
        furnished(means)
        refused = compact(agent, confirm=True)
        assert isinstance(refused, Refusal)
        assert refused.code == "person_required"
        assert compacted(agent, confirm=False).removed["deleted"] == 1
        assert held(means) >= LEAVING

    def test_many_leave_in_batches(self, means: Means) -> None:
        """Each with its event; all of them leave."""
        scope = means.context.sight.one("repository")
        with means.store.transaction():
            for n in range(2 * BATCH + 1):
                means.store.memories.put(samples.memory(scope, f"Old {n}.", status="superseded"))
        answer = compacted(means, confirm=True)
        assert (answer.removed["superseded"], len(answer.events), answer.remaining) == (2 * BATCH + 1, 3, 0)

    def test_what_was_taken_away_is_not_taken_back(self, means: Means) -> None:
        """Undo says that it was compacted, not that it was forgotten; the same may be learned again."""
        memory = wrote(means, "The harbour is deep.").memory
        event = decided(means, asked(means, "", operation="delete", kind=None, target_id=memory.id)).event
        compacted(means, confirm=True)
        refused = undo(means, event)
        assert isinstance(refused, Refusal)
        assert (refused.code, refused.details) == ("conflict", {"gone": [memory.id]})
        assert "compact" in refused.message
        again = wrote(means, "The harbour is deep.")
        assert (again.existing, again.memory.id) == (False, memory.id)

    def test_what_was_taken_back_meanwhile_stays(self, means: Means, monkeypatch: pytest.MonkeyPatch) -> None:
        """Between the counting and the taking away somebody may have changed their mind."""
        memory = put(means, "Deleted.", status="deleted")
        other = put(means, "Superseded.", status="superseded")
        survey = means.store.upkeep.survey

        def reading(_: object, *given: Any) -> Any:
            yield from survey(*given)
            put(means, memory.text, status="active")

        monkeypatch.setattr(type(means.store.upkeep), "survey", reading)
        assert compacted(means, confirm=True).removed["deleted"] == 0
        assert held(means) == {"Deleted."}
        assert means.store.memories.get(means.context.sight, other.id) is None

    def test_a_busy_store_is_made_smaller_later(self, means: Means, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was taken away is gone all the same, and the answer says so."""
        furnished(means)

        def busy(*_: object, **__: object) -> None:
            raise StoreBusyError

        monkeypatch.setattr(type(means.store.upkeep), "shrink", busy)
        answer = compacted(means, confirm=True)
        assert (answer.shrunk, sum(answer.removed.values())) == (False, 3)
        assert not held(means) & LEAVING

    def test_a_successor_outlives_what_it_replaced(self, means: Means) -> None:
        """It is explained without it."""
        old = put(means, "Old.", status="superseded")
        new = put(means, "New.", supersedes=(old.id,))
        compacted(means, confirm=True)
        assert explain(means, new.id).memory == new


def wanting(means: Means, **fields: Any) -> Means:
    """The same, compacting by itself."""
    given = {"enabled": True, "every_recalls": 3, "undo_days": 30, **fields}
    return replace(means, settings=replace(Settings(), compaction=CompactionSettings(**given)))


def ask(means: Means, times: int = 1) -> dict[str, Any]:
    """Recall some times; gives the last diagnostics."""
    found: dict[str, Any] = {}
    for _ in range(times):
        means.clock.advance(1)  # type: ignore[attr-defined]
        found = dict(recall(means, Query(text="what is active")).diagnostics)
    return found


class TestByItself:
    """After so many recalls. Source: swarm-memory seed, auto-compaction."""

    def test_it_is_off(self, means: Means) -> None:
        """Nothing leaves by itself unless a person wants it, nor with 0."""
        furnished(means)
        before = held(means)
        ask(means, 60)
        ask(wanting(means, every_recalls=0), 60)
        ask(wanting(means, enabled=False), 60)
        assert held(means) == before

    def test_the_third_recall_sets_it_off(self, means: Means) -> None:
        """Expired scratch leaves; what was retired lately stays; the event says why it ran."""
        furnished(means)
        wants = wanting(means)
        ask(wants, 2)
        assert held(means) >= LEAVING
        ask(wants)
        assert held(means) & LEAVING == {"Deleted.", "Superseded."}
        (row,) = [row for row in means.store.events.chain() if row.operation == "compaction"]
        detail = json.loads(row.event_json or "{}")
        assert (detail["trigger"], detail["threshold"], detail["rowsPurged"]) == ("recalls", 3, 1)
        assert detail["rowsInspected"] >= 3

    def test_what_was_retired_long_ago_leaves(self, means: Means) -> None:
        """After the time in which it may be taken back."""
        furnished(means)
        ask(wanting(means, undo_days=1), 3)
        assert held(means) & LEAVING == set()

    def test_a_failure_waits_for_as_many_recalls(self, means: Means, monkeypatch: pytest.MonkeyPatch) -> None:
        """The recall answers and says what failed; the next two do not try; the third does."""
        furnished(means)
        wants, tries = wanting(means), []

        def fails(*_: object) -> object:
            tries.append(1)
            raise StoreError("on purpose", code="on_purpose")

        monkeypatch.setattr(type(means.store.memories), "remove", fails)
        assert ask(wants, 3)["compaction"] == "on_purpose"
        assert cleanup(wants).failure.startswith("on_purpose ")
        assert "compaction" not in ask(wants, 2)
        assert len(tries) == 1
        assert ask(wants)["compaction"] == "on_purpose"
        assert len(tries) == 2
        monkeypatch.undo()
        ask(wants, 3)
        assert "Scratch." not in held(means)
        assert cleanup(wants).failure == ""

    def test_what_hooks_recalled_counts(self, means: Means) -> None:
        """Their receipts are receipts; whatever asks next acts on them."""
        furnished(means)
        scope = means.context.sight.one("repository")
        for n in range(3):
            with means.store.transaction():
                means.store.usage.put(samples.bundle(scope, moment="prompt", timestamp=plus_days(NOON, n)))
        assert compact_if_due(wanting(means)) == ""
        assert "Scratch." not in held(means)

    def test_it_runs_again_when_nothing_left(self, means: Means) -> None:
        """A run that found nothing is told of too, and the count begins anew."""
        wants = wanting(means)
        ask(wants, 7)
        rows = [row for row in means.store.events.chain() if row.operation == "compaction"]
        assert [json.loads(row.event_json or "{}")["rowsPurged"] for row in rows] == [0, 0]
