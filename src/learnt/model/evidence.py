"""Raw evidence: verbatim pieces of what was observed, redacted, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from learnt.model.scope import Scope
    from learnt.model.session import Span

UnitType = Literal["prompt", "reply", "call", "result", "note", "document"]
UNIT_TYPES: tuple[UnitType, ...] = ("prompt", "reply", "call", "result", "note", "document")
"""In the order of the numbers a store may keep for them: new ones come last."""

ERASED: Final = ("erased", "true")
"""In the detail of a unit whose text was forgotten."""

NOT_PERSONS: Final = frozenset({"", "agent", "assistant", "model", "tool", "system"})


def is_persons(unit_type: str, who: str) -> bool:
    """Whether a person said it."""
    return unit_type in {"prompt", "note"} and who.casefold() not in NOT_PERSONS


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceUnit:
    """One piece of evidence.

    Attributes:
        id: `evd_` and 16 hex digits.
        ref: `session:ID#record` for a transcript span.
        who: `person`, `agent`, or the tool's name.
        text: Verbatim after redaction; an output longer than 3,000 characters keeps its first and last 1,500.
        span: Its place in the transcript file; None for a document.
        cited: Something rests on it; it then outlives `retention_days`.
        clearance: Version of the pattern set that redacted the text; under another one it is redacted when shown.
        detail: What else is known of a document, pairs of name and value.
    """

    id: str
    scope: Scope
    type: UnitType
    ref: str
    session_id: str
    who: str
    at: str
    text: str
    span: Span | None = None
    path: str = ""
    cited: bool = False
    clearance: str = ""
    detail: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something said in a conversation, as a program hands it over to be kept.

    Attributes:
        who: Who said it: a name, `person`, `agent`, a tool's name.
        session: The conversation it belongs to; turns of one conversation are given in order.
        at: A canonical instant; "" for the present.
        key: Its own name within the session, by which it is kept once; "" takes the next number.
        files: Paths it speaks of or touched; they count when it is searched for.
    """

    text: str
    session: str
    who: str = ""
    at: str = ""
    key: str = ""
    type: UnitType = "note"
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text somebody looked up, to be kept as evidence. Source: swarm-memory seed, evidence cache.

    Attributes:
        source_type: api_docs, web_search, crawl or manual.
        captured_at: A canonical instant; "" for the present.
    """

    text: str
    source_type: str = "manual"
    title: str = ""
    url: str = ""
    query: str = ""
    created_by: str = ""
    captured_at: str = ""
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """A transcript learnt has read, and how far.

    Attributes:
        path: The file as given.
        offset: Bytes read so far; the next record starts here, and is line `number`.
        head_hash: SHA-256 of the first `min(4096, size at first read)` bytes, to notice a replaced file.
        status: complete, open (more is to come), partial (something was skipped), unknown_format.
        alarms: What a person should look at.
        cleared: What it taught before this record was cleared; who gives it to be read again has it read from its
            beginning, and nobody else.
    """

    id: str
    scope: Scope
    host: str
    session_id: str
    path: str
    offset: int
    head_hash: str
    head_bytes: int
    records: int
    messages: int
    skipped: int
    status: str
    started_at: str
    ended_at: str
    read_at: str
    commit: str = ""
    branch: str = ""
    cwd: str = ""
    parent_session_id: str = ""
    interactive: bool = True
    number: int = 0
    alarms: tuple[str, ...] = ()
    cleared: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A command that worked, as seen in one session; two sessions with different commits make it a memory."""

    key: str
    command: str
    session_id: str
    commit: str
    ref: str
    at: str
