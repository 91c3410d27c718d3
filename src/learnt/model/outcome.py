"""What became of a memory when it was used, as whoever used it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.memory import Memory

Result = Literal["useful", "dead_end", "corrected"]
RESULTS: tuple[Result, ...] = get_args(Result)

MAX_ANCHORS = 20
MAX_CORRECTION = 4_000
MAX_OUTCOMES = 1_000
"""Of one memory. Source of all three: swarm-memory seed, outcomes."""


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """Where in the code an outcome was met: a repository-relative file, and a symbol in it ("" for the whole)."""

    file: str
    symbol: str = ""

    @classmethod
    def of(cls, given: str | Mapping[str, str]) -> Spot:
        """The spot of `FILE[#SYMBOL]`, or of a mapping with `file` and `symbol`."""
        if isinstance(given, str):
            file, _, symbol = given.partition("#")
            return cls(file, symbol)
        return cls(given.get("file") or "", given.get("symbol") or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One outcome. It is never changed; a memory that is written anew after it was removed begins without any.

    Attributes:
        generation: When the memory it is about came to be: one that was removed and written again has another.
        by: Who says so (`person:ID`, `agent:NAME`).
        task: The run, where there is one.
        correction: What is right instead; only with `corrected`. `clearance`: the pattern set that cleared it.
        spots: At most 20, each once, sorted.
        repository_id: Whose files the spots are.
    """

    id: str
    memory_id: str
    generation: str
    result: Result
    at: str
    by: str = ""
    task: str = ""
    correction: str = ""
    clearance: str = ""
    spots: tuple[Spot, ...] = ()
    repository_id: str = ""

    @property
    def meaning(self) -> tuple[object, ...]:
        """What must be equal for two reports under one id to be the same. Source: swarm-memory seed (time is not)."""
        return (self.memory_id, self.generation, self.result, self.task, self.correction, self.spots)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRequest:
    """What somebody says became of one memory, or of an answer to a question.

    Attributes:
        id: A name for this report, so that it may be sent again; "" for a new one.
    """

    result: Result
    memory_id: str = ""
    question: str = ""
    correction: str = ""
    spots: tuple[Spot, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An outcome was kept.

    Attributes:
        event: The audit event; "" when the outcome was there already (`existing`).
        asked: Whether its target is the record of a question that was made for it just now.
        reflected: Whether the digest was made anew; `fault` says why not. None where there is to be none.
    """

    outcome: Outcome
    memory: Memory
    event: str
    existing: bool = False
    asked: bool = False
    reflected: bool | None = None
    fault: str = ""
