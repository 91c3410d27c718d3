"""A coding session as every host tells it: one header and events in order, each with its position in the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ActionType = Literal["shell", "write", "read", "agent", "lookup", "other"]
FailureType = Literal["", "exit", "timeout", "error", "aborted"]
SourceType = Literal["hook", "host"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where a record stands: byte `offset` and `length` in the file, and its 0-based number among the lines."""

    offset: int
    length: int
    record: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What is known of a session as a whole; empty text where the transcript does not say.

    Attributes:
        interactive: True only where something shows that a person sat in front of it: the client says so, or a person
            stopped a turn, refused a call or typed a slash command. Silence counts as no.
        agent: What the client calls itself in its files, where that is not the host's name.
        unnamed: The transcript gives no id; `session_id` was made from its place and its beginning.
        unfinished: The transcript itself shows, or its client says, that a turn was still going on.
        records: Lines read that are records of this format, those skipped by their type included.
        unknown: Records of a type this reader does not know.
        subagents: Files of the sub-agents this session started.
        abandoned_writes: Files written on branches that the person went back on, with how often; counted nowhere else.
    """

    host: str
    session_id: str
    agent: str = ""
    unnamed: bool = False
    unfinished: bool = False
    version: str = ""
    cwd: str = ""
    branch: str = ""
    commit: str = ""
    model: str = ""
    started_at: str = ""
    ended_at: str = ""
    title: str = ""
    parent_session_id: str = ""
    agent_id: str = ""
    sidechain: bool = False
    interactive: bool = False
    records: int = 0
    unknown: int = 0
    subagents: tuple[str, ...] = ()
    abandoned_writes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Words of the person. `typed` is False when the client says that a program sent them, or an agent wrote them."""

    at: str
    span: Span
    message_id: str
    text: str
    typed: bool = True
    sidechain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """Text put in front of the agent; nobody's words.

    Attributes:
        source: `hook` for what a hook or plugin added, `host` for the client's own reminders, notices and wrappers.
    """

    at: str
    span: Span
    message_id: str
    text: str
    source: SourceType = "hook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Words of the agent; `agent_id` names the sub-agent where one file tells of several."""

    at: str
    span: Span
    message_id: str
    text: str
    sidechain: bool = False
    agent_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The agent used a tool.

    Attributes:
        action: What sort of tool it is on this host: `agent` starts a sub-agent, `lookup` reads the web
            or documentation.
        target: The command of a shell call, the path of a read or write; None where there is neither.
        head: The first 1,500 characters of the input as text.
        text: For a write, the new text (bounded); for anything else empty.
        cwd: Where the agent stood, as the record says.
        role: Of a call that starts a sub-agent: which sort of one.
        query, url: Of a lookup: what was asked for, and where.
        part: No tool call of its own: the second command of one call, an edit the host took out of the agent's words.
    """

    at: str
    span: Span
    message_id: str
    call_id: str
    tool: str
    action: ActionType
    target: str | None
    head: str = ""
    text: str = ""
    cwd: str = ""
    role: str = ""
    query: str = ""
    url: str = ""
    part: bool = False
    sidechain: bool = False
    agent_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a tool answered.

    Attributes:
        failure: Empty for success; `exit` and `timeout` for commands that ended badly, `error` for any other tool's
            error, `aborted` when the person stopped it (neither success nor failure).
        exit_code: The command's code where the host gives one.
        text: The output, bounded: head and tail of an over-long one with a mark between.
        unsaid: Of a command whose host does not say how it ended: nothing shows a failure, nothing proves success.
    """

    at: str
    span: Span
    message_id: str
    call_id: str
    failure: FailureType
    exit_code: int | None
    text: str
    unsaid: bool = False
    sidechain: bool = False
    agent_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The host replaced the conversation so far by a summary.

    Attributes:
        summary: Empty for the boundary record itself; else the summary without the client's sentence before it.
    """

    at: str
    span: Span
    message_id: str
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """The person stopped the agent's turn."""

    at: str
    span: Span
    message_id: str
    sidechain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What one model response cost. A response told in several records gives what each adds."""

    at: str
    span: Span
    message_id: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    sidechain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """A record copied from another session of the same lineage; counted there, not here."""

    span: Span
    message_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A line that is no record of this format. `torn` when it is the last one and has no line end yet."""

    span: Span
    reason: str
    torn: bool = False


SessionEvent = Prompt | Injected | Reply | Call | Result | Compaction | Interruption | Tokens | Inherited | Malformed
