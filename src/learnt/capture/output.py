"""Finds the two arrays in what an agent wrote: as JSON, in a fenced block, in prose, in JSON within JSON.

Only the arrays are looked for, wherever their name stands before a colon, so the object around them may be missing,
torn or of any shape. One thing is repaired, a comma before a closing bracket; any other array that is no JSON is
dropped and told of, for a list that was cut would be taken as whole.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from learnt.capture.evidence import reference_of
from learnt.model.intake import DECISIONS, MAX_CHARS, PROPOSALS, Invalid, Member, Output
from learnt.model.session import Call, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.intake import ArrayName
    from learnt.model.session import SessionEvent

MAX_MEMBERS: Final = 50
"""Of each array of one output; the rest is dropped and told of."""
MAX_OUTPUTS: Final = 64
"""Of one reading of a session."""
MAX_OPEN_CALLS: Final = 512
_DEPTH: Final = 3
_NAMED: Final = re.compile(rf'"({PROPOSALS}|{DECISIONS})"\s*:\s*|\'({PROPOSALS}|{DECISIONS})\'\s*:\s*(?=\[)')
_THOUGHT: Final = re.compile(r"^[ \t]*<(think|thinking|reasoning)>", re.MULTILINE)
_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[\]}])', re.DOTALL)
_ESCAPED: Final = re.compile(rf'\\+"({PROPOSALS}|{DECISIONS})\\+"')


class _RepeatedError(ValueError):
    """An object names a key twice; which one is meant nobody knows."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _RepeatedError
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_pairs)


def holds(text: str) -> bool:
    """Whether one of the arrays may be in `text`."""
    return PROPOSALS in text or DECISIONS in text


def members(text: str) -> tuple[tuple[Member, ...], tuple[Invalid, ...]]:
    """The members of all arrays in `text`, each once, and what could not be read.

    Cost: one pass over the text for every level of JSON within JSON, at most three.
    """
    found: dict[str, Member] = {}
    wrong: list[Invalid] = []
    counts: dict[ArrayName, int] = {PROPOSALS: 0, DECISIONS: 0}
    for name, value in _arrays(text[:MAX_CHARS], _DEPTH):
        if not isinstance(value, list):
            wrong.append(Invalid(name, -1, *_UNREAD[value if isinstance(value, str) else "no_list"]))
            continue
        for each in value:
            key = f"{name} {json.dumps(each, sort_keys=True)}"
            if key in found:
                continue
            if counts[name] >= MAX_MEMBERS:
                wrong.append(Invalid(name, counts[name], *_UNREAD["too_many"]))
                break
            found[key] = Member(name, counts[name], each)
            counts[name] += 1
    return tuple(found.values()), tuple(dict.fromkeys(wrong))


_UNREAD: Final = {
    "no_json": ("no_json", "The array is no JSON."),
    "repeated_key": ("repeated_key", "An object of the array names a key twice."),
    "no_list": ("no_list", "The name stands before something else than an array."),
    "too_many": ("too_many", f"An output has at most {MAX_MEMBERS} members of one name."),
}


def _arrays(text: str, depth: int) -> Iterator[tuple[ArrayName, Any]]:
    """What stands behind each name: a list, something else, or (as a word of `_UNREAD`) what is wrong with it."""
    at, text = 0, _spoken(text)
    while found := _NAMED.search(text, at):
        name: ArrayName = PROPOSALS if PROPOSALS in found[0] else DECISIONS
        value, at = _value(text, found.end())
        yield name, value
    if depth > 1 and _ESCAPED.search(text):
        for inner in _strings(text):
            yield from _arrays(inner, depth - 1)


def _spoken(text: str) -> str:
    """The text without what a model wrote while it thought: nothing of that is an answer.

    Only a block that begins a line: no string of JSON holds one.
    """
    kept, at = [], 0
    while found := _THOUGHT.search(text, at):
        closing = f"</{found[1]}>"
        end = text.find(closing, found.end())
        if end < 0:
            break
        kept.append(text[at : found.start()])
        at = end + len(closing)
    return "".join((*kept, text[at:])) if kept or at else text


def _value(text: str, at: int) -> tuple[Any, int]:
    if not text.startswith("[", at):
        return "no_list", at
    try:
        return _DECODER.raw_decode(text, at)
    except _RepeatedError:
        return "repeated_key", at
    except (ValueError, RecursionError):
        return _repaired(text, at), at


def _repaired(text: str, at: int) -> Any:
    """The value without commas before closing brackets; `no_json` where that was not all."""
    plain = _COMMA.sub(lambda found: found[1] or found[2], text[at:])
    try:
        return _DECODER.raw_decode(plain)[0] if len(plain) < len(text) - at else "no_json"
    except _RepeatedError:
        return "repeated_key"
    except (ValueError, RecursionError):
        return "no_json"


def _strings(text: str) -> Iterator[str]:
    """The JSON strings in `text` that hold one of the names, decoded."""
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"', text, re.DOTALL):
        if _ESCAPED.search(found[0]):
            try:
                yield str(json.loads(found[0], strict=False))
            except ValueError:
                continue


class Outputs:
    """Collects what the agents of one session wrote, where it holds an array: `feed` each event.

    The main agent's own words, and what a sub-agent gave back as the answer of the call that started it. What any other
    tool answered is somebody else's text and never looked at.
    """

    def __init__(self, session_id: str, role: str = "") -> None:
        self._session_id = session_id
        self._role = role
        self._calls: dict[str, str] = {}
        self._found: list[Output] = []

    def feed(self, event: SessionEvent) -> None:
        """Take the next event."""
        match event:
            case Reply():
                self._take(event, self._role)
            case Call(action="agent"):
                self._calls[event.call_id] = event.role
                if len(self._calls) > MAX_OPEN_CALLS:
                    del self._calls[next(iter(self._calls))]
            case Result() if event.call_id in self._calls:
                role = self._calls.pop(event.call_id)
                if not event.failure:
                    self._take(event, role)
            case _:
                pass

    def _take(self, event: Reply | Result, role: str) -> None:
        if holds(event.text) and len(self._found) < MAX_OUTPUTS:
            self._found.append(Output(text=event.text, role=role, ref=reference_of(self._session_id, event.span)))

    @property
    def found(self) -> tuple[Output, ...]:
        """What was collected, in order."""
        return tuple(self._found)
