"""What one session taught (phase 1), and what a repository's sessions come to together (phase 2).

A fact never stands alone: it carries words that were found in the transcript, in the mouth it names. What a writer
claims without such words is dropped before it is one. Source: autonomous-memory seed, how it works.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Section = Literal["decision", "constraint", "failure", "workflow", "pitfall"]
"""What a fact is: a decision, a constraint, a failure that was resolved, a workflow, a pitfall."""

Speaker = Literal["person", "agent", "tool"]
Standing = Literal["active", "person", "observed", "unreviewed"]
"""By what an entry may be shown: an active memory, a person's own words, an observation, or nothing of these."""

OFFLINE = "offline"
"""The writer that is no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words as they stand in a transcript: who said them, and the 0-based record they stand in."""

    speaker: Speaker
    text: str
    record: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing a session taught, with the words it rests on.

    Attributes:
        id: `fact_` and 16 hex digits of session, section and text.
        commands: Of a workflow, what was run, in order.
        worked: Whether the session shows that it worked: the commands ended well, the failure did not come back.
    """

    id: str
    section: Section
    text: str
    quotes: tuple[Quote, ...]
    commands: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    worked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What one session taught.

    Attributes:
        session_id: Our id of the session's record. `source_updated_at`: how far the session went when it was read.
        writer: `offline`, or `PROVIDER:MODEL`.
        summary: A short synopsis; never injected. `slug`: a few words for a file name, or None.
        facts: What is worth keeping; with none of them and no summary there is no extraction.
        dropped: How many claims were not kept, by reason.
        usage_count, last_usage: How often it was cited, and when last.
        selected_source: The `source_updated_at` that the last consolidation took, or None where it took none.
    """

    session_id: str
    scope_key: str
    host: str
    source_updated_at: str
    generated_at: str
    writer: str
    summary: str
    slug: str | None
    facts: tuple[Fact, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)
    usage_count: int = 0
    last_usage: str | None = None
    selected_source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of an artifact.

    Attributes:
        refs: What it rests on: memory and proposal ids, `session:ID#record`.
        sessions: In how many sessions it was met.
    """

    text: str
    section: Section | Literal["memory"]
    standing: Standing
    refs: tuple[str, ...]
    sessions: int = 1
    updated_at: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A procedure in the Agent Skills format: `skills/<name>/SKILL.md` and the files beside it.

    Attributes:
        files: Relative path (`scripts/…`, `templates/…`, `examples/…`) to content.
    """

    name: str
    description: str
    body: str
    files: Mapping[str, str] = field(default_factory=dict)
    refs: tuple[str, ...] = ()
    sessions: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Playbook:
    """What all of a repository's sessions come to: `MEMORY.md`, `memory_summary.md`, skills."""

    writer: str
    entries: tuple[Entry, ...]
    summary: tuple[Entry, ...]
    skills: tuple[Skill, ...]
