"""A session as a model may read it: bounded text, one JSON object a line, so that nothing in it can pose as a frame.

Source: autonomous-memory seed's predecessor (which messages are kept, the budget, 60 % head and 40 % tail) and codex
(developer messages, AGENTS.md blocks and skill fragments are left out).
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from learnt.model.session import Call, Prompt, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.model.extraction import Speaker
    from learnt.model.session import SessionEvent

CHARS_PER_TOKEN: Final = 4
CONTEXT_SHARE: Final = 0.7
FALLBACK_TOKENS: Final = 16_000
"""Where a model's context is unknown."""
RESULT_CHARS: Final = 32_000
"""A longer result of a tool is left out whole; so is an empty one."""
HEAD_SHARE: Final = 0.6
MAX_OPEN_CALLS: Final = 512
LEFT_OUT: Final = '{"left_out": "the middle of the session is not shown"}'
BREAKS: Final = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Line ends that JSON lets stand."""
_GAP: Final = " [...] "
_LEAST_CHARS: Final = 200
"""A shorter beginning of a cut piece is not worth a line."""
_READERS: Final = frozenset({"grep", "glob", "search", "search_files", "find", "ls", "list", "eval", "read_many_files"})
_BLOCKS = re.compile(
    r"^#{1,3}[ \t]*AGENTS\.md instructions[^\n]*\n+<INSTRUCTIONS>.*?(?:</INSTRUCTIONS>|\Z)"
    r"|<(skill|INSTRUCTIONS|user_instructions|environment_context|system-reminder)\b[^<>]{0,300}>.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""What a client puts into the person's own message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a model reads of a session.

    Attributes:
        text: JSON objects `{"record", "who", "text"}`, one a line, the oldest first.
        items: How many of the session's pieces are in it. `cut`: whether some are not.
    """

    text: str
    items: int
    cut: bool

    @property
    def tokens(self) -> int:
        """About how many, at 4 characters each."""
        return math.ceil(len(self.text) / CHARS_PER_TOKEN)


def budget(limit_tokens: int, context_tokens: int | None) -> int:
    """How many tokens of a session a model is shown: the limit, and at most 70 % of what it can read."""
    readable = FALLBACK_TOKENS if context_tokens is None else math.floor(context_tokens * CONTEXT_SHARE)
    return max(0, min(limit_tokens, readable))


def payload(events: Iterable[SessionEvent], *, budget_tokens: int) -> Payload:
    """The beginning and the end of a session, whole pieces where they fit; memory does not grow with the session."""
    room = budget_tokens * CHARS_PER_TOKEN
    if room <= 0:
        return Payload(text="", items=0, cut=False)
    window = _Window(room)
    for who, record, text in spoken(events):
        window.add(who, record, text)
    return window.payload()


def spoken(events: Iterable[SessionEvent]) -> Iterator[tuple[Speaker, int, str]]:
    """What was said in a session, by whom and in which record.

    Kept are the person's and the agent's words, commands, and what shells, readers and searches answered.
    """
    calls: dict[str, Call] = {}
    for event in events:
        match event:
            case Prompt():
                who: Speaker = "person" if event.typed and not event.sidechain else "agent"
                yield from _piece(who, event.span.record, without_blocks(event.text))
            case Reply():
                yield from _piece("agent", event.span.record, event.text)
            case Call():
                calls[event.call_id] = event
                if len(calls) > MAX_OPEN_CALLS:
                    del calls[next(iter(calls))]
                if event.action == "shell" and event.target:
                    yield from _piece("tool", event.span.record, f"$ {event.target}")
            case Result():
                call = calls.pop(event.call_id, None)
                if call is not None and _is_shown(call) and len(event.text) <= RESULT_CHARS:
                    yield from _piece("tool", event.span.record, event.text)
            case _:
                pass


def without_blocks(text: str) -> str:
    """A person's message without what the client put into it."""
    return _BLOCKS.sub("", text).strip() if "<" in text else text.strip()


def _is_shown(call: Call) -> bool:
    return call.action in {"shell", "read"} or call.tool.lower() in _READERS


def _piece(who: Speaker, record: int, text: str) -> Iterator[tuple[Speaker, int, str]]:
    if text.strip():
        yield who, record, text.strip()


class _Window:
    """The first 60 % and the last 40 % of the room; the piece where the head ends is cut, older ones of the tail go."""

    def __init__(self, room: int) -> None:
        self._left = math.floor(room * HEAD_SHARE)
        self._rest = room - self._left
        self._head: list[str] = []
        self._tail: deque[str] | None = None
        self._tail_chars = 0
        self._cut = False

    def add(self, who: Speaker, record: int, text: str) -> None:
        """The next piece."""
        row = _row(who, record, text)
        if self._tail is not None:
            self._end(self._tail, who, record, text)
        elif len(row) < self._left:
            self._head.append(row)
            self._left -= len(row) + 1
        else:
            begun = _fitted(who, record, text, self._left - 1, first=True)
            if len(begun) > _LEAST_CHARS:
                self._head.append(_row(who, record, begun + _GAP))
                self._left -= len(self._head[-1]) + 1
                text = _GAP + text[len(begun) :]
            self._rest += self._left
            self._tail = deque()
            self._end(self._tail, who, record, text)

    def _end(self, tail: deque[str], who: Speaker, record: int, text: str) -> None:
        row = _row(who, record, text)
        if len(row) >= self._rest:
            self._cut = True
            row = _row(who, record, _GAP + _fitted(who, record, text, self._rest - 1, first=False))
        tail.append(row)
        self._tail_chars += len(row) + 1
        while self._tail_chars > self._rest and tail:
            self._tail_chars -= len(tail.popleft()) + 1
            self._cut = True

    def payload(self) -> Payload:
        """Everything that was kept."""
        tail = self._tail or ()
        rows = [*self._head, *([LEFT_OUT] if self._cut else []), *tail]
        return Payload(text="\n".join(rows), items=len(self._head) + len(tail), cut=self._cut)


def _fitted(who: Speaker, record: int, text: str, room: int, *, first: bool) -> str:
    """The longest beginning (or end) of a text, to a fifth, whose row fits into so many characters."""
    chars = min(len(text), max(0, room))
    while chars > 0:
        part = text[:chars] if first else text[len(text) - chars :]
        if len(_row(who, record, part)) + len(_GAP) <= room:
            return part
        chars = chars * 4 // 5
    return ""


def _row(who: Speaker, record: int, text: str) -> str:
    """One piece as JSON; `</` is written so that no tag can be closed in it."""
    made = json.dumps({"record": record, "who": who, "text": text}, ensure_ascii=False)
    return made.replace("</", "<\\/").translate(BREAKS)
