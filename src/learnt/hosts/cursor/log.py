"""Cursor's transcripts under `~/.cursor/projects`: what was said and called, without times and without results.

A call's answer is not written, so whether it succeeded is unknown: when its turn ends it is told as neither.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.cursor.place import folder_trusted, noted, project_of
from learnt.hosts.cursor.tools import TOOLS
from learnt.hosts.host import Asked, Fit, size_of
from learnt.hosts.reading.moment import End, Moment
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.value import blocks, from_millis, inner, text
from learnt.hosts.reading.whole import written_at
from learnt.model.session import Header, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.reading.moment import Use
    from learnt.model.session import SessionEvent

_LOOKED_AT: Final = 8
_QUERY: Final = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_BY_THE_CLIENT: Final = ("<system_reminder>", "<system-reminder>", "<system_notification>", "<task_notification>")
_MAX_CALLS: Final = 10_000
_BLOCKS: Final = frozenset({"text", "tool_use", "thinking", "redacted_thinking", "image", "tool_result"})


class LogReader:
    """One transcript, read from its beginning."""

    def __init__(self, asked: Asked) -> None:
        self._path = asked.path
        self.next_offset = size_of(asked)
        self.next_number = 0
        self._side = asked.path.parent.name == "subagents"
        project = project_of(asked.path)
        note = noted(project, asked.path.stem) if project else {}
        self._cwd = text(note, "cwd") or (folder_trusted(project) if project and asked.path.exists() else "")
        self._started_at = from_millis(note.get("createdAtMs"))
        self._ended_at = from_millis(note.get("updatedAtMs")) or written_at(asked.path)
        self._person = False
        self._unfinished = False
        self._records = self._unknown = 0
        self._open: list[Use] = []

    def header(self) -> Header:
        """What is known of the session so far."""
        parent = self._path.parent.parent.name if self._side else ""
        return Header(
            host="cursor",
            session_id=self._path.stem,
            cwd=self._cwd,
            started_at=self._started_at,
            ended_at=self._ended_at,
            parent_session_id=parent,
            agent_id=self._path.stem if self._side else "",
            sidechain=self._side,
            interactive=self._person and not self._side,
            unfinished=self._unfinished,
            records=self._records,
            unknown=self._unknown,
            subagents=() if self._side else self._subagents(),
        )

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the file."""
        for item in records(self._path):
            if item.span.offset >= self.next_offset:
                return
            self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield item
            elif isinstance(item, Record):
                self._records += 1
                yield from self._row(item)

    def _subagents(self) -> tuple[str, ...]:
        folder = self._path.parent / "subagents"
        own = self._path.parent.name == self._path.stem and folder.is_dir()
        return tuple(map(str, sorted(folder.glob("*.jsonl")))) if own else ()

    def _row(self, record: Record) -> Iterator[SessionEvent]:
        fields = record.fields
        moment = Moment(
            at="",
            span=record.span,
            message_id=f"{self._path.stem}:{record.span.record}",
            cwd=self._cwd,
            sidechain=self._side,
        )
        role, kind = fields.get("role"), fields.get("type")
        if role == "user":
            yield from self._closed(moment)
            self._unfinished = True
            yield from self._said(_texts(fields), moment)
        elif role == "assistant":
            yield from self._answered(fields, moment)
        elif kind == "turn_ended":
            self._unfinished = False
            yield from self._closed(moment)
            if "abort" in text(fields, "status"):
                self._person = True
                yield moment.interruption()
        else:
            self._unknown += 1

    def _closed(self, moment: Moment) -> Iterator[SessionEvent]:
        """The calls of a turn that is over: nothing says how they ended."""
        for use in self._open:
            yield moment.result(use.call_id, End(failure="aborted"), use.action)
        self._open = []

    def _said(self, told: str, moment: Moment) -> Iterator[SessionEvent]:
        """The person's words stand inside `user_query`; around them the client tells what it sees."""
        queries = _QUERY.findall(told)
        around = _QUERY.sub("", told).strip() if queries else ""
        own = "\n".join(queries) if queries else told
        if not queries and told.lstrip().startswith(_BY_THE_CLIENT):
            own, around = "", told
        if around:
            yield moment.injected(around, "host")
        if own.strip():
            yield moment.injected(own, "host") if self._side else moment.prompt(own)

    def _answered(self, fields: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        for at, block in enumerate(_blocks(fields)):
            kind = text(block, "type")
            said = text(block, "text") if kind == "text" else ""
            if said.strip() and said.strip() != "[REDACTED]":
                yield moment.reply(said)
            if kind == "tool_use" and len(self._open) < _MAX_CALLS:
                call_id = text(block, "id") or f"{moment.message_id}:{at}"
                use = TOOLS.use(text(block, "name"), call_id, inner(block, "input"))
                self._open.append(use)
                yield moment.call(use)
            self._unknown += kind not in _BLOCKS


def _blocks(fields: dict[str, Any]) -> list[dict[str, Any]]:
    return blocks(inner(fields, "message").get("content"))


def _texts(fields: dict[str, Any]) -> str:
    return "\n".join(said for block in _blocks(fields) if (said := text(block, "text")))


def fit(path: Path) -> Fit:
    """By its first records: a role beside a message and no type, or the end of a turn."""
    known = 0
    for count, item in enumerate(records(path)):
        if isinstance(item, Record):
            fields = item.fields
            spoken = fields.get("role") in ("user", "assistant") and isinstance(fields.get("message"), dict)
            known += fields.get("type") == "turn_ended" or (
                spoken and "type" not in fields and "role" not in inner(fields, "message")
            )
        if count >= _LOOKED_AT:
            break
    if not known:
        return "no"
    return "sure" if project_of(path) else "shaped"
