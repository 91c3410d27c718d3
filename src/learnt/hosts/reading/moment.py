"""One record of a transcript with what every event of it repeats, and the events made of it.

For hosts whose tools differ from one another only by name: what is kept of an input and of an output is the same
everywhere (`learnt.hosts.reading.tools`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from learnt.hosts.reading import tools
from learnt.model.keys import short_id
from learnt.model.session import Call, Compaction, Injected, Interruption, Prompt, Reply, Result, Tokens

if TYPE_CHECKING:
    from learnt.model.session import ActionType, FailureType, SourceType, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A tool as it was used.

    Attributes:
        given: Its input.
        text: Of a write, the new text.
        part: See `learnt.model.session.Call`.
    """

    call_id: str
    tool: str
    action: ActionType
    target: str | None = None
    given: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    role: str = ""
    part: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a call ended. See `learnt.model.session.Result`."""

    text: str = ""
    failure: FailureType = ""
    exit_code: int | None = None
    unsaid: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """See the module. Results carry an identity of their own, so that a call read before its result counts once."""

    at: str
    span: Span
    message_id: str
    cwd: str = ""
    sidechain: bool = False

    def prompt(self, text: str, *, typed: bool = True) -> Prompt:
        """Words of the person."""
        return Prompt(
            at=self.at, span=self.span, message_id=self.message_id, text=text, typed=typed, sidechain=self.sidechain
        )

    def injected(self, text: str, source: SourceType = "hook") -> Injected:
        """Text put in front of the agent."""
        return Injected(at=self.at, span=self.span, message_id=self.message_id, text=text, source=source)

    def reply(self, text: str) -> Reply:
        """Words of the agent."""
        return Reply(at=self.at, span=self.span, message_id=self.message_id, text=text, sidechain=self.sidechain)

    def call(self, use: Use) -> Call:
        """A tool call."""
        query, url = tools.asked(use.tool, use.given)
        return Call(
            at=self.at,
            span=self.span,
            message_id=self.message_id,
            call_id=use.call_id,
            tool=use.tool,
            action=use.action,
            target=use.target,
            head=_head(use),
            text=use.text[: tools.WRITTEN_CHARS] if use.action == "write" else "",
            cwd=self.cwd,
            role=use.role,
            query=query,
            url=url,
            part=use.part,
            sidechain=self.sidechain,
        )

    def result(self, call_id: str, end: End, action: ActionType | None = None) -> Result:
        """What a tool answered."""
        kept = tools.FAILED_CHARS if end.failure else tools.kept_chars(action)
        return Result(
            at=self.at,
            span=self.span,
            message_id=f"{self.message_id}:{call_id}:result",
            call_id=call_id,
            failure=end.failure,
            exit_code=end.exit_code,
            unsaid=end.unsaid,
            text=tools.bounded(end.text, kept),
            sidechain=self.sidechain,
        )

    def compaction(self, summary: str = "") -> Compaction:
        """The conversation so far was replaced by a summary."""
        return Compaction(at=self.at, span=self.span, message_id=self.message_id, summary=summary)

    def interruption(self) -> Interruption:
        """The person stopped the turn."""
        return Interruption(at=self.at, span=self.span, message_id=self.message_id, sidechain=self.sidechain)

    def tokens(self, paid: int, made: int, read: int = 0, wrote: int = 0) -> Tokens:
        """What a response cost: input without cache reads, output, cache reads and writes."""
        return Tokens(
            at=self.at,
            span=self.span,
            message_id=f"{self.message_id}:tokens",
            input_tokens=paid,
            output_tokens=made,
            cache_read_tokens=read,
            cache_write_tokens=wrote,
            sidechain=self.sidechain,
        )


def _head(use: Use) -> str:
    if use.action == "shell" and use.target is not None:
        return use.target[: tools.HEAD_CHARS]
    most = tools.HEAD_CHARS
    short = {key: value[:most] if isinstance(value, str) else value for key, value in use.given.items()}
    return json.dumps(short, ensure_ascii=False)[:most] if short else ""


def made_id(*parts: object) -> str:
    """An identity for what has none of its own: the same for the same parts."""
    return "made-" + short_id("\n".join(map(str, parts)))
