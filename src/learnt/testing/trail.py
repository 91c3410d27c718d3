"""How a store marks its audit trail, and what its guardian can do with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from learnt.audit.walk import ERASED, Walk
from learnt.errors import AuditKeyError, UsageError
from learnt.model.chain import hash_of
from learnt.model.checkpoint import Node
from learnt.model.seal import key_name, log_key
from learnt.ports.seals import Seen
from learnt.testing import samples
from learnt.testing.base import Base, OnPurposeError, Raw, undone
from learnt.testing.chain import append

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.model.signed import Divergence
    from learnt.ports.store import Store

MASTER = b"k" * 32


@dataclass
class Seals:
    """Keys in memory, and what was seen.

    Attributes:
        master: None for a key that cannot be read.
    """

    master: bytes | None = MASTER
    last: dict[str, Seen] = field(default_factory=dict)
    gone: list[tuple[int, int]] = field(default_factory=list)

    def key(self, log: str) -> tuple[str, bytes] | None:
        """See `learnt.ports.seals.Seals`."""
        return (key_name(self.master), log_key(self.master, log)) if self.master else None

    def seen(self, log: str) -> Seen | None:
        """What was seen last."""
        return self.last.get(log)

    def saw(self, log: str, position: int, row_hash: str) -> None:
        """Remember it."""
        self.last[log] = Seen(position, row_hash)

    def missed(self, log: str, seen: Seen, position: int) -> None:
        """Remember that it is gone."""
        del log
        self.gone.append((seen.position, position))


def faults(store: Store) -> list[Divergence]:
    """What a walk with the key finds."""
    end = store.trail.end()
    walk = Walk({key_name(MASTER): log_key(MASTER, end.log)}, ())
    walk.go(store.trail.rows(0, end.position))
    walk.finish(end)
    return sorted(walk.faults, key=lambda each: each.position)


class TrailSuite(Base):
    """Marks, checkpoints, cuts."""

    @pytest.fixture
    def marked(self, reopen: Callable[..., Store]) -> Iterator[Callable[[Seals], Store]]:
        """Opens the store of `reopen` with keys (its argument `seals`), and closes it at the end."""
        held: list[Store] = []

        def opened(seals: Seals) -> Store:
            held.append(reopen(seals=seals))
            return held[-1]

        yield opened
        for each in held:
            each.close()

    def test_every_event_is_marked(self, marked: Callable[[Seals], Store]) -> None:
        """With the key of this log alone; and the end is remembered outside of the store."""
        seals = Seals()
        store = marked(seals)
        append(store, 1, 2)
        with store.transaction():
            store.events.append(samples.event(3, reason="r", detail={"b": 1, "a": 'ü"\\\n\x1a'}))
            store.events.append(samples.event(4), samples.event(5))
        end, rows = store.trail.end(), tuple(store.trail.rows(0, 9))
        assert (end.position, len(end.log), len(rows)) == (5, 16, 5)
        assert all((row.mac or "").startswith(key_name(MASTER)) for row in rows)
        assert faults(store) == []
        store.close()
        assert seals.last[end.log] == Seen(5, end.head or "")

    def test_an_undone_event_is_not_seen(self, marked: Callable[[Seals], Store]) -> None:
        """What was rolled back is no end of the trail."""
        seals = Seals()
        store = marked(seals)
        append(store, 1)
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.events.append(samples.event(2)))
        append(store, 3)
        end = store.trail.end()
        assert (end.position, faults(store)) == (2, [])
        store.close()
        assert seals.last[end.log].position == 2

    def test_marked_events_follow_on_unmarked_ones(
        self, marked: Callable[[Seals], Store], store: Store, raw: Raw
    ) -> None:
        """A trail from before there was a key goes on; what stands in it without a mark afterwards shows."""
        append(store, 1, 2)
        other = marked(Seals())
        append(other, 3, 4)
        assert faults(other) == []
        raw.change_event("evt-4", "mac", None)
        assert [(each.position, each.kind) for each in faults(other)] == [(4, "older_writer")]

    def test_a_marked_trail_is_not_gone_on_with_without_its_key(self, marked: Callable[[Seals], Store]) -> None:
        """A write fails whole; a trail that was never marked is gone on with."""
        store = marked(Seals(master=None))
        append(store, 1)
        store = marked(Seals())
        append(store, 2)
        store = marked(Seals(master=None))
        with pytest.raises(AuditKeyError):
            append(store, 3)
        assert store.trail.end().position == 2

    @pytest.mark.parametrize("column", ["reason", "timestamp", "event_json", "prev_hash", "mac"])
    def test_a_changed_event_is_named(self, marked: Callable[[Seals], Store], raw: Raw, column: str) -> None:
        """The very event, not the one after it."""
        store = marked(Seals())
        append(store, 1, 2, 3)
        raw.change_event("evt-2", column, f"{key_name(MASTER)}:00" if column == "mac" else "other")
        assert faults(store)[0].position == 2

    def test_a_cut_end_shows(self, marked: Callable[[Seals], Store], raw: Raw) -> None:
        """Also where the head was mended: there is no seal for what is left."""
        store = marked(Seals())
        append(store, 1, 2, 3)
        before = tuple(store.trail.rows(0, 9))
        raw.drop_event("evt-3")
        raw.set_head(hash_of(before[1]))
        found = faults(store)
        assert [(each.position, each.kind) for each in found] == [(3, "truncated")]

    def test_what_was_seen_is_missed(self, marked: Callable[[Seals], Store], raw: Raw) -> None:
        """The next writer notes outside of the store that the trail does not go on from there."""
        seals = Seals()
        store = marked(seals)
        append(store, 1, 2, 3)
        hashes = [hash_of(row) for row in store.trail.rows(0, 9)]
        store.close()
        raw.drop_event("evt-3")
        raw.set_head(hashes[1])
        append(marked(seals), 4)
        assert [seen for seen, _ in seals.gone] == [3]

    def test_checkpoints_come_back(self, store: Store) -> None:
        """By size; one key signs once; nothing of an undone transaction stays."""
        with store.transaction():
            store.trail.keep(samples.checkpoint(1, size=9))
            store.trail.keep(samples.checkpoint(0, size=4, cut=2, cut_peaks=("ee",)))
        with pytest.raises(UsageError), store.transaction():
            store.trail.keep(samples.checkpoint(1, size=10))
        kept = store.trail.checkpoints()
        assert kept == (samples.checkpoint(0, size=4, cut=2, cut_peaks=("ee",)), samples.checkpoint(1, size=9))

    def test_nodes_come_back(self, store: Store) -> None:
        """Those that were kept; made anew they replace what lay there."""
        with store.transaction():
            store.trail.keep(
                samples.checkpoint(1),
                [
                    Node(level=8, number=0, hash="aa"),
                    Node(level=8, number=1, hash="bb"),
                    Node(level=9, number=0, hash="cc"),
                ],
            )
            store.trail.keep(samples.checkpoint(2), [Node(level=8, number=1, hash="dd")])
        assert store.trail.nodes([(8, 1), (9, 0), (9, 1)]) == {(8, 1): "dd", (9, 0): "cc"}
        assert store.trail.nodes([]) == {}

    def test_a_cut_takes_the_beginning(self, store: Store) -> None:
        """And no more; the trail goes on behind it."""
        append(store, 1, 2, 3)
        with store.transaction():
            assert store.trail.cut(2) == 2
        append(store, 4)
        assert [row.id for row in store.trail.rows(0, 9)] == ["evt-3", "evt-4"]
        assert (store.trail.end().position, store.events.get("evt-1")) == (4, None)
        assert store.events.about("mem_aaaaaaaaaaaaaaaa")[0].id == "evt-3"

    def test_an_event_can_be_emptied(self, marked: Callable[[Seals], Store]) -> None:
        """Hash and mark stay, the trail holds once an event says so, and nothing else of it is left."""
        store = marked(Seals())
        with store.transaction():
            store.events.append(samples.event(1, reason="why", detail={"a": 1}))
            store.events.append(samples.event(2))
        whole = next(store.trail.rows(0, 1))
        with store.transaction():
            emptied = store.trail.erase(["evt-1", "evt-9"])
        assert emptied == ((1, hash_of(whole)),)
        row = next(store.trail.rows(0, 1))
        assert (row.target_id, row.reason, row.event_json, row.erased) == ("", None, None, hash_of(whole))
        assert [each.position for each in faults(store)] == [1]
        with store.transaction():
            assert store.trail.erase(["evt-1"]) == ()
            told = {str(position): hashed for position, hashed in emptied}
            store.events.append(samples.event(3, detail={ERASED: told}))
        assert faults(store) == []
