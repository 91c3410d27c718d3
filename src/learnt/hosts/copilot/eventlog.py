"""A Copilot CLI session: `events.jsonl`, one event a line, and `workspace.yaml` beside it.

A command that failed is a success to the client: only its exit code tells. A prompt is told with and without what
hooks and the client put around it. Events with an agent's id are a sub-agent's, told in its parent's file.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.codex import execution
from learnt.hosts.reading.kinds import COPILOT_EVENTS
from learnt.hosts.reading.moment import End, Moment, Use
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.seen import Seen
from learnt.hosts.reading.sheet import Sheet
from learnt.hosts.reading.toolbox import Toolbox
from learnt.hosts.reading.value import fields, instant, text
from learnt.model.session import Call, Malformed, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.host import Asked
    from learnt.model.session import ActionType, FailureType, Header, SessionEvent

_MAX_BESIDE_BYTES: Final = 64 << 10
_TOOLS: Final = Toolbox(
    actions={
        "bash": "shell",
        "powershell": "shell",
        "edit": "write",
        "create": "write",
        "str_replace_editor": "write",
        execution.PATCH: "write",
        "view": "read",
        "task": "agent",
    },
    paths=("path", "file_path"),
    texts=("file_text", "new_str", "content"),
    roles=("agent_type", "subagent_type"),
)
_REFUSED: Final = frozenset(["rejected", "denied", "aborted", "cancelled", "canceled", "user_cancelled"])
_CODE = re.compile(r"<(?:shellId: \S+ completed|exited|command exited) with exit code (-?\d{1,10})>\s*\Z")
_GUIDANCE = re.compile(r'\n+Tool "[^"\n]*" \w+\. Additional guidance from \w+ hooks:\n.*\Z', re.DOTALL)
"""What a hook added to a result; its own event tells it, too."""
_REMINDER = re.compile(r"<system_reminder>.*?</system_reminder>", re.DOTALL)
_PERSON: Final = ("", "user", "human")
_HEADER_KINDS: Final = ("session.start", "session.resume")
_OPEN: Final = 10_000


class CopilotReader:
    """One session, read once. `header()` and `next_offset` are complete when `events()` is exhausted."""

    def __init__(self, asked: Asked) -> None:
        self._path = asked.path
        self._from = asked.offset, asked.number
        self._sheet = Sheet("copilot-cli", self._path.parent.name)
        self._seen = Seen()
        self._calls: dict[str, ActionType] = {}
        self.next_offset, self.next_number = self._from

    def header(self) -> Header:
        """What is known of the session so far."""
        beside = _beside(self._path)
        sheet = replace(self._sheet, title=beside.get("name", "") or self._sheet.title)
        return replace(sheet, cwd=sheet.cwd or beside.get("cwd", "")).header()

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the file."""
        if self._from[0]:
            for item in islice(records(self._path), 1):
                if isinstance(item, Record):
                    self._about(fields(item.fields.get("data")))
        for item in records(self._path, *self._from):
            if not isinstance(item, Malformed) or not item.torn:
                self.next_offset = item.span.offset + item.span.length
                self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield item
            elif isinstance(item, Record):
                self._sheet.records += 1
                yield from self._event(item)
        self._seen.close()

    def _event(self, record: Record) -> Iterator[SessionEvent]:
        row, data = record.fields, fields(record.fields.get("data"))
        kind, identity = text(row, "type"), text(row, "id") or f"@{record.span.offset}"
        if kind not in COPILOT_EVENTS:
            self._sheet.unknown += 1
            return
        if not self._seen.add(identity):
            return
        at = instant(text(row, "timestamp"))
        self._sheet.seen(at)
        agent = text(row, "agentId") or text(data, "parentToolCallId")
        now = Moment(at=at, span=record.span, message_id=identity, cwd=self._sheet.cwd, sidechain=bool(agent))
        for event in self._told(kind, data, now):
            yield replace(event, agent_id=agent) if agent and isinstance(event, (Reply, Call, Result)) else event

    def _told(self, kind: str, data: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        match kind:
            case "user.message":
                yield from _said(data, now)
            case "assistant.message":
                yield from self._answered(data, now)
            case "tool.execution_start":
                yield from self._call(text(data, "toolName"), data, now)
            case "tool.execution_complete":
                yield from self._result(data, now)
            case "hook.end":
                if told := _context(data.get("output")):
                    yield now.injected(told)
            case "session.compaction_complete":
                if data.get("success") is not False:
                    yield now.compaction(text(data, "summaryContent"))
            case "session.usage_record":
                yield from _paid(fields(data.get("usage")), now)
            case "abort":
                self._sheet.interactive = self._sheet.interactive or not now.sidechain
                yield now.interruption()
            case _:
                self._state(kind, data, now)

    def _state(self, kind: str, data: dict[str, Any], now: Moment) -> None:
        """What an event says of the session as a whole."""
        if kind in _HEADER_KINDS:
            self._about(data)
        elif kind == "session.model_change":
            self._sheet.model = text(data, "newModel") or self._sheet.model
        elif kind == "session.title_changed":
            self._sheet.title = text(data, "title") or self._sheet.title
        elif kind == "assistant.turn_start" and not now.sidechain:
            self._sheet.unfinished = True
        elif (kind == "assistant.turn_end" and not now.sidechain) or kind == "session.shutdown":
            self._sheet.unfinished = False

    def _about(self, data: dict[str, Any]) -> None:
        sheet, context = self._sheet, fields(data.get("context"))
        sheet.session_id = text(data, "sessionId") or sheet.session_id
        sheet.version = text(data, "copilotVersion") or sheet.version
        sheet.model = text(data, "selectedModel") or sheet.model
        sheet.cwd = sheet.cwd or text(context, "cwd")
        sheet.branch = text(context, "branch") or sheet.branch
        sheet.commit = sheet.commit or text(context, "headCommit")
        sheet.seen(instant(text(data, "startTime")))

    def _answered(self, data: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        """What the model said, and the calls it asked for."""
        if not now.sidechain:
            self._sheet.model = text(data, "model") or self._sheet.model
        if (said := text(data, "content")).strip():
            yield now.reply(said)
        requests = data.get("toolRequests")
        for request in requests if isinstance(requests, list) else ():
            if isinstance(request, dict):
                yield from self._call(text(request, "name"), request, now)

    def _call(self, tool: str, asked: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        """A call, told when it was asked for or when it began, whichever comes first."""
        call_id, arguments = text(asked, "toolCallId") or now.message_id, asked.get("arguments")
        if not self._seen.add(f"call {call_id}"):
            return
        given = arguments if isinstance(arguments, dict) else {"input": arguments} if isinstance(arguments, str) else {}
        for use in _uses(tool, call_id, given, now.cwd):
            self._calls[use.call_id] = use.action
            if len(self._calls) > _OPEN:
                del self._calls[next(iter(self._calls))]
            yield replace(now, message_id=f"{use.call_id}:call").call(use)

    def _result(self, data: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
        call_id = text(data, "toolCallId")
        action = self._calls.pop(call_id, None)
        if action is None and f"call {call_id}" in self._seen:
            return
        end = _end(data, action)
        yield now.result(call_id, end, action)
        part = 1
        while (more := self._calls.pop(f"{call_id}:{part}", None)) is not None:
            yield now.result(f"{call_id}:{part}", End(failure="aborted" if end.failure else ""), more)
            part += 1


def _uses(tool: str, call_id: str, given: dict[str, Any], cwd: str) -> Iterator[Use]:
    """A call, and of a patch one for each further file."""
    if tool == execution.PATCH:
        aim = execution.aim(tool, given, cwd)
        for part, path in enumerate(aim.paths or (None,)):
            name = f"{call_id}:{part}" if part else call_id
            yield Use(
                call_id=name, tool=tool, action="write", target=path, given=given, text=aim.written, part=bool(part)
            )
        return
    use = _TOOLS.use(tool, call_id, given)
    yield replace(use, action="read") if given.get("command") == "view" and use.action == "write" else use


def _end(data: dict[str, Any], action: ActionType | None) -> End:
    """How a call ended; of a command the exit code alone says whether it failed."""
    error, result = fields(data.get("error")), fields(data.get("result"))
    told = _GUIDANCE.sub("", text(error, "message") or text(result, "content") or text(result, "detailedContent"))
    code = fields(data.get("shellExecution")).get("exitCode")
    if type(code) is not int:
        found = _CODE.search(told[-200:]) if action == "shell" else None
        code = int(found[1]) if found else None
    failed = data.get("success") is False
    reason = text(error, "code").lower()
    if failed and reason in _REFUSED:
        return End(text=told, failure="aborted")
    if action != "shell":
        return End(text=told, failure="error" if failed else "")
    kind: FailureType = "timeout" if "timeout" in reason or "timed_out" in reason else "exit"
    return End(text=told, failure=kind if failed or code else "", exit_code=code)


def _said(data: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
    """A prompt, and what the client put around it; what an agent or the client says in its place is nobody's."""
    said, source = text(data, "content"), text(data, "source")
    for told in _REMINDER.findall(text(data, "transformedContent")):
        yield now.injected(told, "host")
    if not said.strip():
        return
    if now.sidechain or source not in _PERSON:
        yield now.injected(said, "host")
    else:
        yield now.prompt(said)


def _context(output: Any) -> str:
    """What a hook added to the conversation."""
    if isinstance(output, str) and output.lstrip().startswith("{"):
        try:
            output = json.loads(output)
        except (ValueError, RecursionError):
            return ""
    answer = fields(output)
    return text(answer, "additionalContext") or text(fields(answer.get("hookSpecificOutput")), "additionalContext")


def _paid(usage: dict[str, Any], now: Moment) -> Iterator[SessionEvent]:
    """A response's cost; what is told as input includes what was read from the cache."""
    paid, made, read, wrote = (
        count if type(count := usage.get(key)) is int else 0
        for key in ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    )
    if paid or made:
        yield now.tokens(max(0, paid - read), made, read, wrote)


def _beside(path: Path) -> dict[str, str]:
    """The flat values of `workspace.yaml`."""
    try:
        with (path.parent / "workspace.yaml").open("rb") as file:
            lines = file.read(_MAX_BESIDE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":") for line in lines if line[:1].isalpha())
    return {key: value.strip().strip("'\"") for key, mark, value in pairs if mark}
