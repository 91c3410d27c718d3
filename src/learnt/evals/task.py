"""What a data set is made of, whatever its files look like."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from learnt.model.evidence import Turn

Granularity = Literal["turn", "round", "session"]
Probe = Literal["", "unanswerable", "small_talk"]


def name_of(turn: Turn) -> str:
    """The reference the engine gives a turn, by which questions and rankings name it too."""
    return reference(turn.session, turn.key)


def reference(session: str, key: str) -> str:
    """The reference of the turn with this key."""
    return f"session:{session}#{key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and what would answer it.

    Attributes:
        relevant: The evidence by granularity; where a granularity is missing or empty the question does not count.
        old, new: Turns that hold a statement and turns that hold the one that replaced it.
        latest: Evidence sessions in order of time, the newest last, where the question is about the present state.
        probe: `unanswerable` when nothing supports an answer, `small_talk` when nothing was asked.
    """

    id: str
    text: str
    category: str = ""
    relevant: Mapping[Granularity, frozenset[str]] = field(default_factory=dict)
    old: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    latest: tuple[str, ...] = ()
    probe: Probe = ""


@dataclass(frozen=True, slots=True)
class Observe:
    """These turns are told to the memory, in order."""

    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """This is asked of what was told so far."""

    question: Question


Step = Observe | Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """One memory of its own: what is told to it and asked of it, in order.

    Attributes:
        split: A part of the data set that is reported apart; "" for none.
        round_of: The round of each turn, where the data set has rounds.
        questions: How many are asked, for progress.
    """

    name: str
    steps: Iterable[Step]
    questions: int
    split: str = ""
    round_of: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Collections with the granularities their questions are judged at, the first one being the figure people quote."""

    name: str
    granularities: tuple[Granularity, ...]
    collections: tuple[Collection, ...]
