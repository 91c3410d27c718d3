"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, one record a line.

What makes them hard, and what is done: one response is spread over several rows that repeat its cost, or is logged
again and again while it streams (an open response waits for its fullest form); rows are repeated by compactions and
copied into forks (each identity counts once, a copy is `Inherited`); a summary, a reminder, a notice and a command
wrapper all come in the user role; newer versions write whole requests between the rows (skipped undecoded).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts import tools, words
from learnt.hosts.lineage import NO_LINEAGE, Lineage, lineage_of, own_session
from learnt.hosts.overview import OUTSIDE_TYPES, Overview
from learnt.hosts.records import Record, Skipped, records
from learnt.hosts.response import Place, Response
from learnt.hosts.seen import Seen
from learnt.model.session import (
    Call,
    Compaction,
    Header,
    Inherited,
    Injected,
    Interruption,
    Malformed,
    Prompt,
    Reply,
    Result,
    SessionEvent,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.model.session import ActionType

_OPEN_CALLS: Final = 10_000
_INJECTED_KEPT: Final = 4_096


class ClaudeReader:
    """One transcript, read once. `header()` and `next_offset` are complete when `events()` is exhausted.

    Args:
        offset: Where an earlier reading stopped; `number` is the line there.
        lineage: False leaves the files beside this one unread, so that a fork's copied rows are counted as its own.
    """

    def __init__(self, path: Path, offset: int = 0, number: int = 0, *, lineage: bool = True) -> None:
        self._path = path
        self._offset = offset
        self._number = number
        self._overview = Overview(own_session(path))
        self._lineage: Lineage = lineage_of(path, self._overview.session_id) if lineage else NO_LINEAGE
        self._seen = Seen()
        self._calls: OrderedDict[str, ActionType] = OrderedDict()
        self._injected: OrderedDict[str, list[int]] = OrderedDict()
        self._response = Response(self._seen)
        self._boundary = ""
        self.next_offset = offset
        self.next_number = number

    def header(self) -> Header:
        """What is known of the session so far."""
        return self._overview.header(self._path, self._lineage.parent_session_id)

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the file."""
        for item in records(self._path, self._offset, self._number, OUTSIDE_TYPES):
            if not isinstance(item, Malformed) or not item.torn:
                self.next_offset = item.span.offset + item.span.length
                self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield from self._response.close()
                yield item
            elif isinstance(item, Skipped):
                self._overview.records += 1
            else:
                yield from self._record(item)
        yield from self._response.close()
        self._seen.close()

    def _record(self, record: Record) -> Iterator[SessionEvent]:
        """The events of one record."""
        row = record.fields
        kind = row.get("type")
        self._overview.take(row)
        if kind == "assistant" and self._open_again(row):
            yield from self._assistant(record)
            return
        if kind not in ("user", "assistant", "system", "attachment"):
            return
        yield from self._response.close()
        identity = _text(row, "uuid")
        if kind != "system":
            self._boundary = ""
        if self._copied(record):
            self._seen.add(identity)
            yield Inherited(span=record.span, message_id=identity)
        elif kind == "system":
            yield from self._system(record, identity)
        elif not identity or self._seen.add(identity):
            yield from self._ROWS[kind](self, record)

    def _open_again(self, row: dict[str, Any]) -> bool:
        """Whether a row belongs to the response that is still open; its rows may repeat and outgrow each other."""
        message = row.get("message")
        if not isinstance(message, dict) or not self._response.goes_on(_text(message, "id")):
            return False
        self._seen.add(_text(row, "uuid"))
        return True

    def _copied(self, record: Record) -> bool:
        """Whether a row was copied from another session when this one was forked or resumed."""
        row = record.fields
        forked = row.get("forkedFrom")
        elsewhere = _text(forked, "sessionId") if isinstance(forked, dict) else _text(row, "sessionId")
        if elsewhere and elsewhere != self._overview.session_id:
            self._overview.parent = elsewhere
            return True
        return record.span.offset < self._lineage.until and bool(row.get("uuid"))

    def _assistant(self, record: Record) -> Iterator[SessionEvent]:
        row, message = record.fields, record.fields.get("message")
        if not isinstance(message, dict) or row.get("isApiErrorMessage") or message.get("model") == "<synthetic>":
            return
        at, side, identity = _at(row), _side(row), _identity(record)
        self._response.open(_text(message, "id"), message.get("usage"), Place(at, record.span, side))
        for position, block in enumerate(_blocks(message.get("content"))):
            if block.get("type") == "text" and isinstance(block.get("text"), str) and block["text"].strip():
                reply = Reply(at=at, span=record.span, message_id=identity, text=block["text"], sidechain=side)
                self._response.say(reply, row.get("apiBlockIndex", position))
            elif block.get("type") == "tool_use":
                self._response.call(self._call(record, block, identity))
        if not self._response.message_id:
            yield from self._response.close()

    def _call(self, record: Record, block: dict[str, Any], identity: str) -> Call:
        tool, call_id = _text(block, "name"), _text(block, "id")
        given = block["input"] if isinstance(block.get("input"), dict) else {}
        self._calls[call_id] = tools.action(tool)
        if len(self._calls) > _OPEN_CALLS:
            self._calls.popitem(last=False)
        return Call(
            at=_at(record.fields),
            span=record.span,
            message_id=identity,
            call_id=call_id,
            tool=tool,
            action=tools.action(tool),
            target=tools.target(tool, given),
            head=tools.head(tool, given),
            text=tools.written(tool, given),
            cwd=_text(record.fields, "cwd"),
            sidechain=_side(record.fields),
        )

    def _user(self, record: Record) -> Iterator[SessionEvent]:
        row, message = record.fields, record.fields.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else _blocks(content)
        if row.get("isCompactSummary"):
            text = words.summary("\n".join(map(tools.block_text, blocks)))
            yield Compaction(at=_at(row), span=record.span, message_id=_identity(record), summary=text)
            return
        said = []
        for block in blocks:
            if block.get("type") == "tool_result":
                yield from self._result(record, block, alone=len(blocks) == 1)
            elif text := tools.block_text(block):
                said.append(text)
        yield from self._said(record, said)

    def _said(self, record: Record, texts: list[str]) -> Iterator[SessionEvent]:
        """What the texts of one row are: a prompt, the client's words, an interruption."""
        row, identity = record.fields, _identity(record)
        at, span, side = _at(row), record.span, _side(row)
        if not texts:
            return
        if row.get("isMeta") or side or _origin(row) not in ("", "human"):
            yield Injected(at=at, span=span, message_id=identity, text="\n".join(texts), source="host")
            return
        parts = [words.spoken(text) for text in texts]
        for text in (text for part in parts for text in part.client):
            yield Injected(at=at, span=span, message_id=identity, text=text, source="host")
        if any(part.interrupted for part in parts):
            self._overview.saw_person()
            yield Interruption(at=at, span=span, message_id=identity, sidechain=side)
        if any(part.slash for part in parts):
            self._overview.saw_person()
        own = "\n".join(part.own for part in parts if part.own)
        if own:
            typed = self._overview.typed(row) and not any(part.planned for part in parts)
            yield Prompt(at=at, span=span, message_id=identity, text=own, typed=typed)

    def _result(self, record: Record, block: dict[str, Any], *, alone: bool) -> Iterator[SessionEvent]:
        """A tool's answer; the first for its call counts. A refusal may carry words of the person."""
        row, identity, call_id = record.fields, _identity(record), _text(block, "tool_use_id")
        if call_id and not self._seen.add(f"result {call_id}"):
            return
        output, details = tools.flat(block.get("content")), row.get("toolUseResult")
        interrupted = alone and isinstance(details, dict) and details.get("interrupted") is True
        kind = self._calls.pop(call_id, None)
        marked = block.get("is_error") is True
        failed, code = tools.failure(kind, output, marked=marked, interrupted=interrupted)
        refused, said = words.refusal(output) if marked else (False, "")
        kept = tools.bounded(output, tools.FAILED_CHARS if failed else tools.HEAD_CHARS)
        yield Result(
            at=_at(row),
            span=record.span,
            message_id=identity,
            call_id=call_id,
            failure=failed,
            exit_code=code,
            text=kept,
            sidechain=_side(row),
        )
        if refused:
            self._overview.saw_person()
        if said and not _side(row):
            yield Prompt(at=_at(row), span=record.span, message_id=identity, text=said, typed=self._overview.typed(row))

    def _system(self, record: Record, identity: str) -> Iterator[SessionEvent]:
        """A compaction's boundary; it may come again under the same identity when history is replayed between."""
        row = record.fields
        if row.get("subtype") != "compact_boundary":
            self._seen.add(identity)
        elif not identity or identity != self._boundary:
            self._boundary = identity
            yield Compaction(at=_at(row), span=record.span, message_id=_identity(record))

    def _attachment(self, record: Record) -> Iterator[SessionEvent]:
        """Context from hooks, and prompts that waited while the agent worked."""
        row = record.fields
        attached = row.get("attachment")
        if not isinstance(attached, dict):
            return
        kind, at, identity = attached.get("type"), _at(row), _identity(record)
        if kind == "queued_command" and attached.get("commandMode", "prompt") == "prompt" and not _side(row):
            text = words.spoken(tools.flat(attached.get("prompt"))).own
            if text:
                yield Prompt(at=at, span=record.span, message_id=identity, text=text, typed=self._overview.typed(row))
            return
        for text in words.hook_context(attached):
            if self._first_told(text, kind == "hook_success"):
                yield Injected(at=at, span=record.span, message_id=identity, text=text)

    def _first_told(self, text: str, by_hook: bool) -> bool:  # noqa: FBT001
        """Whether this context is new: the client tells most of it twice, as the hook's output and as what it added."""
        counts = self._injected.setdefault(text, [0, 0])
        before = max(counts)
        counts[by_hook] += 1
        if len(self._injected) > _INJECTED_KEPT:
            self._injected.popitem(last=False)
        return max(counts) > before

    _ROWS: Final = {"user": _user, "assistant": _assistant, "attachment": _attachment}


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _at(row: dict[str, Any]) -> str:
    return _text(row, "timestamp")


def _side(row: dict[str, Any]) -> bool:
    return row.get("isSidechain") is True


def _identity(record: Record) -> str:
    return _text(record.fields, "uuid") or f"@{record.span.offset}"


def _origin(row: dict[str, Any]) -> str:
    origin = row.get("origin")
    return _text(origin, "kind") if isinstance(origin, dict) else ""


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
