"""OpenHands' conversations: a folder with one JSON file an event, and one with the state of the whole.

Events are never rewritten; a conversation grows by files. Their times carry no zone and are this machine's. One
response of the model that calls several tools is told as several action events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.errors import NotFoundError
from learnt.hosts.host import Asked, Host
from learnt.hosts.openhands import conversation
from learnt.hosts.reading.moment import End, Moment, Use
from learnt.hosts.reading.records import decoded
from learnt.hosts.reading.tools import flat
from learnt.hosts.reading.value import fields, from_stamp, text
from learnt.model.lookup import source_type
from learnt.model.session import Header, Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from learnt.model.session import ActionType, SessionEvent

_QUIET: Final = frozenset(
    [
        "SystemPromptEvent",
        "CondensationRequest",
        "PauseEvent",
        "ConversationErrorEvent",
        "LLMCompletionLogEvent",
        "TokenEvent",
        "HookExecutionEvent",
        "ACPToolCallEvent",
        "StreamingDeltaEvent",
    ]
)
"""Events of the format that hold nothing of the conversation."""
_SHELLS: Final = frozenset(["terminal", "execute_bash", "bash", "TerminalAction", "ExecuteBashAction"])
_WRITES: Final = frozenset(["create", "str_replace", "insert", "undo_edit"])
_RUNNING: Final = frozenset(["running", "waiting_for_confirmation"])
_STOPPED: Final = "The command was interrupted"


class OpenHandsReader:
    """One conversation. `header()` and `next_offset` are complete when `events()` is exhausted."""

    def __init__(self, path: Path) -> None:
        self._folder = conversation.home_of(path)
        if not (self._folder / conversation.EVENTS).is_dir():
            hint = "A conversation is a folder with `base_state.json` and `events/`."
            raise NotFoundError(f"{path} is no conversation of OpenHands.", code="no_file", hint=hint)
        self._state = conversation.state(self._folder)
        self._status = text(self._state, "execution_status")
        self._started = self._ended = self._model = ""
        self._records = self._unknown = 0
        self._calls: dict[str, ActionType] = {}
        self._named: dict[str, str] = {}
        self._person = False
        self.next_offset = 0
        self.next_number = 0

    def header(self) -> Header:
        """What is known of the conversation so far."""
        agent = fields(self._state.get("agent"))
        return Header(
            host="openhands",
            session_id=self._folder.name,
            unfinished=self._status in _RUNNING,
            cwd=text(fields(self._state.get("workspace")), "working_dir"),
            model=text(fields(agent.get("llm")), "model"),
            started_at=self._started,
            ended_at=self._ended,
            title=text(self._state, "title")[:500],
            interactive=self._person,
            records=self._records,
            unknown=self._unknown,
        )

    def events(self) -> Iterator[SessionEvent]:
        """Every event, in the order of their files."""
        for number, path in enumerate(conversation.event_files(self._folder)):
            size, item = conversation.event(path)
            span = Span(offset=self.next_offset, length=size, record=number)
            self.next_offset += size
            self.next_number = number + 1
            if isinstance(item, str):
                yield Malformed(span=span, reason=item)
                continue
            self._records += 1
            yield from self._told(item, span, path.stem)

    def _told(self, row: dict[str, Any], span: Span, name: str) -> Iterator[SessionEvent]:
        at = from_stamp(row.get("timestamp"))
        self._started, self._ended = self._started or at, at or self._ended
        cwd = text(fields(self._state.get("workspace")), "working_dir")
        moment = Moment(at=at, span=span, message_id=text(row, "id") or name, cwd=cwd)
        kind = text(row, "kind")
        told = self._KINDS.get(kind)
        if told is not None:
            yield from told(self, moment, row)
        elif kind not in _QUIET:
            self._unknown += 1
        self._person = self._person or kind == "PauseEvent"

    def _message(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        said = flat(fields(row.get("llm_message")).get("content"))
        role = text(fields(row.get("llm_message")), "role")
        if not said.strip():
            pass
        elif text(row, "source") == "user":
            yield moment.prompt(said)
        else:
            yield moment.reply(said) if role == "assistant" else moment.injected(said, "host")
        added = row.get("extended_content")
        for block in added if isinstance(added, list) else []:
            if context := flat([block]).strip():
                yield moment.injected(context)

    def _action(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        if (said := flat(row.get("thought"))).strip():
            yield moment.reply(said)
        given = fields(row.get("action")) or _arguments(row)
        use = _use(text(row, "tool_call_id") or moment.message_id, text(row, "tool_name"), given)
        if use.tool == "finish" and (message := text(given, "message")).strip():
            yield moment.reply(message)
        self._calls[use.call_id] = use.action
        self._named[moment.message_id] = use.call_id
        yield moment.call(use)

    def _observation(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        call_id = self._answered(row)
        seen = fields(row.get("observation"))
        action = self._calls.get(call_id, "other")
        yield moment.result(call_id, _end(action, seen), action)

    def _answered(self, row: dict[str, Any]) -> str:
        """The call an observation is for, by its id or by the event that made it."""
        action = text(row, "action_id")
        return text(row, "tool_call_id") or self._named.get(action, action)

    def _error(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        """A call that could not be made; one of a tool nobody knows has no action event."""
        tool, call_id = text(row, "tool_name"), text(row, "tool_call_id") or moment.message_id
        if call_id not in self._calls:
            self._calls[call_id] = "other"
            yield moment.call(Use(call_id=call_id, tool=tool, action="other", part=True))
        yield moment.result(call_id, End(text=text(row, "error"), failure="error"))

    def _rejected(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        """The person refused a call; the reason they gave are their words."""
        self._person = self._person or text(row, "rejection_source") in ("", "user")
        reason = text(row, "rejection_reason")
        yield moment.result(self._answered(row), End(text=reason, failure="aborted"))

    def _condensed(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        yield moment.compaction(text(row, "summary"))

    def _updated(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        del moment
        if text(row, "key") == "execution_status":
            self._status = text(row, "value")
        elif text(row, "key") == "full_state":
            self._status = text(fields(row.get("value")), "execution_status") or self._status
        yield from ()

    def _interrupted(self, moment: Moment, row: dict[str, Any]) -> Iterator[SessionEvent]:
        del row
        self._person = True
        yield moment.interruption()

    _KINDS: Final[dict[str, Callable[[OpenHandsReader, Moment, dict[str, Any]], Iterator[SessionEvent]]]] = {
        "MessageEvent": _message,
        "ActionEvent": _action,
        "ObservationEvent": _observation,
        "AgentErrorEvent": _error,
        "UserRejectObservation": _rejected,
        "Condensation": _condensed,
        "CondensationSummaryEvent": _condensed,
        "ConversationStateUpdateEvent": _updated,
        "InterruptEvent": _interrupted,
    }


def _use(call_id: str, tool: str, given: dict[str, Any]) -> Use:
    kind, command = text(given, "kind"), text(given, "command")
    target: str | None = None
    action: ActionType = "other"
    if tool in _SHELLS or kind in _SHELLS:
        action, target = "shell", command or None
    elif path := text(given, "path") or text(given, "file_path"):
        target = path
        action = "write" if command in _WRITES else "read" if command in ("view", "") else "other"
    elif source_type(tool):
        action = "lookup"
    elif "delegate" in tool or tool == "task":
        action = "agent"
    written = text(given, "file_text") or text(given, "new_str")
    shown = {key: value for key, value in given.items() if value is not None and key != "kind"}
    return Use(call_id=call_id, tool=tool, action=action, target=target, given=shown, text=written)


def _end(action: ActionType, seen: dict[str, Any]) -> End:
    """How a call ended. -1 is the code of a command that still runs. Source: integrations, OpenHands."""
    told = flat(seen.get("content")) or text(seen, "output") or text(seen, "error")
    marked = seen.get("is_error") is True
    if action != "shell":
        return End(text=told, failure="error" if marked else "")
    code = seen.get("exit_code")
    code = code if code is not None else fields(seen.get("metadata")).get("exit_code")
    number = code if isinstance(code, int) and not isinstance(code, bool) and code != -1 else None
    if seen.get("timeout") is True:
        return End(text=told, failure="timeout", exit_code=number)
    failed = bool(number) or marked
    return End(text=told, failure="exit" if failed else "", exit_code=number, unsaid=not failed and number is None)


def _arguments(row: dict[str, Any]) -> dict[str, Any]:
    """The input as the model wrote it, of a call that could not be understood."""
    call = fields(row.get("tool_call"))
    given = text(call, "arguments") or text(fields(call.get("function")), "arguments")
    try:
        return fields(decoded(given.encode("utf-8", "replace"))) if given else {}
    except (ValueError, RecursionError):
        return {}


def _reads(asked: Asked) -> OpenHandsReader:
    return OpenHandsReader(asked.path)


HOST: Final = Host(
    name="openhands",
    recognises=conversation.recognises,
    reads=_reads,
    folders=conversation.folders,
    files=conversation.files,
    extent=conversation.extent,
    head=conversation.head,
    same=conversation.same,
    resumes=False,
)
