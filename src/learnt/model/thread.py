"""A session as something to learn from: where it lies, how far it goes, whether anything may be taken from it.

The registry says no more of a session than phase 1 needs. A mode stays when what was learnt is cleared: a session that
a person took out is not taken in again. Source: autonomous-memory seed, thread registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

ThreadMode = Literal["enabled", "disabled", "polluted"]
"""Whether a session is learnt from: a person said no, or what it holds came from elsewhere (the web, other tools)."""
MODES: tuple[ThreadMode, ...] = get_args(ThreadMode)

ThreadSource = Literal["cli", "app", "program", "subagent", "own"]
"""Who ran it: a person at a terminal or in an editor, a program, another session, or learnt itself."""
SOURCES: tuple[ThreadSource, ...] = get_args(ThreadSource)

EXTRACT: Final = "memory_stage1"
"""The kind of job that reads one session; its key is the session's id. Source: autonomous-memory seed, jobs."""
CONSOLIDATE: Final = "memory_consolidate_global"
"""The kind of job that makes a repository's artifacts; its key is the repository's id."""
JOBS: Final = (EXTRACT, CONSOLIDATE)

CHILD_FOLDER = "learnt-child"
"""What the folder is called in which an agent runs that learnt itself starts; such a session is its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """One session that was read.

    Attributes:
        id: Our id of the session's record. `session_id`: the host's own, which references name.
        updated_at: When somebody last wrote to it, as the session itself says.
        path: Where its transcript lies: `PATH`, or `PATH#SESSION` in a file of several.
        extracted: The `updated_at` up to which phase 1 has worked, whatever came of it; "" for not at all.
    """

    id: str
    scope_key: str
    updated_at: str
    path: str
    cwd: str
    host: str
    session_id: str = ""
    source: ThreadSource = "cli"
    mode: ThreadMode = "enabled"
    extracted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """What the choice of extractions goes by, without their text.

    Attributes:
        mode: Of the session now; one that is in no registry counts as enabled.
        selected_source: The `source_updated_at` that the last consolidation took, or None.
    """

    session_id: str
    source_updated_at: str
    usage_count: int = 0
    last_usage: str | None = None
    selected_source: str | None = None
    mode: ThreadMode = "enabled"

    @property
    def recency(self) -> str:
        """When it was last of use; when it was never used, how new it is."""
        return self.last_usage or self.source_updated_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a starting session is told, as it stands in the store: a hook reads no file.

    Attributes:
        digest: SHA-256 of the text, 64 hex digits.
        clearance: The pattern set that cleared the text.
        current: Whether it is the one for sessions that start now; older ones stay for those that run.
    """

    scope_key: str
    digest: str
    text: str
    clearance: str
    made_at: str
    current: bool = True
