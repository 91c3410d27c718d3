"""SWE-agent's trajectories: one JSON document a run, rewritten after every step.

`trajectory` holds the steps (thought, action, observation, and where the agent stood), `history` the messages the
model saw: its first ones are the system's words, demonstrations and the task. A document without `trajectory` is read
from its messages alone. Nothing has an id or a time. Two runs of one task carry the same file name, so a session is
told apart by how it begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.host import Asked, Fit, Host
from learnt.hosts.reading.moment import Moment, made_id
from learnt.hosts.reading.records import Record, decoded
from learnt.hosts.reading.tools import flat
from learnt.hosts.reading.value import fields, text
from learnt.hosts.reading.whole import begins, elements, head, members, size, written_at
from learnt.hosts.sweagent import actions
from learnt.model.session import Header, Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.reading.document import Way
    from learnt.hosts.reading.moment import Use
    from learnt.model.session import SessionEvent

_STEPS: Final = ("trajectory", "*")
_MESSAGES: Final = ("history", "*")


class SweAgentReader:
    """One run, read whole. `header()` and `next_offset` are complete when `events()` is exhausted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told = members(path, "environment", "info", "replay_config")
        self._session = f"{path.stem}-{made_id(path.parent.name, path.name, *_beginning(path))[-8:]}"
        self._folder = self._open = ""
        self._records = self._unknown = 0
        self._waiting: list[Use] = []
        self.next_offset = 0
        self.next_number = 0

    def header(self) -> Header:
        """What is known of the run so far. A program gives the task, so that nobody counts as having sat there."""
        return Header(
            host="swe-agent",
            session_id=self._session,
            unfinished=not text(fields(self._told.get("info")), "exit_status") and "info" in self._told,
            cwd=self._folder,
            model=_model(self._told.get("replay_config")),
            ended_at=written_at(self._path),
            title=self._path.stem,
            records=self._records,
            unknown=self._unknown,
        )

    def events(self) -> Iterator[SessionEvent]:
        """The task, then every step; of a run without steps every message. What is damaged of either is told."""
        read = size(self._path)
        stepped = any(isinstance(item, Record) for item in elements(self._path, _STEPS))
        for item in self._items(_MESSAGES, rest=not stepped):
            if isinstance(item, Malformed):
                self.next_number = item.span.record + 1
                yield item
            elif stepped and text(item.fields, "role") == "assistant" and not item.fields.get("is_demo"):
                break
            else:
                yield from self._message(item, stepped=stepped)
        yield from self._steps(self.next_number, stepped=stepped)
        self.next_offset = read

    def _items(self, way: Way, *, rest: bool) -> Iterator[Record | Malformed]:
        """The records of one list; both walks meet a fault of the document, which spoils its `rest`: one tells it."""
        end = size(self._path)
        for item in elements(self._path, way):
            if rest or isinstance(item, Record) or item.span.offset + item.span.length < end:
                yield item

    def _steps(self, first: int, *, stepped: bool) -> Iterator[SessionEvent]:
        for item in self._items(_STEPS, rest=stepped):
            span = Span(offset=item.span.offset, length=item.span.length, record=first + item.span.record)
            self.next_number = span.record + 1
            if isinstance(item, Malformed):
                yield Malformed(span=span, reason=item.reason, torn=item.torn)
                continue
            self._records += 1
            if "action" in item.fields:
                yield from self._step(item.fields, span)
            else:
                self._unknown += 1

    def _step(self, row: dict[str, Any], span: Span) -> Iterator[SessionEvent]:
        """A thought, what was done, and what came of it. An edit goes to the file that is open before it."""
        state = _state(row.get("state"))
        self._folder = self._folder or text(state, "working_dir")
        action, thought = text(row, "action"), text(row, "thought") or text(row, "response")
        moment = Moment(
            at="",
            span=span,
            message_id=made_id(self._session, span.record, thought, action),
            cwd=text(state, "working_dir") or self._folder,
        )
        if thought.strip():
            yield moment.reply(thought)
        self._open = text(state, "open_file") if text(state, "open_file") != "n/a" else self._open
        yield from self._done(moment, action, row.get("observation"))

    def _done(self, moment: Moment, action: str, seen: Any) -> Iterator[SessionEvent]:
        if not action.strip():
            return
        use = actions.use(moment.message_id, action, moment.cwd, self._open)
        yield moment.call(use)
        if isinstance(seen, (str, list)):
            yield moment.result(use.call_id, actions.end(use, flat(seen)), use.action)

    def _message(self, record: Record, *, stepped: bool) -> Iterator[SessionEvent]:
        """A message of the history: who wrote it, and in a run without steps what was done."""
        self._records += 1
        row, span = record.fields, record.span
        self.next_number = span.record + 1
        role, words = text(row, "role"), flat(row.get("content"))
        moment = Moment(at="", span=span, message_id=made_id(self._session, span.record, role, words), cwd=self._folder)
        if role == "system" or row.get("is_demo") or text(row, "message_type") in ("demonstration", "system_prompt"):
            if words.strip():
                yield moment.injected(words, "host")
        elif role == "user" and (stepped or not self._waiting):
            if words.strip():
                yield moment.prompt(words, typed=False)
        elif role == "assistant":
            yield from self._spoken(moment, row, words)
        elif role in ("tool", "user"):
            yield from self._observed(moment, row, words)
        else:
            self._unknown += 1

    def _spoken(self, moment: Moment, row: dict[str, Any], words: str) -> Iterator[SessionEvent]:
        thought = text(row, "thought") or words
        if thought.strip():
            yield moment.reply(thought)
        calls = row.get("tool_calls")
        self._waiting = []
        for number, call in enumerate(calls if isinstance(calls, list) else []):
            function = fields(fields(call).get("function"))
            call_id = text(fields(call), "id") or f"{moment.message_id}/{number}"
            use = actions.called(call_id, text(function, "name"), _given(function.get("arguments")), self._open)
            self._opened(use)
            self._waiting.append(use)
            yield moment.call(use)
        if not self._waiting and text(row, "action").strip():
            use = actions.use(moment.message_id, text(row, "action"), self._folder, self._open)
            self._waiting.append(use)
            yield moment.call(use)

    def _opened(self, use: Use) -> None:
        """Which file is open after an action that opens one; of a run with steps the next state says it, too."""
        if use.tool in ("open", "create") and use.target:
            self._open = use.target

    def _observed(self, moment: Moment, row: dict[str, Any], words: str) -> Iterator[SessionEvent]:
        named = row.get("tool_call_ids")
        for use in self._waiting:
            if not isinstance(named, list) or use.call_id in named:
                yield moment.result(use.call_id, actions.end(use, words), use.action)
        self._waiting = []


