"""How a store keeps the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from learnt.audit.chain import verify
from learnt.errors import UsageError
from learnt.model.event import GENESIS
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, Raw, undone

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.audit.report import Report
    from learnt.ports.store import Store


def append(store: Store, *numbers: int) -> None:
    """Append events, each in its own transaction."""
    for number in numbers:
        with store.transaction():
            store.events.append(samples.event(number))


def report(store: Store) -> Report:
    """What verification says."""
    head_rows = store.events.sealed()
    return verify(head_rows[1], head_rows[0])


class ChainSuite(Base):
    """Appending, reading, and what a changed trail looks like."""

    def test_a_fresh_trail_is_verified(self, store: Store) -> None:
        """No events and no head: nothing is missing."""
        found = report(store)
        assert (found.verified, found.events, found.head_stored) == (True, 0, None)

    def test_events_come_back_in_order(self, store: Store) -> None:
        """The first is chained to GENESIS, and an event is found by id and by target."""
        with store.transaction():
            store.events.append(samples.event(1, reason="r", detail={"b": 1, "a": "ü"}))
            store.events.append(samples.event(2, "mem_bbbbbbbbbbbbbbbb"))
            store.events.append(samples.event(3))
        rows = tuple(store.events.chain())
        assert [row.id for row in rows] == ["evt-1", "evt-2", "evt-3"]
        assert (rows[0].prev_hash, rows[0].event_json) == (GENESIS, '{"a":"ü","b":1}')
        assert rows[1].event_json is None
        assert store.events.get("evt-2") == rows[1]
        assert store.events.get("evt-9") is None
        assert store.events.about("mem_aaaaaaaaaaaaaaaa") == (rows[0], rows[2])
        assert store.events.about("mem_bbbbbbbbbbbbbbbb", "mem_aaaaaaaaaaaaaaaa", "mem_cccccccccccccccc") == rows
        assert store.events.about() == ()

    def test_several_at_once_are_one_after_the_other(self, store: Store) -> None:
        """They are chained to one another and to what was there, and what comes next to the last of them."""
        append(store, 1)
        with store.transaction():
            store.events.append()
            store.events.append(*map(samples.event, range(2, 9)))
            store.events.append(samples.event(9))
        found = report(store)
        assert (found.verified, found.chained, found.head_match) == (True, 9, True)
        assert [row.id for row in store.events.chain()] == [f"evt-{number}" for number in range(1, 10)]

    def test_every_event_is_chained(self, store: Store) -> None:
        """After n writes n links hold and the head matches, over more than one stretch of reading."""
        with store.transaction():
            for number in range(2_050):
                store.events.append(samples.event(number))
        found = report(store)
        assert (found.verified, found.chained, found.legacy, found.head_match) == (True, 2_050, 0, True)

    def test_two_handles_write_one_chain(self, reopen: Callable[[], Store]) -> None:
        """Alternating writers read the head inside their own transaction."""
        one, two = reopen(), reopen()
        for number in range(0, 40, 2):
            append(one, number)
            append(two, number + 1)
        assert (report(one).verified, report(two).events) == (True, 40)
        one.close()
        two.close()

    def test_an_undone_event_leaves_no_trace(self, store: Store) -> None:
        """A failed transaction takes its event and the moved head back."""
        append(store, 1)
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.events.append(samples.event(2)))
        append(store, 3)
        assert [row.id for row in store.events.chain()] == ["evt-1", "evt-3"]
        assert report(store).verified

    def test_an_id_is_appended_once(self, store: Store) -> None:
        """A second event with a known id is refused and changes nothing."""
        append(store, 1)
        with pytest.raises(UsageError):
            append(store, 1)
        assert (report(store).verified, report(store).events) == (True, 1)


class TamperingSuite(Base):
    """What the chain shows of a change behind the store's back."""

    @pytest.mark.parametrize("column", ["reason", "timestamp", "event_json"])
    def test_a_changed_event_shows_at_the_next(self, store: Store, raw: Raw, column: str) -> None:
        """The first broken link is the one after the changed row."""
        append(store, 1, 2, 3)
        raw.change_event("evt-1", column, "other")
        found = report(store)
        assert not found.verified
        assert found.divergence is not None
        assert found.divergence.id == "evt-2"

    def test_a_changed_last_event_shows_in_the_head(self, store: Store, raw: Raw) -> None:
        """Every link holds, but the head is another's."""
        append(store, 1, 2)
        raw.change_event("evt-2", "reason", "other")
        found = report(store)
        assert found.divergence is not None
        assert (found.verified, found.divergence.position, found.head_match) == (False, 2, False)

    @pytest.mark.parametrize("gone", ["evt-1", "evt-2"])
    def test_a_removed_event_shows(self, store: Store, raw: Raw, gone: str) -> None:
        """At the beginning and in the middle."""
        append(store, 1, 2, 3)
        raw.drop_event(gone)
        found = report(store)
        assert not found.verified
        assert found.divergence is not None

    def test_a_removed_end_shows(self, store: Store, raw: Raw) -> None:
        """Without the last event, and without any, the head remains alone."""
        append(store, 1, 2)
        raw.drop_event("evt-2")
        assert not report(store).verified
        raw.drop_event("evt-1")
        found = report(store)
        assert (found.verified, found.events) == (False, 0)

    def test_a_removed_head_shows(self, store: Store, raw: Raw) -> None:
        """Chained events without a head are not verified."""
        append(store, 1)
        raw.set_head(None)
        assert not report(store).verified

    def test_old_events_before_the_chain_are_tolerated(self, store: Store, raw: Raw) -> None:
        """Rows without a hash may come first, and are counted."""
        append(store, 1)
        raw.change_event("evt-1", "prev_hash", None)
        raw.set_head(None)
        assert (report(store).verified, report(store).legacy) == (True, 1)
        append(store, 2, 3)
        found = report(store)
        assert (found.verified, found.legacy, found.chained) == (True, 1, 2)

    def test_an_unchained_event_in_the_chain_shows(self, store: Store, raw: Raw) -> None:
        """A row without a hash after the chain began is a divergence there."""
        append(store, 1, 2, 3)
        raw.change_event("evt-2", "prev_hash", None)
        found = report(store)
        assert found.divergence is not None
        assert (found.verified, found.divergence.position) == (False, 2)

    def test_only_old_events_beside_a_head_are_not_verified(self, store: Store, raw: Raw) -> None:
        """A head says that there was a chain."""
        append(store, 1, 2)
        raw.change_event("evt-1", "prev_hash", None)
        raw.change_event("evt-2", "prev_hash", None)
        found = report(store)
        assert (found.verified, found.legacy) == (False, 2)
