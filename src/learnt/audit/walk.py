"""The trail gone through once: every link, every mark, the tree; each event is held against the one before."""

from __future__ import annotations

import json
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING

from learnt.audit.tree import Peaks
from learnt.model.chain import row_hash
from learnt.model.event import GENESIS
from learnt.model.seal import end_key, hmac, row_key, said
from learnt.model.signed import Divergence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from learnt.model.checkpoint import End
    from learnt.model.event import ChainRow
    from learnt.model.signed import Kind

ERASED = "erased_events"
"""The key in an event's detail that says which events were emptied: their hashes by position."""

_TEXT = (str, type(None))


class Walk:
    """Where a walk is.

    Attributes:
        wanted: Positions of which root and head are asked; `stood`: what they were.
        last: The last event met. `hashed`: its hash, or that of the last one in the chain.
        faults: What did not hold, each where it was met.
    """

    def __init__(
        self, keys: Mapping[str, bytes], wanted: Iterable[int], tree: Peaks | None = None, head: str = GENESIS
    ) -> None:
        self.tree = tree or Peaks()
        self.wanted = frozenset(wanted)
        self.stood: dict[int, tuple[str, str]] = {}
        self.faults: list[Divergence] = []
        self.events = self.chained = self.legacy = self.marked = self.foreign = 0
        self.first_foreign = self.last_foreign = 0
        self.hashed: str | None = head if head != GENESIS else None
        self.last: ChainRow | None = None
        self.emptied: dict[int, str] = {}
        self._keys = keys
        self._told: dict[str, str] = {}
        self._position = self.tree.size
        self._unchained: ChainRow | None = None
        self._keyed = False

    def go(self, rows: Iterable[ChainRow]) -> None:
        """Through all of them; whatever they hold."""
        add = self.tree.add
        for row in rows:
            self.events += 1
            if row.position != self._position + 1:
                self._gap(row.position)
            self._position = position = row.position
            hashed = self._hash(row)
            if row.prev_hash is None:
                self._bare(row, hashed)
            else:
                self._linked(row, hashed)
            self.last = row
            add(sha256(b"\0" + said(position, hashed)).digest())
            if position in self.wanted:
                self.stood[position] = (self.tree.root().hex(), hashed)
            if row.event_json and ERASED in row.event_json:
                self._note(row.event_json)

    def finish(self, end: End) -> None:
        """What only the end shows: head and seal; and whether what was emptied was told of."""
        if self._unchained is not None:
            self._older(self._unchained, as_before=self.hashed == end.head)
        for position, hashed in self.emptied.items():
            if self._told.get(str(position)) != hashed:
                self.fault(position, "it was emptied, and no event says so")
        if self.hashed != end.head:
            self._headless(end)
        elif end.log and self._unchained is None and (self._keyed or end.seal):
            self._sealed(end)

    def fault(self, position: int, detail: str, kind: Kind = "tampered", name: str = "", until: int = 0) -> None:
        """Something does not hold."""
        made = Divergence(position=position, id=name, detail=detail, kind=kind, until=max(position, until))
        self.faults.append(made)

    def _gap(self, position: int) -> None:
        first, last = self._position + 1, position - 1
        what = f"event {first} is" if first == last else f"events {first} to {last} are"
        self.fault(first, f"{what} missing" if first <= last else "an event stands where another stood")
        self.tree = Peaks(position - 1, [b"\0" * 32] * (position - 1).bit_count())

    def _hash(self, row: ChainRow) -> str:
        """The event's hash; of one that holds no text where text belongs there is none that could be right."""
        texts = (row.id, row.operation, row.target_id, row.timestamp)
        if not all(type(each) is str for each in texts) or not all(
            type(each) in _TEXT for each in (row.reason, row.event_json, row.prev_hash, row.mac, row.erased)
        ):
            self.fault(row.position, "a value of another type stands in it", name=str(row.id))
            return ""
        if row.erased is not None:
            self.emptied[row.position] = row.erased
            return row.erased
        return row_hash(row.id, row.operation, row.target_id, row.reason, row.timestamp, row.event_json, row.prev_hash)

    def _bare(self, row: ChainRow, hashed: str) -> None:
        """An event without a hash: from before the chain, or of an older learnt, or robbed of it."""
        if self.chained == 0 and self.hashed is None and row.mac is None:
            self.legacy += 1
            return
        if row.mac is not None:
            self.chained += 1
            self.fault(row.position, "its hash was taken away", name=row.id)
            self.hashed = hashed
        elif self._unchained is None:
            self._unchained = row

    def _linked(self, row: ChainRow, hashed: str) -> None:
        self.chained += 1
        expected = self.hashed or GENESIS
        if self._unchained is not None:
            self._older(self._unchained, as_before=row.prev_hash == expected)
            self._unchained = None
        right = self._is_marked(row, hashed)
        if row.prev_hash != expected and right is not False:
            self._broken(row, expected, sure=bool(right))
        self.hashed = hashed

    def _broken(self, row: ChainRow, expected: str, *, sure: bool) -> None:
        before = self.last
        if expected == GENESIS:
            self.fault(row.position, "the chain does not begin here: events before this one are missing", name=row.id)
        elif sure and before is not None and not self._confirmed(before):
            self.fault(before.position, "it is not the event that the next one followed", name=before.id)
        else:
            self.fault(row.position, "an event at or before this one was changed, removed or inserted", name=row.id)

    def _confirmed(self, row: ChainRow) -> bool:
        return row.mac is not None and row.mac.partition(":")[0] in self._keys

    def _is_marked(self, row: ChainRow, hashed: str) -> bool | None:
        """Whether the mark is right; None where no key that is here can tell."""
        if row.mac is None:
            if self._keyed:
                self.fault(row.position, "it has no mark, although marked ones stand before it", "older_writer", row.id)
            return None
        self._keyed = True
        name, _, mark = row.mac.partition(":")
        key = self._keys.get(name)
        if key is None:
            self.foreign += 1
            self.first_foreign = self.first_foreign or row.position
            self.last_foreign = row.position
            return None
        if compare_digest(hmac(row_key(key, row.id), said(row.position, hashed)).hex().encode(), mark.encode()):
            self.marked += 1
            return True
        self.fault(row.position, "it is not what was marked: changed, moved, or put in", name=row.id)
        return False

    def _older(self, row: ChainRow, *, as_before: bool) -> None:
        """The chain goes on behind events without a hash as if they were not there, or it does not."""
        if as_before:
            detail = "no hash although the chain had begun: an older learnt wrote it, or somebody put it in"
            self.fault(row.position, detail, "older_writer", row.id)
        else:
            self.fault(row.position, "no hash although the chain had begun", name=row.id)

    def _headless(self, end: End) -> None:
        position = self._position + 1
        if end.head is None:
            self.fault(position, "the record of the last event was removed", "truncated")
        elif self.last is None:
            self.fault(position, "all events are gone, and a record of the last one is left", "truncated")
        else:
            detail = (
                "the last event is not the one that was recorded as last: it was changed, or others after it removed"
            )
            if self._confirmed(self.last):
                self.fault(position, detail, "truncated")
            else:
                self.fault(self._position, detail, name=self.last.id)

    def _sealed(self, end: End) -> None:
        """The seal over the last event, which only its writer could make."""
        if self.last is None or self.hashed is None:
            return
        if end.seal is None:
            self.fault(self._position + 1, "the seal of the last event was removed", "truncated")
            return
        name, _, seal = end.seal.partition(":")
        key = self._keys.get(name)
        if key is None and (self.last.mac or "").partition(":")[0] == name:
            return
        right = key is not None and hmac(end_key(key, self.last.id), said(self._position, self.hashed)).hex()
        if not right or not compare_digest(right.encode(), seal.encode()):
            detail = "the seal is not that of the last event: others after it were removed"
            self.fault(self._position + 1, detail, "truncated")

    def _note(self, detail: str) -> None:
        try:
            told = json.loads(detail).get(ERASED)
        except (ValueError, AttributeError, RecursionError):
            return
        if isinstance(told, dict):
            self._told.update({str(position): str(hashed) for position, hashed in told.items()})
