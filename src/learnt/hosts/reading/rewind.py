"""Turns of a session that a person took back: from where to where in the file they stand.

In Gemini CLI `{"$rewindTo": ID}` drops a message and all that came after it, in Codex `thread_rolled_back` the last so
many turns. Events cannot be taken back once they are told, so the file is looked through before: for the marks alone,
and only where there are any for what they name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from learnt.hosts.reading.lines import opened
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.value import fields, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

MARK: Final = "$rewindTo"
_MARK_BYTES: Final = b'"$rewindTo"'
_ROLLED_BACK: Final = "thread_rolled_back"
_CHUNK_BYTES: Final = 1 << 20
MOST_BYTES: Final = 4 << 20
"""A record up to this size is decoded whole: one that restates the conversation is long, and all of it counts."""

Place = tuple[int, int]
"""A record's number, and that of a message among those it restates (0 for a message of its own)."""


@dataclass(frozen=True, slots=True)
class Rewinds:
    """What was taken back: stretches of the file, the end excluded. One to a message nobody knows takes nothing."""

    stretches: tuple[tuple[Place, Place], ...] = ()

    def took(self, place: Place) -> bool:
        """Whether what stands there was taken back."""
        return any(start <= place < end for start, end in self.stretches)


def rewinds(path: Path) -> Rewinds:
    """The stretches of one session of Gemini CLI.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read.
    """
    if not _marked(path, _MARK_BYTES):
        return Rewinds()
    named = {mark for _, mark, _ in _walk(path) if mark}
    where: dict[str, Place] = {}
    found = []
    for place, mark, identity in _walk(path):
        if identity in named:
            where.setdefault(identity, place)
        elif mark in where:
            start = where[mark]
            found.append((start, place))
            where = {name: at for name, at in where.items() if at < start}
    return Rewinds(tuple(found))


def rollbacks(path: Path) -> Rewinds:
    """The same of a rollout of Codex; a turn begins where the client says that one starts, before its prompt.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It cannot be read.
    """
    if not _marked(path, b'"%s"' % _ROLLED_BACK.encode()):
        return Rewinds()
    turns: list[int] = []
    found: list[tuple[Place, Place]] = []
    started = -1
    for item in records(path):
        event = fields(item.fields.get("payload")) if isinstance(item, Record) else {}
        kind, number = text(event, "type"), item.span.record
        if kind in ("task_started", "turn_started"):
            started = number
        elif kind == "user_message" or text(fields(event.get("item")), "type") == "UserMessage":
            turns.append(started if started >= 0 else number)
            started = -1
        elif kind == _ROLLED_BACK and turns:
            count = event.get("num_turns")
            last = max(0, len(turns) - count) if type(count) is int and count > 0 else len(turns)
            found.extend(((start, 0), (number, 0)) for start in turns[last : last + 1])
            del turns[last:]
    return Rewinds(tuple(found))


def _marked(path: Path, mark: bytes) -> bool:
    """Whether the mark stands anywhere in the file; most files have none and are not decoded for it."""
    with opened(path) as file:
        before = b""
        while piece := file.read(_CHUNK_BYTES):
            if mark in before + piece:
                return True
            before = piece[-len(mark) :]
    return False


def _walk(path: Path) -> Iterator[tuple[Place, str, str]]:
    """Every message and every mark: where it stands, the id a mark names, the id of a message."""
    for item in records(path, most_bytes=MOST_BYTES):
        if not isinstance(item, Record):
            continue
        mark, number = item.fields.get(MARK), item.span.record
        if isinstance(mark, str):
            yield (number, 0), mark, ""
            continue
        for index, message in enumerate(messages_of(item.fields)):
            identity = message.get("id")
            if isinstance(identity, str):
                yield (number, index), "", identity


def messages_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a row: itself, or those with which it restates the conversation."""
    if isinstance(row.get("id"), str):
        return [row]
    inner = row["$set"] if isinstance(row.get("$set"), dict) else row
    restated = inner.get("messages")
    return [message for message in restated if isinstance(message, dict)] if isinstance(restated, list) else []
