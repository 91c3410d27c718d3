"""One response of the model while its rows are still coming in.

A response is told in several rows: one for each content block (newer clients), or the whole of it again and again
while it streams (older ones), each time a little longer. It is held back until something else begins, and then told
once, by the last and fullest form of each part. What it cost is told once, too.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.model.session import Call, Reply, SessionEvent, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.seen import Seen
    from learnt.model.session import Span

_Cost = tuple[int, int, int, int]
_NOTHING: _Cost = (0, 0, 0, 0)
_RECENT = 256
_KEYS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@dataclass(frozen=True, slots=True)
class Place:
    """When and where the last row of a response stands, and whether in a sidechain."""

    at: str
    span: Span
    sidechain: bool


class Response:
    """The response that is open now. `seen` is the reader's set of identities."""

    def __init__(self, seen: Seen) -> None:
        self.message_id = ""
        self._seen = seen
        self._parts: list[Reply | Call] = []
        self._indexes: list[object] = []
        self._cost: _Cost = _NOTHING
        self._place: Place | None = None
        self._told: OrderedDict[str, tuple[_Cost, set[str]]] = OrderedDict()

    def goes_on(self, message_id: str) -> bool:
        """Whether a row of this response belongs to the open one."""
        return bool(message_id) and message_id == self.message_id

    def open(self, message_id: str, usage: Any, place: Place) -> None:
        """A row begins; of a response that is open already, it goes on."""
        self.message_id = message_id
        cost = _cost(usage)
        self._cost = tuple(map(max, self._cost, cost)) if any(self._cost) else cost  # type: ignore[assignment]
        self._place = place

    def say(self, reply: Reply, index: object) -> None:
        """A text; one that begins with what the same part said before replaces it."""
        for at, part in enumerate(self._parts):
            if isinstance(part, Reply) and self._indexes[at] == index and reply.text.startswith(part.text):
                self._parts[at] = reply
                return
        _, told = self._told.get(self.message_id, (_NOTHING, set()))
        if reply.text not in told:
            self._parts.append(reply)
            self._indexes.append(index)

    def call(self, call: Call) -> None:
        """A tool call; the same call again replaces it while the response is open, and is dropped afterwards."""
        for at, part in enumerate(self._parts):
            if isinstance(part, Call) and call.call_id and part.call_id == call.call_id:
                self._parts[at] = call
                return
        if not call.call_id or self._seen.add(f"call {call.call_id}"):
            self._parts.append(call)
            self._indexes.append(None)

    def close(self) -> Iterator[SessionEvent]:
        """Tells the response and forgets it."""
        if self._place is None:
            return
        yield from self._parts
        yield from self._paid(self._place)
        self.message_id, self._place, self._cost = "", None, _NOTHING
        self._parts, self._indexes = [], []

    def _paid(self, place: Place) -> Iterator[Tokens]:
        """What this response cost beyond what was told of it before."""
        known = self.message_id in self._told
        before, texts = self._told.get(self.message_id, (_NOTHING, set()))
        if self.message_id:
            if not known and not self._seen.add(f"cost {self.message_id}"):
                return
            texts = texts | {part.text for part in self._parts if isinstance(part, Reply)}
            self._told[self.message_id] = tuple(map(max, before, self._cost)), texts  # type: ignore[assignment]
            if len(self._told) > _RECENT:
                self._told.popitem(last=False)
        more = [max(0, now - then) for now, then in zip(self._cost, before, strict=True)]
        if any(more):
            yield Tokens(
                at=place.at,
                span=place.span,
                message_id=self.message_id,
                input_tokens=more[0],
                output_tokens=more[1],
                cache_read_tokens=more[2],
                cache_write_tokens=more[3],
                sidechain=place.sidechain,
            )


def _cost(usage: Any) -> _Cost:
    if not isinstance(usage, dict):
        return _NOTHING
    numbers = (usage.get(key) for key in _KEYS)
    return tuple(number if isinstance(number, int) else 0 for number in numbers)  # type: ignore[return-value]
