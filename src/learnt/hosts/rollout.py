"""A Codex rollout: `rollout-<time>-<thread>.jsonl`, one record a line.

Most things are told twice, as what the model saw (`response_item`) and as what happened (`event_msg`); words count by
the event, calls by their id. What the client, a hook or a parent thread put into the user role is nobody's prompt; the
summary of a compaction also stands there as an assistant message, and is no reply. A fork holds its own rows only; a
sub-agent may begin with a copy of its parent's.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts import execution, tools
from learnt.hosts.errands import Errands, Moment, rollout_of
from learnt.hosts.kinds import CODEX_EVENTS, CODEX_ITEMS, CODEX_ROWS
from learnt.hosts.records import Record, records
from learnt.hosts.row import instant, text
from learnt.hosts.seen import Seen
from learnt.hosts.sheet import Sheet
from learnt.model.session import Compaction, Inherited, Injected, Interruption, Malformed, Prompt, Reply, Span, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.host import Asked
    from learnt.model.session import Header, SessionEvent, SourceType

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
                yield from self._record(item)
        end = Span(offset=self.next_offset, length=0, record=self.next_number)
        yield from self._errands.still_running(self._now(self._sheet.ended_at, end))
        self._seen.close()

    def _record(self, record: Record) -> Iterator[SessionEvent]:
        fields, at = record.fields, instant(text(record.fields, "timestamp"))
        kind, payload = text(fields, "type"), fields.get("payload")
        if not isinstance(payload, dict):
            yield from self._bare(fields, kind, record.span)
            return
        if kind not in CODEX_ROWS:
            self._sheet.unknown += 1
            return
        if kind == "session_meta" and not self._meta:
            self._begin(payload)
        ordinal = fields.get("ordinal")
        if isinstance(ordinal, int) and 0 < ordinal < self._own_from:
            yield Inherited(span=record.span, message_id=text(payload, "id") or f"@{record.span.offset}")
            return
        self._sheet.seen(at)
        match kind:
            case "response_item":
                yield from self._item(payload, at, record.span)
            case "event_msg":
                yield from self._event(payload, at, record.span)
            case "compacted":
                yield from self._compacted(payload, at, record.span)
            case "turn_context":
                self._sheet.model = text(payload, "model") or self._sheet.model
                self._cwd = text(payload, "cwd") or self._cwd

    def _bare(self, fields: dict[str, Any], kind: str, span: Span) -> Iterator[SessionEvent]:
        """A row of the oldest versions: no wrapper, no events beside it, so that the messages themselves count."""
        at = instant(text(fields, "timestamp"))
        if kind == "message":
            said, role = _said(fields), text(fields, "role")
            if role == "user":
                yield from self._prompt(said, text(fields, "id"), at, span)
            elif role == "assistant":
                yield from self._reply(said, text(fields, "id"), at, span)
        elif kind in CODEX_ITEMS:
            yield from self._item(fields, at, span)
        elif "record_type" not in fields and "instructions" not in fields:
            self._sheet.unknown += 1
            return
        elif not self._meta and text(fields, "id"):
            self._begin(fields)
        self._sheet.seen(at)

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

    def _now(self, at: str, span: Span) -> Moment:
        return Moment(at, span, self._sheet.sidechain)

    def _item(self, payload: dict[str, Any], at: str, span: Span) -> Iterator[SessionEvent]:
        """What the model saw: calls, their answers, and what was put in front of it."""
        kind, now = text(payload, "type"), self._now(at, span)
        if kind == "message":
            yield from self._put_in_front(payload, at, span)
        elif kind in ("function_call", "custom_tool_call", "tool_search_call"):
            yield from self._errands.call(execution.name_of(payload) or kind, payload, self._cwd, now)
        elif kind in ("function_call_output", "custom_tool_call_output", "tool_search_output"):
            yield from self._errands.answer(payload, now)
        elif kind == "local_shell_call":
            action = payload.get("action")
            asked = {"arguments": action if isinstance(action, dict) else {}, "call_id": payload.get("call_id")}
            yield from self._errands.call("local_shell", asked, self._cwd, now)
        elif kind in ("web_search_call", "image_generation_call"):
            yield from self._errands.own_tool(kind.removesuffix("_call"), payload, self._cwd, now)
        elif kind not in CODEX_ITEMS:
            self._sheet.unknown += 1

    def _put_in_front(self, payload: dict[str, Any], at: str, span: Span) -> Iterator[SessionEvent]:
        """Developer messages and the client's own in the user role; a prompt is told by its event."""
        role, content = text(payload, "role"), payload.get("content")
        identity = text(payload, "id") or f"@{span.offset}"
        if role not in ("developer", "user") or not isinstance(content, list):
            return
        told = payload.get("internal_chat_message_metadata_passthrough")
        kinds = told.get("content_item_kinds") if isinstance(told, dict) else None
        for block in content:
            said = text(block, "text") if isinstance(block, dict) else ""
            hook = (isinstance(kinds, list) and _HOOK in kinds) or said.lstrip().startswith(_OURS)
            if said and (hook or role == "developer" or said.lstrip().startswith(_HOST_STARTS)):
                source: SourceType = "hook" if hook else "host"
                yield Injected(at=at, span=span, message_id=identity, text=said, source=source)

    def _event(self, payload: dict[str, Any], at: str, span: Span) -> Iterator[SessionEvent]:
        """What happened: words, ends of turns, costs, and how calls went."""
        kind = text(payload, "type")
        match kind:
            case "item_completed":
                yield from self._completed(payload.get("item"), at, span)
            case "user_message":
                if text(payload, "kind") in ("", "plain"):
                    yield from self._prompt(text(payload, "message"), "", at, span)
            case "agent_message":
                yield from self._reply(text(payload, "message"), "", at, span)
            case "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end":
                yield from self._errands.judged(text(payload, "call_id"), payload, self._now(at, span))
            case "turn_aborted":
                identity = f"{text(payload, 'turn_id')}:aborted" if text(payload, "turn_id") else f"@{span.offset}"
                yield Interruption(at=at, span=span, message_id=identity, sidechain=self._sheet.sidechain)
            case "token_count":
                yield from self._tokens(payload.get("info"), at, span)
            case _ if kind not in CODEX_EVENTS:
                self._sheet.unknown += 1

    def _completed(self, item: Any, at: str, span: Span) -> Iterator[SessionEvent]:
        """A completed item of the newest versions."""
        if not isinstance(item, dict):
            return
        kind, identity = text(item, "type"), text(item, "id")
        if kind == "UserMessage":
            yield from self._prompt(_said(item), identity, at, span)
        elif kind == "AgentMessage":
            yield from self._reply(_said(item), identity, at, span)
        elif kind in ("CommandExecution", "FileChange", "McpToolCall"):
            yield from self._errands.judged(identity, item, self._now(at, span))
        elif kind == "CollabAgentToolCall" and text(item, "tool") == "spawn_agent":
            receivers = item.get("receiver_thread_ids")
            for receiver in receivers if isinstance(receivers, list) else ():
                self._errands.started(receiver)

    def _prompt(self, said: str, identity: str, at: str, span: Span) -> Iterator[SessionEvent]:
        """Words in the user role: a person's, unless the client wrote them or a parent thread did."""
        identity = identity or f"@{span.offset}"
        start = said.lstrip()
        if not start or not self._seen.add(f"said {identity}"):
            return
        if self._sheet.sidechain or start.startswith(_HOST_STARTS):
            yield Injected(at=at, span=span, message_id=identity, text=said, source="host")
        else:
            yield Prompt(at=at, span=span, message_id=identity, text=said, typed=not self._program)

    def _reply(self, said: str, identity: str, at: str, span: Span) -> Iterator[Reply]:
        identity = identity or f"@{span.offset}"
        if said.strip() and self._seen.add(f"said {identity}"):
            yield Reply(at=at, span=span, message_id=identity, text=said, sidechain=self._sheet.sidechain)

    def _compacted(self, payload: dict[str, Any], at: str, span: Span) -> Iterator[Compaction]:
        """The summary without the client's sentence before it."""
        told = text(payload, "message")
        if told.startswith(_PREFACE):
            told = told.partition("\n")[2] or told
        yield Compaction(at=at, span=span, message_id=f"@{span.offset}", summary=told)

    def _tokens(self, info: Any, at: str, span: Span) -> Iterator[Tokens]:
        """One response's cost; told again with an equal total it is the same response."""
        total, last = (
            (info.get("total_token_usage"), info.get("last_token_usage")) if isinstance(info, dict) else (0, 0)
        )
        if not isinstance(last, dict) or (total is not None and total == self._total):
            return
        self._total = total
        sum_tokens = _count(total, "total_tokens") if isinstance(total, dict) else 0
        cached = _count(last, "cached_input_tokens")
        yield Tokens(
            at=at,
            span=span,
            message_id=f"{self._sheet.session_id}:tokens:{sum_tokens}" if sum_tokens else f"@{span.offset}",
            input_tokens=max(0, _count(last, "input_tokens") - cached),
            output_tokens=_count(last, "output_tokens"),
            cache_read_tokens=cached,
            cache_write_tokens=_count(last, "cache_write_input_tokens"),
            sidechain=self._sheet.sidechain,
        )


def _count(usage: dict[str, Any], key: str) -> int:
    value = usage.get(key)
    return value if type(value) is int else 0


def _said(message: dict[str, Any]) -> str:
    """The text of a message's content."""
    return tools.flat(message.get("content"))