def _beginning(path: Path) -> Iterator[str]:
    """What tells a run from others of the same name and stays as it grows: its setting, first messages, first step."""
    yield str(members(path, "environment"))
    for way, most in ((_MESSAGES, 2), (_STEPS, 1)):
        for count, item in enumerate(elements(path, way)):
            if count >= most:
                break
            if isinstance(item, Record):
                yield str(sorted(item.fields.items(), key=lambda entry: entry[0]))


def _state(value: Any) -> dict[str, Any]:
    """Where the agent stood: an object, or its JSON in older versions."""
    return _given(value)


def _given(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = decoded(value.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return {}
    return fields(value)


def _model(config: Any) -> str:
    agent = fields(fields(_given(config)).get("agent"))
    return text(fields(agent.get("model")), "name")


def recognises(path: Path) -> Fit:
    """A JSON document with steps or messages of this format; the name ends with `.traj`."""
    if not path.is_file() or not begins(path, b"{"):
        return "no"
    first = head(path)
    known = b'"trajectory"' in first or b'"history"' in first
    if path.suffix == ".traj":
        return "sure" if known else "shaped"
    return "sure" if b'"trajectory"' in first and b'"action"' in first and b'"observation"' in first else "no"


def _reads(asked: Asked) -> SweAgentReader:
    return SweAgentReader(asked.path)


HOST: Final = Host(name="swe-agent", recognises=recognises, reads=_reads, resumes=False)
