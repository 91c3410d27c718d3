"""Cline's and Roo's sessions: one JSON document each, rewritten whole.

Cline's command line keeps `<id>/<id>.messages.json` with a manifest `<id>/<id>.json` beside it; the extensions for the
editor keep a folder a task with `api_conversation_history.json` and what they know of the task beside it. Both hold
messages in the shape of the Anthropic API. Old versions of the extension wrote calls and answers as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.cline import speech, tools
from learnt.hosts.cline.folder import Facts, facts_of, transcript_of
from learnt.hosts.reading.moment import End, Moment, made_id
from learnt.hosts.reading.tools import block_text
from learnt.hosts.reading.value import blocks, fields, from_millis, text
from learnt.hosts.reading.whole import elements, members, size
from learnt.model.session import Header, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.reading.moment import Use
    from learnt.hosts.reading.records import Record
    from learnt.model.session import SessionEvent

_KNOWN: Final = frozenset(
    ["text", "tool_use", "tool_result", "image", "document", "thinking", "redacted_thinking", "reasoning", "file"]
)
_SPOKEN: Final = {"attempt_completion": "result", "plan_mode_respond": "response"}
"""Tools whose input is what the agent says to the person; nobody has to answer them."""
_PAID: Final = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")


class ClineReader:
    """One session, read whole. `header()` and `next_offset` are complete when `events()` is exhausted."""

    def __init__(self, path: Path, host: str) -> None:
        self._host = host
        self._path = transcript_of(path)
        self._facts: Facts = facts_of(self._path, members(self._path, "sessionId", "origin", "version"))
        self._calls: dict[str, tuple[Use, ...]] = {}
        self._waiting: list[tuple[str, str]] = []
        self._open = ""
        self._first = self._last = self._model = self._folder = ""
        self._records = self._unknown = 0
        self._person = False
        self.next_offset = 0
        self.next_number = 0

    def header(self) -> Header:
        """What is known of the session so far."""
        facts = self._facts
        return Header(
            host=self._host,
            session_id=facts.session_id,
            agent=facts.agent,
            unfinished=facts.running,
            version=facts.version,
            cwd=facts.cwd or self._folder,
            branch=facts.branch,
            model=self._model or facts.model,
            started_at=facts.started_at or self._first,
            ended_at=facts.ended_at or self._last,
            title=facts.title,
            parent_session_id=facts.parent,
            sidechain=bool(facts.parent),
            interactive=facts.interactive or (self._person and not facts.parent),
            records=self._records,
            unknown=self._unknown,
        )

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the messages."""
        read = size(self._path)
        for item in elements(self._path, ("messages", "*"), ("*",)):
            self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield item
                continue
            self._records += 1
            yield from self._message(item)
        self.next_offset = read

    def _message(self, record: Record) -> Iterator[SessionEvent]:
        row, role = record.fields, text(record.fields, "role")
        at = from_millis(row.get("ts"))
        self._first, self._last = self._first or at, at or self._last
        content = blocks(row.get("content"))
        strange = role not in ("user", "assistant") or any(block.get("type") not in _KNOWN for block in content)
        self._unknown += strange
        moment = Moment(
            at=at,
            span=record.span,
            message_id=text(row, "id") or made_id(self._facts.session_id, record.span.record, role, row.get("ts")),
            cwd=self._facts.cwd or self._folder,
            sidechain=bool(self._facts.parent),
        )
        if row.get("isSummary") is True:
            yield moment.compaction("\n".join(map(block_text, content)))
        elif role == "assistant":
            yield from self._assistant(moment, row, content)
        elif role == "user":
            yield from self._user(moment, row, content)

    def _assistant(self, moment: Moment, row: dict[str, Any], content: list[dict[str, Any]]) -> Iterator[SessionEvent]:
        model = fields(row.get("modelInfo"))
        self._model = text(model, "id") or text(model, "modelId") or self._model
        native = any(block.get("type") == "tool_use" for block in content)
        self._waiting.clear()
        for place, block in enumerate(content):
            if block.get("type") == "text":
                words, calls = (text(block, "text"), ()) if native else speech.replies(text(block, "text"))
                if words.strip():
                    yield moment.reply(words)
                for number, (tool, given) in enumerate(calls):
                    call_id = f"{moment.message_id}/{place}/{number}"
                    yield from self._call(moment, call_id, tool, given)
            elif block.get("type") == "tool_use":
                call_id = text(block, "id") or f"{moment.message_id}/{place}"
                yield from self._call(moment, call_id, text(block, "name"), fields(block.get("input")))
        yield from _cost(moment, fields(row.get("metrics")))

    def _call(self, moment: Moment, call_id: str, tool: str, given: dict[str, Any]) -> Iterator[SessionEvent]:
        """A call; one by which the agent only speaks needs no answer."""
        if call_id in self._calls:
            return
        made = self._calls[call_id] = tuple(tools.uses(call_id, tool, given))
        self._waiting.append((tool, call_id))
        for use in made:
            yield moment.call(use)
        words = text(given, _SPOKEN.get(tool, ""))
        if words.strip():
            yield moment.reply(words)
            yield moment.result(call_id, End())

    def _user(self, moment: Moment, row: dict[str, Any], content: list[dict[str, Any]]) -> Iterator[SessionEvent]:
        client = text(fields(row.get("metadata")), "displayRole") == "system"
        self._open = ""
        for block in content:
            told = block_text(block)
            if block.get("type") == "tool_result":
                yield from self._result(moment, block)
            elif told and block.get("type") != "text":  # a picture
                yield moment.injected(told, "host")
            elif told:
                self._folder = self._folder or speech.folder(told)
                yield from self._prose(moment, told, client=client)
        if self._open:
            yield from self._ended(moment, self._open, "", marked=False)

    def _prose(self, moment: Moment, told: str, *, client: bool) -> Iterator[SessionEvent]:
        """A text of the user role: the answer to a call in prose, as to every call in XML, or somebody's words."""
        answered = speech.answer(told) if self._waiting else None
        if answered is not None:
            if self._open:
                yield from self._ended(moment, self._open, "", marked=False)
            self._open = self._call_of(answered[0])
            told = answered[1]
            if not told.strip():
                return
        if self._open and not told.startswith("<environment_details>"):
            call_id, self._open = self._open, ""
            yield from self._ended(moment, call_id, told, marked=False)
            return
        spoken = speech.said(told)
        for added in spoken.hooks:
            yield moment.injected(added)
        if spoken.summary:
            yield moment.compaction(spoken.summary)
        if spoken.client or (client and spoken.own):
            yield moment.injected(spoken.client or spoken.own, "host")
        if spoken.own and not client:
            yield moment.prompt(spoken.own, typed=self._facts.typed)

    def _call_of(self, tool: str) -> str:
        """The call an answer in prose is for: the first of that tool that waits, or the first of any name."""
        named = next((place for place, (name, _) in enumerate(self._waiting) if name == tool), 0)
        return self._waiting.pop(named)[1]

    def _result(self, moment: Moment, block: dict[str, Any]) -> Iterator[SessionEvent]:
        marked = block.get("is_error") is True
        yield from self._ended(moment, text(block, "tool_use_id"), block.get("content"), marked=marked)

    def _ended(self, moment: Moment, call_id: str, content: Any, *, marked: bool) -> Iterator[SessionEvent]:
        made = self._calls.get(call_id)
        if not made:
            return
        self._waiting = [each for each in self._waiting if each[1] != call_id]
        self._calls[call_id] = ()
        told = ""
        for use, end in tools.ends(made, content, marked=marked):
            told = told or end.text
            yield moment.result(use.call_id, end, use.action)
        if said := speech.feedback(told) if "<" in told else "":
            self._person = True
            yield moment.prompt(said, typed=self._facts.typed)


def _cost(moment: Moment, told: dict[str, Any]) -> Iterator[SessionEvent]:
    """What a response cost; the input is told with what was read from the cache."""
    several = fields(told.get("tokens"))  # the extension's; the command line has them flat
    keys = ("prompt", "completion", "cached", "") if several else _PAID
    paid, made, read, wrote = (value if isinstance(value := (several or told).get(key), int) else 0 for key in keys)
    if told:
        yield moment.tokens(paid - read if paid >= read else paid, made, read, wrote)
