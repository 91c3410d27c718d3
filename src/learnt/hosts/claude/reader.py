"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, one record a line.

What makes them hard, and what is done: one response is spread over several rows that repeat its cost, or is logged
again and again while it streams (an open response waits for its fullest form); rows are repeated by compactions and
copied into forks (each identity counts once, a copy is `Inherited`); a summary, a reminder, a notice and a command
wrapper all come in the user role; newer versions write whole requests between the rows (skipped undecoded).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.claude.lineage import NO_LINEAGE, Lineage, lineage_of, own_session
from learnt.hosts.claude.overview import OUTSIDE_TYPES, Overview
from learnt.hosts.claude.response import Response
from learnt.hosts.claude.row import Row, row_of
from learnt.hosts.reading import tools, words
from learnt.hosts.reading.records import Skipped, records
from learnt.hosts.reading.seen import Seen
from learnt.hosts.reading.value import blocks, text
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
        self._injected: OrderedDict[int, list[int]] = OrderedDict()
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
                yield from self._row(row_of(item))
        yield from self._response.close()
        self._seen.close()

    def _row(self, row: Row) -> Iterator[SessionEvent]:
        """The events of one row."""
        kind = row.fields.get("type")
        self._overview.take(row.fields, row.at)
        if kind == "assistant" and self._open_again(row):
            yield from self._assistant(row)
            return
        if kind not in ("user", "assistant", "system", "attachment"):
            return
        if self._response.is_open:
            yield from self._response.close()
        if kind == "system":
            yield from self._system(row)
            return
        self._boundary = ""
        new = self._seen.add(row.identity)
        if self._copied(row):
            yield Inherited(span=row.span, message_id=row.identity)
        elif new:
            yield from self._ROWS[kind](self, row)

    def _open_again(self, row: Row) -> bool:
        """Whether a row belongs to the response that is still open; its rows may repeat and outgrow each other."""
        message = row.fields.get("message")
        if not isinstance(message, dict) or not self._response.goes_on(text(message, "id")):
            return False
        self._seen.add(row.identity)
        return True

    def _copied(self, row: Row) -> bool:
        """Whether a row was copied from another session when this one was forked or resumed."""
        forked = row.fields.get("forkedFrom")
        elsewhere = text(forked if isinstance(forked, dict) else row.fields, "sessionId")
        if elsewhere and elsewhere != self._overview.session_id:
            self._overview.parent = elsewhere
            return True
        return row.span.offset < self._lineage.until and "uuid" in row.fields

    def _assistant(self, row: Row) -> Iterator[SessionEvent]:
        message = row.fields.get("message")
        if (
            not isinstance(message, dict)
            or row.fields.get("isApiErrorMessage")
            or message.get("model") == "<synthetic>"
        ):
            return
        self._response.open(text(message, "id"), message.get("usage"), row)
        for position, block in enumerate(blocks(message.get("content"))):
            kind = block.get("type")
            if kind == "text" and (said := text(block, "text")).strip():
                reply = Reply(at=row.at, span=row.span, message_id=row.identity, text=said, sidechain=row.sidechain)
                self._response.say(reply, row.fields.get("apiBlockIndex", position))
            elif kind == "tool_use":
                self._response.call(self._call(row, block))
        if not self._response.message_id or self._response.is_full:
            yield from self._response.close()

    def _call(self, row: Row, block: dict[str, Any]) -> Call:
        tool, call_id = text(block, "name"), text(block, "id")
        given = block["input"] if isinstance(block.get("input"), dict) else {}
        action = self._calls[call_id] = tools.action(tool)
        if len(self._calls) > _OPEN_CALLS:
            self._calls.popitem(last=False)
        query, url = tools.asked(tool, given)
        return Call(
            at=row.at,
            span=row.span,
            message_id=row.identity,
            call_id=call_id,
            tool=tool,
            action=action,
            target=tools.target(tool, given),
            head=tools.head(tool, given),
            text=tools.written(tool, given),
            cwd=text(row.fields, "cwd"),
            role=tools.role(tool, given),
            query=query,
            url=url,
            sidechain=row.sidechain,
        )

    def _user(self, row: Row) -> Iterator[SessionEvent]:
        message = row.fields.get("message")
        told = blocks(message.get("content") if isinstance(message, dict) else None)
        if row.fields.get("isCompactSummary"):
            summary = words.summary("\n".join(map(tools.block_text, told)))
            yield Compaction(at=row.at, span=row.span, message_id=row.identity, summary=summary)
            return
        said = []
        for block in told:
            if block.get("type") == "tool_result":
                yield from self._result(row, block, alone=len(told) == 1)
            elif shown := tools.block_text(block):
                said.append(shown)
        if said:
            yield from self._said(row, said)

    def _said(self, row: Row, texts: list[str]) -> Iterator[SessionEvent]:
        """What the texts of one row are: a prompt, the client's words, an interruption."""
        if row.fields.get("isMeta") or row.sidechain or _origin(row) not in ("", "human"):
            yield self._host_text(row, "\n".join(texts))
            return
        parts = [words.spoken(said) for said in texts]
        for told in (told for part in parts for told in part.client):
            yield self._host_text(row, told)
        if any(part.interrupted for part in parts):
            self._overview.saw_person()
            yield Interruption(at=row.at, span=row.span, message_id=row.identity, sidechain=row.sidechain)
        if any(part.slash for part in parts):
            self._overview.saw_person()
        own = "\n".join(part.own for part in parts if part.own)
        if own:
            yield self._prompt(row, own, planned=any(part.planned for part in parts))

    def _host_text(self, row: Row, told: str) -> Injected:
        return Injected(at=row.at, span=row.span, message_id=row.identity, text=told, source="host")

    def _prompt(self, row: Row, own: str, *, planned: bool = False) -> Prompt:
        typed = self._overview.typed(row.fields) and not planned
        return Prompt(at=row.at, span=row.span, message_id=row.identity, text=own, typed=typed)

    def _result(self, row: Row, block: dict[str, Any], *, alone: bool) -> Iterator[SessionEvent]:
        """A tool's answer; the first for its call counts. A refusal may carry words of the person."""
        call_id = text(block, "tool_use_id")
        if call_id not in self._calls and f"call {call_id}" in self._seen:
            return
        output, details = tools.flat(block.get("content")), row.fields.get("toolUseResult")
        interrupted = alone and isinstance(details, dict) and details.get("interrupted") is True
        marked = block.get("is_error") is True
        kind = self._calls.pop(call_id, None)
        failed, code = tools.failure(kind, output, marked=marked, interrupted=interrupted)
        yield Result(
            at=row.at,
            span=row.span,
            message_id=row.identity,
            call_id=call_id,
            failure=failed,
            exit_code=code,
            text=tools.bounded(output, tools.FAILED_CHARS if failed else tools.kept_chars(kind)),
            sidechain=row.sidechain,
        )
        if marked and not row.sidechain:
            refused, said = words.refusal(output)
            if refused:
                self._overview.saw_person()
            if said:
                yield self._prompt(row, said)

    def _system(self, row: Row) -> Iterator[SessionEvent]:
        """A compaction's boundary; it may come again under the same identity when history is replayed between."""
        if self._copied(row):
            yield Inherited(span=row.span, message_id=row.identity)
        elif row.fields.get("subtype") == "compact_boundary" and row.identity != self._boundary:
            self._boundary = row.identity
            yield Compaction(at=row.at, span=row.span, message_id=row.identity)

    def _attachment(self, row: Row) -> Iterator[SessionEvent]:
        """Context from hooks, and prompts that waited while the agent worked."""
        attached = row.fields.get("attachment")
        if not isinstance(attached, dict):
            return
        kind = attached.get("type")
        if kind == "queued_command" and attached.get("commandMode", "prompt") == "prompt" and not row.sidechain:
            own = words.spoken(tools.flat(attached.get("prompt"))).own
            if own:
                yield self._prompt(row, own)
            return
        for told in words.hook_context(attached):
            if self._first_told(told, kind == "hook_success"):
                yield Injected(at=row.at, span=row.span, message_id=row.identity, text=told)

    def _first_told(self, told: str, by_hook: bool) -> bool:  # noqa: FBT001
        """Whether this context is new: the client tells most of it twice, as the hook's output and as what it added."""
        counts = self._injected.setdefault(hash(told), [0, 0])
        before = max(counts)
        counts[by_hook] += 1
        if len(self._injected) > _INJECTED_KEPT:
            self._injected.popitem(last=False)
        return max(counts) > before

    _ROWS: Final = {"user": _user, "assistant": _assistant, "attachment": _attachment}


def _origin(row: Row) -> str:
    origin = row.fields.get("origin")
    return text(origin, "kind") if isinstance(origin, dict) else ""
