"""The heuristic extract of one transcript: what failed, what was rewritten again and again, how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.session import Header

SessionStatus = Literal["complete", "interrupted", "open"]


@dataclass(frozen=True, slots=True)
class FailedTool:
    """A call of a tool other than the shell that was answered with an error. `target` is the file it named."""

    tool: str
    target: str | None
    error: str


@dataclass(frozen=True, slots=True)
class FailedCommand:
    """A shell command that ended badly, with the end of its output. `exit_code` is None where the client gives none."""

    command: str
    exit_code: int | None
    tail: str


@dataclass(frozen=True, slots=True)
class ChurnedFile:
    """A file written three or more times with success, by tools and through the shell together."""

    path: str
    writes: int


@dataclass(frozen=True, slots=True)
class DamagedRecord:
    """A record that could not be read: its number as evidence cites it, the byte it stands at, and why."""

    record: int
    offset: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestStats:
    """Counts of the main thread; in the file of a sub-agent, of the sub-agent.

    Attributes:
        damaged: Those of the malformed lines that are named: the latest five, in the full form the latest thousand.
        human_prompts: What a person typed, without our own blocks and private parts.
        writes_ok: Successful writes by tools, per path as the client wrote it.
        write_attempts: All of them.
        shell_writes: Files written by successful shell commands, one for each command, per absolute path where known.
        dropped: Entries and prompts that the gate did not let out.
        status: `interrupted` when the person stopped the last turn; `open` when a call has no answer, the last line is
            torn or the transcript shows an unfinished turn.
    """

    records: int = 0
    malformed_lines: int = 0
    damaged: tuple[DamagedRecord, ...] = ()
    human_prompts: tuple[str, ...] = ()
    assistant_texts: int = 0
    tool_calls: int = 0
    compactions: int = 0
    inherited_records: int = 0
    writes_ok: Mapping[str, int]
    write_attempts: Mapping[str, int]
    shell_writes: Mapping[str, int]
    dropped: int = 0
    status: SessionStatus = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTotal:
    """What all responses of the thread cost, each counted once. `input_tokens` excludes cache reads."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineAgent:
    """What a sub-agent did that is told inside its parent's file, in the full form of the digest."""

    agent_id: str
    failed_commands: tuple[FailedCommand, ...] = ()
    final_note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """The four kinds of entry, in the order of the transcript, and what was counted.

    Attributes:
        tokens: None where the transcript tells no cost.
        compaction_summaries: As `injected_context` only in the full form; empty in the bounded one.
        sidechain_calls: Calls of sub-agents that are told inside the same file, and of these `sidechain_failed`
            commands failed; they are in none of the other counts. `inline_agents`: those of them that have a name.
    """

    failed_tools: tuple[FailedTool, ...]
    failed_commands: tuple[FailedCommand, ...]
    churned_files: tuple[ChurnedFile, ...]
    final_notes: tuple[str, ...]
    stats: DigestStats
    header: Header
    tokens: TokenTotal | None
    full: bool
    compaction_summaries: tuple[str, ...] = ()
    injected_context: tuple[str, ...] = ()
    sidechain_calls: int = 0
    sidechain_failed: int = 0
    inline_agents: tuple[InlineAgent, ...] = ()
