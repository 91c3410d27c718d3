"""What opencode's records say, from whichever storage they come.

A success flag is none: a command that failed is `completed` with an exit code, an unknown tool is `completed` as the
tool `invalid`. A call that has no result yet is told under an identity of its own, so that it is told again with its
result. Text in the user role is the person's unless it is `synthetic`: then a plugin put it beside the person's words,
or the client wrote it instead of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.opencode import tools
from learnt.hosts.reading.moment import Moment
from learnt.hosts.reading.stages import ENDED, OPEN, SAID, staged
from learnt.hosts.reading.value import count, from_millis, inner, text
from learnt.model.session import Inherited, SessionEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.hosts.opencode.stock import Item
    from learnt.hosts.reading.moment import End, Use

_TOLD: Final = frozenset(["text", "tool", "step-finish", "compaction"])
_KNOWN: Final = _TOLD | {"reasoning", "step-start", "patch", "file", "subtask", "agent", "retry", "snapshot"}
_BY_THE_CLIENT: Final = (
    "Called the Read tool with",
    "Called the list tool with",
    "Reading MCP resource",
    "Read tool failed",
    "Use the above message and context",
    "Summarize the task tool output",
    "Continue if you have next steps",
    "What did we do so far?",
    "The following tool was executed by the user",
    "<system-reminder>",
)
_READ_FOR_IT: Final = ("Called the Read tool with", "Called the list tool with", "Reading MCP resource")
_TYPED_CHARS: Final = 16_000
_MAX_CHILDREN: Final = 1_000
_TYPED_COMMAND: Final = "The following tool was executed by the user"


class Talk:
    """Items in, events out. What is known of the session as a whole grows meanwhile.

    Args:
        forked_at_ms: Of a fork, when it was made: what is older was copied into it. 0 for any other session.
        scripted: It may not ask anybody anything: a program sent its prompts.
        sidechain: It is a sub-agent's, so its prompts are an agent's words.
        undone_from: The message, and the part of it, from which on the person took the conversation back.
    """

    def __init__(
        self,
        *,
        sidechain: bool,
        cwd: str,
        scripted: bool = False,
        forked_at_ms: float = 0,
        undone_from: tuple[str, str] = ("", ""),
    ) -> None:
        self.records = 0
        self.unknown = 0
        self.model = ""
        self.last_at = ""
        self.person = False
        self.unfinished = False
        self.started: dict[str, None] = {}
        self._sidechain = sidechain
        self._cwd = cwd
        self._scripted = scripted
        self._forked_at_ms = forked_at_ms
        self._undone_from = undone_from
        self._undone = False
        self._message: Item | None = None
        self._parts: list[Item] = []
        self._steps = 0
        self._typed_command = ""

    def take(self, item: Item) -> Iterator[SessionEvent]:
        """The next record."""
        message, part = self._undone_from
        self._undone = self._undone or (item.message == message and part in ("", item.identity))
        if self._undone:
            return
        self.records += 1
        if self._message is None or item.message != self._message.message:
            yield from self.close()
            self._open(item if item.type == "message" else replace(item, type="message", fields={}))
        if self._is_copied():
            yield Inherited(span=staged(item.span), message_id=item.identity)
        elif item.type == "part":
            yield from self._part(item)

    def close(self) -> Iterator[SessionEvent]:
        """What only the end of a message shows."""
        message, parts = self._message, self._parts
        if message is not None and not self._is_copied():
            if message.fields.get("role") == "user":
                yield from self._said(message, parts)
            elif message.fields.get("role") == "assistant":
                yield from self._answered(message, parts)
        self._message, self._parts = None, []

    def _open(self, message: Item) -> None:
        fields = message.fields
        self._message, self._steps = message, 0
        if fields and fields.get("role") not in ("user", "assistant"):
            self.unknown += 1
        self.last_at = max(self.last_at, from_millis(_time(fields, "created")))
        if fields.get("role") == "assistant" and text(fields, "modelID"):
            self.model = "/".join(part for part in (text(fields, "providerID"), text(fields, "modelID")) if part)

    def _is_copied(self) -> bool:
        created = _time(self._message.fields, "created") if self._message else None
        return isinstance(created, (int, float)) and created < self._forked_at_ms

    def _part(self, item: Item) -> Iterator[SessionEvent]:
        kind, role = text(item.fields, "type"), text(self._message.fields, "role") if self._message else ""
        if kind not in _KNOWN:
            self.unknown += 1
        elif kind == "compaction":
            yield self._moment(item).compaction()
        elif kind == "tool":
            yield from self._tool(item)
        elif kind == "step-finish":
            self._steps += 1
            yield from self._paid(item, inner(item.fields, "tokens"), f"{item.message}:{self._steps}")
        elif kind == "text" and (role == "user" or self._is_summary()):
            self._parts.append(item)
        elif kind == "text":
            yield from self._reply(item)

    def _moment(self, item: Item, identity: str = "", stamp: Any = None, stage: int = SAID) -> Moment:
        created = _time(self._message.fields, "created") if self._message else None
        return Moment(
            at=from_millis(stamp) or from_millis(_time(item.fields, "start")) or from_millis(created),
            span=staged(item.span, stage),
            message_id=identity or item.identity,
            cwd=self._cwd,
            sidechain=self._sidechain,
        )

    def _is_summary(self) -> bool:
        fields = self._message.fields if self._message else {}
        return fields.get("summary") is True or fields.get("mode") == "compaction"

    def _reply(self, item: Item) -> Iterator[SessionEvent]:
        """Words of the agent; of a message that nobody owns any more, nobody's."""
        said = text(item.fields, "text")
        if not said.strip():
            return
        if self._message is None or not self._message.fields:
            yield self._moment(item).injected(said, "host")
            return
        growing = "start" in inner(item.fields, "time") and _time(item.fields, "end") is None
        going_on = growing and _is_going_on(self._message.fields)
        moment = self._moment(item, f"{item.identity}:partial", stage=OPEN) if going_on else self._moment(item)
        yield moment.reply(said)

    def _said(self, message: Item, parts: list[Item]) -> Iterator[SessionEvent]:
        """What the texts of a message in the user role are."""
        own = [part for part in parts if not part.fields.get("synthetic") and not part.fields.get("ignored")]
        own = [part for part in own if text(part.fields, "text").strip()]
        read = False
        for part in parts:
            told = text(part.fields, "text")
            if part in own or not told.strip():
                continue
            if told.startswith(_TYPED_COMMAND):
                self._typed_command, self.person = message.identity, True
            read = read or told.startswith(_READ_FOR_IT)
            clients = read or not own or told.lstrip().startswith(_BY_THE_CLIENT) or part.fields.get("ignored")
            ours = told.lstrip().startswith("<recalled_memory")
            yield self._from(message, part).injected(told, "host" if clients and not ours else "hook")
        if own:
            told = "\n".join(text(part.fields, "text") for part in own)
            moment = self._from(message, own[0], message.identity)
            if self._sidechain:
                yield moment.injected(told, "host")
            else:
                yield moment.prompt(_unquoted(told) if self._scripted else told, typed=not self._scripted)

    def _from(self, message: Item, part: Item, identity: str = "") -> Moment:
        return self._moment(part, identity, _time(message.fields, "created"))

    def _answered(self, message: Item, parts: list[Item]) -> Iterator[SessionEvent]:
        """The end of a message of the agent: a summary, what it cost, whether it was stopped."""
        fields = message.fields
        going_on = self.unfinished = _is_going_on(fields)
        summary = "\n".join(text(part.fields, "text") for part in parts).strip()
        stamp = _time(fields, "completed") or _time(fields, "created")
        if summary:
            yield self._moment(message, f"{message.identity}:partial" if going_on else "", stamp).compaction(summary)
        if not self._steps:
            yield from self._paid(message, inner(fields, "tokens"), f"{message.identity}:1")
        error = fields.get("error")
        if isinstance(error, dict) and "Aborted" in text(error, "name"):
            self.person = True
            yield self._moment(message, f"{message.identity}:aborted", stamp).interruption()

    def _paid(self, item: Item, cost: dict[str, Any], identity: str) -> Iterator[SessionEvent]:
        """What one step cost; the first step of a message that tells none is the message's own sum."""
        cache = inner(cost, "cache")
        paid, made, thought = (count(cost, key) for key in ("input", "output", "reasoning"))
        read, wrote = count(cache, "read"), count(cache, "write")
        if thought and cost.get("total") == paid + made + thought + read + wrote:
            made += thought
        if paid or made or read or wrote:
            yield self._moment(item, identity).tokens(paid, made, read, wrote)

    def _tool(self, item: Item) -> Iterator[SessionEvent]:
        state, tool = inner(item.fields, "state"), text(item.fields, "tool")
        given, status, started = inner(state, "input"), text(state, "status"), _time(state, "start")
        if self._message and self._typed_command and self._message.fields.get("parentID") == self._typed_command:
            told = f"$ {text(given, 'command')}\n{text(state, 'output')}"[:_TYPED_CHARS]
            yield self._moment(item, stamp=started).injected(told, "host")
            return
        self._note_child(text(inner(state, "metadata"), "sessionId"))
        done = status in ("completed", "error")
        uses = tools.uses(tool, text(item.fields, "callID") or item.identity, given, self._cwd)
        identity, stage = ("", SAID) if done else (f"{item.identity}:open", OPEN)
        moment = self._moment(item, identity, started, stage)
        for use in uses:
            yield moment.call(use)
        if done:
            yield from self._result(item, uses, tools.end(tool, uses[0], state), _time(state, "end") or started)

    def _result(self, item: Item, uses: list[Use], end: End, stamp: Any) -> Iterator[SessionEvent]:
        """A call's answer; the person's refusal may carry words."""
        answer = self._moment(item, stamp=stamp, stage=ENDED)
        for use in uses:
            yield answer.result(use.call_id, end, use.action)
        if end.text.startswith(tools.REFUSED) and not self._sidechain:
            self.person = True
            if said := end.text.partition(tools.FEEDBACK)[2].strip():
                yield replace(answer, message_id=f"{item.identity}:refusal").prompt(said)

    def _note_child(self, child: str) -> None:
        if child.startswith("ses_") and len(self.started) < _MAX_CHILDREN:
            self.started[child] = None


def _unquoted(told: str) -> str:
    """A prompt as it was given to `opencode run`, which puts what has blanks in it into quotes."""
    inside = told[1:-1]
    return inside if told == f'"{inside}"' and '"' not in inside else told


def _is_going_on(message: dict[str, Any]) -> bool:
    return _time(message, "completed") is None and not message.get("error")


def _time(fields: dict[str, Any], key: str) -> Any:
    """One of a record's times, in milliseconds as it stands there."""
    times = fields.get("time")
    return times.get(key) if isinstance(times, dict) else None
