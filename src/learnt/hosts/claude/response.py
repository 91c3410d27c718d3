"""One response of the model while its rows are still coming in.

A response is told in several rows: one for each content block (newer clients), or the whole of it again and again
while it streams (older ones), each time a little longer. It is held back until something else begins, and then told
once, by the last and fullest form of each part. What it cost is told once, too.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from learnt.model.session import Call, Reply, SessionEvent, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.claude.row import Row
    from learnt.hosts.reading.seen import Seen

_Cost = tuple[int, int, int, int]
_NOTHING: _Cost = (0, 0, 0, 0)
_RECENT = 256
_MAX_PARTS = 500
_MAX_CHARS = 2_000_000
_KEYS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class Response:
    """The response that is open now. `seen` is the reader's set of identities."""

    def __init__(self, seen: Seen) -> None:
        self.message_id = ""
        self._seen = seen
        self._parts: list[Reply | Call] = []
        self._indexes: list[object] = []
        self._cost: _Cost = _NOTHING
        self._row: Row | None = None
        self._told: OrderedDict[str, tuple[_Cost, frozenset[int]]] = OrderedDict()

    @property
    def is_open(self) -> bool:
        """Whether something is held back."""
        return self._row is not None

    @property
    def is_full(self) -> bool:
        """Whether so much is held back that it has to be told now, whatever follows."""
        return len(self._parts) >= _MAX_PARTS or sum(len(part.text) for part in self._parts) > _MAX_CHARS

    def goes_on(self, message_id: str) -> bool:
        """Whether a row of this response belongs to the open one."""
        return bool(message_id) and message_id == self.message_id

    def open(self, message_id: str, usage: Any, row: Row) -> None:
        """A row begins; of a response that is open already, it goes on."""
        self.message_id = message_id
        cost = _cost(usage)
        self._cost = cost if self._cost is _NOTHING else _most(self._cost, cost)
        self._row = row

    def say(self, reply: Reply, index: object) -> None:
        """A text; one that begins with what the same part said before rerows it."""
        for at in range(len(self._parts) - 1, -1, -1):
            part = self._parts[at]
            if isinstance(part, Reply) and self._indexes[at] == index:
                if not reply.text.startswith(part.text):
                    break
                self._parts[at] = reply
                return
        told = self._told.get(self.message_id)
        if told is None or hash(reply.text) not in told[1]:
            self._parts.append(reply)
            self._indexes.append(index)

    def call(self, call: Call) -> None:
        """A tool call; the same call again rerows it while the response is open, and is dropped afterwards."""
        for at, part in enumerate(self._parts):
            if isinstance(part, Call) and call.call_id and part.call_id == call.call_id:
                self._parts[at] = call
                return
        if not call.call_id or self._seen.add(f"call {call.call_id}"):
            self._parts.append(call)
            self._indexes.append(None)

    def close(self) -> Iterator[SessionEvent]:
        """Tells the response and forgets it."""
        if self._row is None:
            return
        yield from self._parts
        if (paid := self._paid(self._row)) is not None:
            yield paid
        self.message_id, self._row, self._cost = "", None, _NOTHING
        self._parts, self._indexes = [], []

    def _paid(self, row: Row) -> Tokens | None:
        """What this response cost beyond what was told of it before."""
        cost = self._cost
        if self.message_id:
            told = self._told.get(self.message_id)
            if told is None and not self._seen.add(f"cost {self.message_id}"):
                return None
            before, texts = told or (_NOTHING, frozenset())
            texts |= {hash(part.text) for part in self._parts if isinstance(part, Reply)}
            self._told[self.message_id] = _most(before, cost), texts
            if len(self._told) > _RECENT:
                self._told.popitem(last=False)
            cost = _beyond(cost, before) if told else cost
        if not any(cost):
            return None
        return Tokens(
            at=row.at,
            span=row.span,
            message_id=self.message_id,
            input_tokens=cost[0],
            output_tokens=cost[1],
            cache_read_tokens=cost[2],
            cache_write_tokens=cost[3],
            sidechain=row.sidechain,
        )


def _most(one: _Cost, other: _Cost) -> _Cost:
    return max(one[0], other[0]), max(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _beyond(cost: _Cost, before: _Cost) -> _Cost:
    most = _most(cost, before)
    return most[0] - before[0], most[1] - before[1], most[2] - before[2], most[3] - before[3]


def _cost(usage: Any) -> _Cost:
    if not isinstance(usage, dict):
        return _NOTHING
    first, second, third, fourth = (number if type(number := usage.get(key)) is int else 0 for key in _KEYS)
    return first, second, third, fourth
