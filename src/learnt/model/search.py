"""A search through evidence and memories, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.evidence import EvidenceUnit, UnitType
    from learnt.model.kinds import Profile
    from learnt.model.memory import Memory

Where = Literal["all", "evidence", "memories"]
Grouping = Literal["", "session"]
WHERES: tuple[Where, ...] = ("all", "evidence", "memories")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFilter:
    """Which evidence may be found at all. What is empty filters nothing.

    Attributes:
        since, until: Canonical instants, both inclusive.
    """

    types: tuple[UnitType, ...] = ()
    who: str = ""
    session: str = ""
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What is searched for.

    Attributes:
        k: Most hits, 1 to 1,000.
        group: `session` for one hit a session: its best unit, with the score of the session.
        files: Files of the task at hand: what names them rises, and so do the sessions that touched them.
    """

    text: str
    where: Where = "all"
    k: int = 10
    profile: Profile = "default"
    group: Grouping = ""
    files: tuple[str, ...] = ()
    wanted: EvidenceFilter = field(default_factory=EvidenceFilter)


@dataclass(frozen=True, slots=True)
class Match:
    """A unit that the full text of evidence found.

    Attributes:
        score: BM25 of its best passage; 0 where no word matches.
        passage: Which of its passages that is.
    """

    unit: EvidenceUnit
    score: float
    passage: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The answer of the full text of evidence.

    Attributes:
        best: Best first.
        also: The units asked for by id, in no order.
        ceiling: What a passage that is nothing but these terms would score.
        rarity: BM25's idf of each term.
        mean: Average length of a passage in terms, its neighbours included.
        units: How many passages are in sight.
        sessions: Of the sessions of `best`, which share of the question's rarity stands anywhere in them; rarity is
            that among sessions.
    """

    best: tuple[Match, ...]
    also: tuple[Match, ...] = ()
    ceiling: float = 0.0
    rarity: Mapping[str, float] = field(default_factory=dict)
    mean: float = 1.0
    units: int = 0
    sessions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One thing found: a unit of evidence or a memory, never both.

    Attributes:
        score: 0 to about 1, comparable between the two.
        signals: The parts of the score.
        others: In a group, the ids of the session's other units that counted.
        passage: The part of the unit that was found, verbatim.
    """

    score: float
    unit: EvidenceUnit | None = None
    memory: Memory | None = None
    signals: Mapping[str, float] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    passage: str = ""

    @property
    def id(self) -> str:
        """Of the unit or the memory."""
        found = self.unit or self.memory
        return found.id if found else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """Hits best first, at most `k`, and what happened on the way (`arms`, counts, `reason` when there is none)."""

    hits: tuple[SearchHit, ...]
    diagnostics: Mapping[str, object] = field(default_factory=dict)
