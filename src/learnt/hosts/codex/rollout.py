"""A Codex rollout: `rollout-<time>-<thread>.jsonl`, one record a line.

Most things are told twice, as what the model saw (`response_item`) and as what happened (`event_msg`); words count by
the event, calls by their id. What the client, a hook or a parent thread put into the user role is nobody's prompt; the
summary of a compaction also stands there as an assistant message, and is no reply. A fork holds its own rows only; a
sub-agent may begin with a copy of its parent's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.codex import execution
from learnt.hosts.codex.errands import Errands, rollout_of
from learnt.hosts.reading import tools
from learnt.hosts.reading.kinds import CODEX_EVENTS, CODEX_ITEMS, CODEX_ROWS
from learnt.hosts.reading.moment import Moment
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.rewind import Rewinds, rollbacks
from learnt.hosts.reading.seen import Seen
from learnt.hosts.reading.sheet import Sheet
from learnt.hosts.reading.value import blocks, count, fields, instant, text
from learnt.model.session import Inherited, Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.host import Asked
    from learnt.model.session import Header, SessionEvent

_HOST_STARTS: Final = (
    "# AGENTS.md instructions for",
    "<environment_context>",
    "<user_instructions>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<user_action>",
    "<INSTRUCTIONS>",
)
_EDITOR: Final = ("# Context from my IDE setup:", "# Files mentioned by the user:")
_REQUEST: Final = "## My request for Codex:"
"""Around what was typed in an editor or the desktop client. Source: their rollouts."""
_HOOK: Final = "hooks.additional_context"
_OURS: Final = "<recalled_memory"
_PREFACE: Final = "Another language model started to solve this problem"
_SEATS: Final = ("cli", "vscode", "app_server", "appServer")
_NAME = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+)\.jsonl\Z")
_META_WITHIN: Final = 5
"""Records among which the first one that names the session is."""


class RolloutReader:
    """One rollout, read once. `header()` and `next_offset` are complete when `events()` is exhausted."""

    def __init__(self, asked: Asked) -> None:
        self._path = asked.path
        self._from = asked.offset, asked.number
        named = _NAME.search(asked.path.name)
        self._sheet = Sheet("codex", named[1] if named else asked.path.stem)
        self._lineage = asked.lineage
        self._seen = Seen()
        self._errands = Errands(self._seen)
        self._cwd = ""
        self._meta = False
        self._program = False
        self._own_from = 0
        self._total: object = None
        self.next_offset, self.next_number = self._from

    def header(self) -> Header:
        """What is known of the session so far."""
        children = (rollout_of(self._path, child) for child in self._errands.children) if self._lineage else ()
        return self._sheet.header(tuple(str(child) for child in children if child))

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the file."""
        taken_back = rollbacks(self._path) if self._lineage else Rewinds()
        if self._from[0]:
            for item in islice(records(self._path), _META_WITHIN):
                if isinstance(item, Record) and item.fields.get("type") == "session_meta" and not self._meta:
                    self._begin(item.fields.get("payload"))
        for item in records(self._path, *self._from):
            if not isinstance(item, Malformed) or not item.torn:
                self.next_offset = item.span.offset + item.span.length
                self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield item
            elif isinstance(item, Record):
                self._sheet.records += 1
                if not taken_back.took((item.span.record, 0)):
                    yield from self._record(item)
        span = Span(offset=self.next_offset, length=0, record=self.next_number)
        end = Moment(at=self._sheet.ended_at, span=span, message_id="", sidechain=self._sheet.sidechain)
        yield from self._errands.still_running(end)
        self._seen.close()

    def _record(self, record: Record) -> Iterator[SessionEvent]:
        row, at = record.fields, instant(text(record.fields, "timestamp"))
        kind, payload = text(row, "type"), row.get("payload")
        now = Moment(at=at, span=record.span, message_id=f"@{record.span.offset}", sidechain=self._sheet.sidechain)
        if not isinstance(payload, dict):
            yield from self._bare(row, kind, now)
            return
        if kind not in CODEX_ROWS:
            self._sheet.unknown += 1
            return
        if kind == "session_meta" and not self._meta:
            self._begin(payload)
        ordinal = row.get("ordinal")
        if isinstance(ordinal, int) and 0 < ordinal < self._own_from:
            yield Inherited(span=record.span, message_id=text(payload, "id") or now.message_id)
            return
        self._sheet.seen(at)
        match kind:
            case "response_item":
                yield from self._item(payload, now)
            case "event_msg":
                yield from self._event(payload, now)
            case "compacted":
                yield now.compaction(_summary(text(payload, "message")))
            case "turn_context":
                self._sheet.model = text(payload, "model") or self._sheet.model
                self._cwd = text(payload, "cwd") or self._cwd

    def _bare(self, row: dict[str, Any], kind: str, now: Moment) -> Iterator[SessionEvent]:
        """A row of the oldest versions: no wrapper, no events beside it, so that the messages themselves count."""
        if kind == "message":
            told, role = _as(now, text(row, "id")), text(row, "role")
            if role == "user":
                yield from self._prompt(_said(row), told)
            elif role == "assistant":
                yield from self._reply(_said(row), told)
        elif kind in CODEX_ITEMS:
            yield from self._item(row, now)
        elif "record_type" not in row and "instructions" not in row:
            self._sheet.unknown += 1
            return
        elif not self._meta and text(row, "id"):
            self._begin(row)
        self._sheet.seen(now.at)

    def _begin(self, meta: Any) -> None:
        """The first record: whose session it is."""
        if not isinstance(meta, dict):
            return
        self._meta = True
        sheet, git, source = self._sheet, meta.get("git"), meta.get("source")
        sheet.session_id = text(meta, "id") or sheet.session_id
        sheet.version, sheet.cwd = text(meta, "cli_version"), text(meta, "cwd")
        self._cwd = sheet.cwd
        if isinstance(git, dict):
            sheet.branch, sheet.commit = text(git, "branch"), text(git, "commit_hash")
        sheet.seen(instant(text(meta, "timestamp")))
        sheet.parent_session_id = text(meta, "parent_thread_id") or text(meta, "forked_from_id")
        if isinstance(source, dict) and "subagent" in source:
            self._begin_child(source["subagent"])
        base = meta.get("history_base")
        if isinstance(base, dict) and text(base, "thread_id") == sheet.session_id:  # a further file of one thread
            sheet.parent_session_id = sheet.session_id
            sheet.session_id = (_NAME.search(self._path.name) or ["", sheet.session_id])[1]
        own_from = meta.get("subagent_history_start_ordinal")
        self._own_from = own_from if type(own_from) is int else 0
        self._program = not sheet.sidechain and (source == "exec" or text(meta, "originator").startswith("codex_exec"))
        sheet.interactive = not sheet.sidechain and not self._program and source in _SEATS

    def _begin_child(self, source: Any) -> None:
        spawned = source.get("thread_spawn") if isinstance(source, dict) else None
        self._sheet.sidechain = True
        if isinstance(spawned, dict):
            self._sheet.parent_session_id = text(spawned, "parent_thread_id") or self._sheet.parent_session_id

    def _item(self, payload: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        """What the model saw: calls, their answers, and what was put in front of it."""
        kind = text(payload, "type")
        if kind == "message":
            yield from _put_in_front(payload, now)
        elif kind in ("function_call", "custom_tool_call", "tool_search_call"):
            yield from self._errands.call(execution.name_of(payload) or kind, payload, self._cwd, now)
        elif kind in ("function_call_output", "custom_tool_call_output", "tool_search_output"):
            yield from self._errands.answer(payload, now)
        elif kind == "local_shell_call":
            asked = {"arguments": fields(payload.get("action")), "call_id": payload.get("call_id")}
            yield from self._errands.call("local_shell", asked, self._cwd, now)
        elif kind in ("web_search_call", "image_generation_call"):
            yield from self._errands.own_tool(kind.removesuffix("_call"), payload, self._cwd, now)
        elif kind not in CODEX_ITEMS:
            self._sheet.unknown += 1

    def _event(self, payload: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        """What happened: words, ends of turns, costs, and how calls went."""
        kind = text(payload, "type")
        match kind:
            case "item_completed":
                yield from self._completed(fields(payload.get("item")), now)
            case "user_message":
                if text(payload, "kind") in ("", "plain"):
                    yield from self._prompt(text(payload, "message"), now)
            case "agent_message":
                yield from self._reply(text(payload, "message"), now)
            case "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end":
                yield from self._errands.judged(text(payload, "call_id"), payload, now)
            case "turn_aborted":
                yield _as(now, text(payload, "turn_id"), ":aborted").interruption()
            case "token_count":
                yield from self._tokens(fields(payload.get("info")), now)
            case _ if kind not in CODEX_EVENTS:
                self._sheet.unknown += 1

    def _completed(self, item: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        """A completed item of the newest versions."""
        kind, identity = text(item, "type"), text(item, "id")
        if kind == "UserMessage":
            yield from self._prompt(_said(item), _as(now, identity))
        elif kind == "AgentMessage":
            yield from self._reply(_said(item), _as(now, identity))
        elif kind in ("CommandExecution", "FileChange", "McpToolCall"):
            yield from self._errands.judged(identity, item, now)
        elif kind == "CollabAgentToolCall" and text(item, "tool") == "spawn_agent":
            receivers = item.get("receiver_thread_ids")
            for receiver in receivers if isinstance(receivers, list) else ():
                self._errands.started(receiver)

    def _prompt(self, said: str, now: Moment) -> Iterator[SessionEvent]:
        """Words in the user role: a person's, unless the client wrote them or a parent thread did."""
        start = said.lstrip()
        if not start or not self._seen.add(f"said {now.message_id}"):
            return
        if now.sidechain or start.startswith(_HOST_STARTS):
            yield now.injected(said, "host")
            return
        before, mark, own = said.partition(_REQUEST) if start.startswith(_EDITOR) else ("", "", "")
        if mark:
            yield now.injected(before, "host")
        if own := own.strip() if mark else said:
            yield now.prompt(own, typed=not self._program)

    def _reply(self, said: str, now: Moment) -> Iterator[SessionEvent]:
        if said.strip() and self._seen.add(f"said {now.message_id}"):
            yield now.reply(said)

    def _tokens(self, info: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        """One response's cost; told again with an equal total it is the same response."""
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        if not isinstance(last, dict) or (total is not None and total == self._total):
            return
        self._total = total
        sofar = count(fields(total), "total_tokens")
        read, made = count(last, "cached_input_tokens"), count(last, "output_tokens")
        paid, wrote = max(0, count(last, "input_tokens") - read), count(last, "cache_write_input_tokens")
        yield _as(now, f"{self._sheet.session_id}:{sofar}" if sofar else "").tokens(paid, made, read, wrote)


def _as(now: Moment, identity: str, end: str = "") -> Moment:
    """The moment of something that has an identity of its own."""
    return replace(now, message_id=identity + end) if identity else now


def _put_in_front(payload: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
    """Developer messages and the client's own in the user role; a prompt is told by its event."""
    role = text(payload, "role")
    if role not in ("developer", "user"):
        return
    kinds = fields(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
    marked = isinstance(kinds, list) and _HOOK in kinds
    for said in (text(block, "text") for block in blocks(payload.get("content"))):
        start = said.lstrip()
        hook = marked or start.startswith(_OURS)
        if start and (hook or role == "developer" or start.startswith(_HOST_STARTS)):
            yield _as(now, text(payload, "id")).injected(said, "hook" if hook else "host")


def _summary(told: str) -> str:
    """A summary without the client's sentence before it."""
    return (told.partition("\n")[2] or told) if told.startswith(_PREFACE) else told


def _said(message: dict[str, Any]) -> str:
    """The text of a message's content."""
    return tools.flat(message.get("content"))
