"""How a store keeps sessions as they are learnt from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.scope import Scope, Sight
from learnt.model.thread import Rank
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, undone
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.ports.store import Store

EARLIER = "2026-05-20T12:00:00.000Z"
LATER = "2026-05-25T12:00:00.000Z"


class ThreadsSuite(Base):
    """The registry of sessions."""

    def test_a_session_comes_back_as_it_was_registered(
        self, store: Store, scope: Scope, sight: Sight, foreign: Scope
    ) -> None:
        """With every field, and for its own repository alone."""
        thread = samples.thread(scope, "t-1", path="/x y/é\x00.jsonl#s", source="app", mode="disabled", extracted=NOON)
        with store.transaction():
            store.threads.put(thread)
        assert store.threads.get(sight, thread.id) == thread
        assert store.threads.get(Sight((foreign,)), thread.id) is None
        assert store.threads.latest(Sight((foreign,)), 9) == ()

    def test_a_session_read_again_keeps_what_was_decided_of_it(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Its place and its time move on; its mode and how far phase 1 has worked do not."""
        thread = samples.thread(scope, "t-1")
        with store.transaction():
            store.threads.put(thread)
            assert store.threads.mark(sight, thread.id, "polluted")
            assert store.threads.worked(sight, thread.id, NOON)
            store.threads.put(replace(thread, updated_at=LATER, path="/elsewhere"))
        kept = replace(thread, updated_at=LATER, path="/elsewhere", mode="polluted", extracted=NOON)
        assert store.threads.get(sight, thread.id) == kept

    def test_sessions_written_to_last_come_first(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Equal times by id; no more than asked for."""
        times = {"t-b": NOON, "t-a": NOON, "t-c": LATER, "t-d": EARLIER}
        with store.transaction():
            for name, at in times.items():
                store.threads.put(samples.thread(scope, name, updated_at=at))
        assert [each.id for each in store.threads.latest(sight, 3)] == ["t-c", "t-a", "t-b"]

    def test_what_is_unknown_or_foreign_is_not_changed(
        self, store: Store, scope: Scope, sight: Sight, foreign: Scope
    ) -> None:
        """And says so."""
        with store.transaction():
            store.threads.put(samples.thread(scope, "t-1"))
            assert not store.threads.mark(Sight((foreign,)), "t-1", "disabled")
            assert not store.threads.worked(Sight((foreign,)), "t-1", NOON)
            assert not store.threads.mark(sight, "t-2", "disabled")
            assert store.threads.remove(Sight((foreign,)), ["t-1"]) == ()
        assert store.threads.get(sight, "t-1") == samples.thread(scope, "t-1")

    def test_a_session_that_leaves_takes_what_it_taught_along(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Others stay."""
        with store.transaction():
            for name in ("t-1", "t-2"):
                store.threads.put(samples.thread(scope, name))
                store.extractions.put(samples.extraction(scope, name))
            assert store.threads.remove(sight, ["t-1", "t-9"]) == ("t-1",)
        assert [each.id for each in store.threads.latest(sight, 9)] == ["t-2"]
        assert [each.session_id for each in store.extractions.ranks(sight)] == ["t-2"]

    def test_a_registration_is_undone_with_its_transaction(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Nothing of it stays."""
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.threads.put(samples.thread(scope, "t-1")))
        assert store.threads.get(sight, "t-1") is None


class ExtractionsSuite(Base):
    """What sessions taught."""

    def test_every_field_of_an_extraction_comes_back(
        self, store: Store, scope: Scope, sight: Sight, foreign: Scope
    ) -> None:
        """Facts with their quotes, counts of what was dropped; for its own repository alone."""
        full = samples.extraction(
            scope, "t-1", slug=None, writer="stub:model", dropped={"quote": 2, "secret": 1}, usage_count=3,
            last_usage=NOON, summary="NUL \x00 é",
        )  # fmt: skip
        with store.transaction():
            assert store.extractions.put(full)
        assert store.extractions.get(sight, "t-1") == full
        assert store.extractions.get(Sight((foreign,)), "t-1") is None
        assert store.extractions.many(sight, ["t-9", "t-1", "t-1"]) == (full,)

    def test_the_later_state_of_a_session_wins(self, store: Store, scope: Scope, sight: Sight) -> None:
        """An equal one replaces, an older one does not; what counts its use stays."""
        first = samples.extraction(scope, "t-1", source_updated_at=NOON)
        with store.transaction():
            store.extractions.put(first)
            store.extractions.cite(sight, ["t-1"], LATER)
            assert not store.extractions.put(replace(first, source_updated_at=EARLIER, summary="older"))
            assert store.extractions.put(replace(first, summary="again"))
        kept = replace(first, summary="again", usage_count=1, last_usage=LATER)
        assert store.extractions.get(sight, "t-1") == kept

    def test_a_row_written_anew_during_a_consolidation_is_not_marked(
        self, store: Store, scope: Scope, sight: Sight
    ) -> None:
        """Marks stand only where the state is the one that was read; all others are taken off."""
        for name in ("t-1", "t-2", "t-3"):
            with store.transaction():
                store.extractions.put(samples.extraction(scope, name))
        with store.transaction():
            assert store.extractions.select(sight, {"t-1": NOON, "t-3": NOON}) == 2
        with store.transaction():
            store.extractions.put(samples.extraction(scope, "t-2", source_updated_at=LATER))
            assert store.extractions.select(sight, {"t-1": NOON, "t-2": NOON}) == 1
        marks = {each.session_id: each.selected_source for each in store.extractions.ranks(sight)}
        assert marks == {"t-1": NOON, "t-2": None, "t-3": None}

    def test_ranks_hold_what_the_choice_goes_by(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """By session id, with the session's mode; one that is in no registry counts as enabled."""
        with store.transaction():
            store.threads.put(samples.thread(scope, "t-2", mode="polluted"))
            for name in ("t-2", "t-1"):
                store.extractions.put(samples.extraction(scope, name))
            store.extractions.put(samples.extraction(foreign, "t-3"))
            assert store.extractions.cite(sight, ["t-1", "t-3", "t-9"], LATER) == 1
        assert store.extractions.ranks(sight) == (
            Rank(session_id="t-1", source_updated_at=NOON, usage_count=1, last_usage=LATER),
            Rank(session_id="t-2", source_updated_at=NOON, mode="polluted"),
        )

    def test_removing_tells_what_was_there(self, store: Store, scope: Scope, sight: Sight, foreign: Scope) -> None:
        """Nothing out of sight leaves."""
        with store.transaction():
            store.extractions.put(samples.extraction(scope, "t-1"))
            assert store.extractions.remove(Sight((foreign,)), ["t-1"]) == ()
            assert store.extractions.remove(sight, ["t-1", "t-2"]) == ("t-1",)
        assert store.extractions.get(sight, "t-1") is None


class SummariesSuite(Base):
    """What sessions are told at their start."""

    def test_one_summary_of_a_scope_is_the_present_one(
        self, store: Store, scope: Scope, sight: Sight, foreign: Scope
    ) -> None:
        """The last one put; an earlier text put again becomes it again."""
        first, second = samples.summary(scope, "One."), samples.summary(scope, "Two.", made_at=LATER)
        with store.transaction():
            store.summaries.put(first)
            store.summaries.put(second)
        assert store.summaries.current(sight) == second
        with store.transaction():
            store.summaries.put(replace(first, made_at=LATER))
        assert store.summaries.current(sight) == replace(first, made_at=LATER)
        assert store.summaries.current(Sight((foreign,))) is None

    def test_old_summaries_leave_and_the_present_one_stays(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Whatever its age, until all of them are cleared."""
        with store.transaction():
            store.summaries.put(samples.summary(scope, "One.", made_at=EARLIER))
            store.summaries.put(samples.summary(scope, "Two.", made_at=EARLIER))
            assert store.summaries.prune(sight, EARLIER) == 0
            assert store.summaries.prune(sight, NOON) == 1
        assert store.summaries.current(sight) == samples.summary(scope, "Two.", made_at=EARLIER)
        with store.transaction():
            assert store.summaries.clear(sight) == 1
        assert store.summaries.current(sight) is None
