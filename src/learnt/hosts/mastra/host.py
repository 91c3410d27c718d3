"""Mastra's sessions as JSON lines: a thread's messages as its stores keep them, or the model calls of auto-swe.

A record of a model call repeats the conversation so far, so each thing said or done counts where it is met first.
Calls whose ids say nothing (Google's models get the tool's name for one) are paired with their results by position
within a record, and told apart from their repetition by tool, input, result and how often the same came before.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.host import Asked, Fit, Host
from learnt.hosts.mastra import tools
from learnt.hosts.mastra.talk import Call, Said, Talk, talk_of
from learnt.hosts.reading.lines import HEAD_BYTES
from learnt.hosts.reading.moment import Moment, made_id
from learnt.hosts.reading.records import Record, Skipped, records
from learnt.hosts.reading.seen import Seen
from learnt.hosts.reading.value import blocks, fields, from_millis, from_stamp, text
from learnt.hosts.reading.whole import head, written_at
from learnt.model.session import Header, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.model.session import SessionEvent

_MAX_RECORD_BYTES: Final = 16 << 20
"""A model call repeats its whole conversation: a record is far longer than what is new in it."""
_LOOKED_AT: Final = 5


class MastraReader:
    """One file, read from its start. `header()` and `next_offset` are complete when `events()` is exhausted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._session = self._started = self._ended = self._model = self._version = ""
        self._made = f"{path.stem}-{made_id(head(path).partition(bytes([10]))[0])[-8:]}"
        self._records = self._unknown = 0
        self._seen = Seen()
        self._waiting: tuple[tuple[Moment, Call], ...] = ()
        self.next_offset = 0
        self.next_number = 0

    def header(self) -> Header:
        """What is known of the session so far."""
        return Header(
            host="mastra",
            session_id=self._session or self._made,
            unnamed=not self._session,
            model=self._model,
            version=self._version,
            started_at=self._started,
            ended_at=self._ended or written_at(self._path),
            records=self._records,
            unknown=self._unknown,
        )

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the file."""
        for item in records(self._path, most_bytes=_MAX_RECORD_BYTES):
            if not isinstance(item, Malformed) or not item.torn:
                self.next_offset = item.span.offset + item.span.length
                self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield item
            elif isinstance(item, Record):
                self._records += 1
                yield from self._record(item)
            elif isinstance(item, Skipped):
                self._records += 1
        for moment, call in self._waiting:
            if self._seen.add(f"call {call.name}"):
                yield moment.call(tools.use(call.name, call.tool, call.given))
        self._seen.close()

    def _record(self, record: Record) -> Iterator[SessionEvent]:
        row = record.fields
        if record.span.length > _MAX_RECORD_BYTES:
            yield Malformed(span=record.span, reason=f"a record of over {_MAX_RECORD_BYTES >> 20} MiB, read in part")
        at = _time(row)
        self._started, self._ended = self._started or at, at or self._ended
        if _is_message(row):
            self._session = self._session or text(row, "threadId") or text(row, "thread_id")
            yield from self._message(record, row, at)
        elif _is_model_call(row):
            asked, answered = fields(row.get("request")), fields(row.get("response"))
            self._session = self._session or text(row, "threadId")
            self._model = text(answered, "modelId") or text(asked, "model") or self._model
            yield from self._told(record, talk_of(asked.get("messages"), answered.get("content")), at)
            yield from _cost(self._moment(record, at, f"{record.span.offset}"), fields(answered.get("usage")))
        else:
            self._unknown += 1

    def _moment(self, record: Record, at: str, key: str) -> Moment:
        return Moment(at=at, span=record.span, message_id=made_id(self._made, key))

    def _message(self, record: Record, row: dict[str, Any], at: str) -> Iterator[SessionEvent]:
        """A message of a thread; a later form of the same one adds what is new in it."""
        name = text(row, "id") or made_id(self._made, record.span.offset)
        role, content = text(row, "role"), row.get("content")
        parts = fields(content).get("parts") if isinstance(content, dict) else content
        moment = Moment(at=at, span=record.span, message_id=name)
        for place, part in enumerate(blocks(parts)):
            kind = text(part, "type")
            if kind == "text" and text(part, "text").strip():
                if self._seen.add(f"text {name} {place}"):
                    yield _spoken(moment, role, text(part, "text"))
            elif kind == "tool-invocation" or kind.startswith("tool-") or kind == "dynamic-tool":
                told = fields(part.get("toolInvocation")) or {"toolName": kind.removeprefix("tool-"), **part}
                yield from self._invocation(moment, told, f"{name}/{place}")
            elif kind not in ("step-start", "reasoning", "file", "source", "source-url", "data", "image"):
                self._unknown += place == 0

    def _invocation(self, moment: Moment, told: dict[str, Any], place: str) -> Iterator[SessionEvent]:
        tool, call_id = text(told, "toolName"), text(told, "toolCallId")
        if not call_id or call_id == tool:
            call_id = place
        use = tools.use(call_id, tool, fields(told.get("args", told.get("input"))))
        if self._seen.add(f"call {call_id}"):
            yield moment.call(use)
        end = tools.invoked(use.action, told)
        if end is not None and self._seen.add(f"result {call_id}"):
            yield moment.result(call_id, end, use.action)

    def _told(self, record: Record, talk: Talk, at: str) -> Iterator[SessionEvent]:
        """What of a conversation was not met before."""
        counts: Counter[str] = Counter()
        waiting = []
        for thing in talk.things:
            if isinstance(thing, Said):
                key = f"{thing.role}\n{thing.text}"
                counts[key] += 1
                if self._seen.add(f"{counts[key]} {key}"):
                    yield _spoken(self._moment(record, at, f"{counts[key]} {key}"), thing.role, thing.text)
                continue
            name = thing.name or _named(thing, counts, self._made)
            moment = self._moment(record, at, name)
            use = tools.use(name, thing.tool, thing.given)
            if not thing.name and thing.answer is None:
                waiting.append((moment, Call(thing.tool, name, thing.given)))
                continue
            if self._seen.add(f"call {name}"):
                yield moment.call(use)
            if thing.answer is not None and self._seen.add(f"result {name}"):
                yield moment.result(name, tools.answered(use.action, thing.answer), use.action)
        self._waiting = tuple(waiting)


def _named(call: Call, counts: Counter[str], session: str) -> str:
    """A name for a call that has none, the same in every repetition."""
    key = made_id(session, call.tool, sorted(call.given.items(), key=str), call.answer)
    counts[key] += 1
    return f"{key}-{counts[key]}"


def _spoken(moment: Moment, role: str, words: str) -> SessionEvent:
    if role == "user":
        return moment.prompt(words)
    return moment.reply(words) if role == "assistant" else moment.injected(words, "host")


def _cost(moment: Moment, usage: dict[str, Any]) -> Iterator[SessionEvent]:
    paid, made = usage.get("inputTokens", usage.get("promptTokens")), usage.get("outputTokens")
    read = usage.get("cachedInputTokens")
    if isinstance(paid, int) and isinstance(made, int):
        cached = read if isinstance(read, int) and read <= paid else 0
        yield moment.tokens(paid - cached, made, cached)


def _time(row: dict[str, Any]) -> str:
    stamp = next((row[key] for key in ("createdAt", "created_at", "timestamp") if key in row), None)
    return from_millis(stamp) or from_stamp(stamp)


def _is_message(row: dict[str, Any]) -> bool:
    return "role" in row and "content" in row and ("threadId" in row or "thread_id" in row or "resourceId" in row)


def _is_model_call(row: dict[str, Any]) -> bool:
    return isinstance(fields(row.get("request")).get("messages"), list) and "response" in row


def recognises(path: Path) -> Fit:
    """By the first records; they may be long, so the first bytes are looked at before."""
    first = head(path)
    if not path.is_file() or not (b'"role"' in first or b'"request"' in first):
        return "no"
    for count, item in enumerate(records(path, most_bytes=_MAX_RECORD_BYTES)):
        if isinstance(item, Record):
            if _is_message(item.fields) or _is_model_call(item.fields):
                return "sure"
            if item.span.offset > HEAD_BYTES:
                break
        if count >= _LOOKED_AT:
            break
    return "no"


def _reads(asked: Asked) -> MastraReader:
    return MastraReader(asked.path)


HOST: Final = Host(name="mastra", recognises=recognises, reads=_reads, resumes=False)
