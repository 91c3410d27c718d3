"""Superseded decisions: documents in time order, of which some replaced others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.evals.datasets.files import found, parsed, rows, unreadable
from learnt.evals.task import Question

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One document."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """Documents in order of creation, `(old, new)` pairs, and questions with what answers them.

    Attributes:
        stale: Documents that were replaced, by question.
    """

    documents: tuple[Decision, ...]
    pairs: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    stale: Mapping[str, frozenset[str]]


def read(folder: Path) -> Succession:
    """The documents, pairs and questions of the folder; without a file of pairs the documents' own relations count."""
    records = list(rows(*found(folder, "docs*.jsonl")))
    documents = tuple(
        Decision(id=str(each["id"]), title=str(each.get("title") or ""), text=str(each.get("text") or ""))
        for each in records
    )
    asked = list(rows(*found(folder, "queries*.jsonl")))
    return Succession(
        documents=documents,
        pairs=_pairs(folder, records),
        questions=tuple(map(_question, asked)),
        stale={str(each["qid"]): frozenset(map(str, each.get("stale") or ())) for each in asked},
    )


def _pairs(folder: Path, records: list[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Every relation once, the oldest replaced document first."""
    order = {str(each["id"]): number for number, each in enumerate(records)}
    stated = {(str(each["id"]), str(new)) for each in records for new in each.get("superseded_by") or ()}
    for path in found(folder, "pairs*.json", required=False):
        value = parsed(path)
        if not isinstance(value, list) or not all(isinstance(each, list) and len(each) == 2 for each in value):
            raise unreadable(path, "it is no list of pairs")
        stated |= {(str(old), str(new)) for old, new in value}
    known = [pair for pair in stated if pair[0] in order and pair[1] in order]
    return tuple(sorted(known, key=lambda pair: (order[pair[0]], order[pair[1]])))


def _question(each: Mapping[str, Any]) -> Question:
    return Question(
        id=str(each["qid"]),
        text=str(each["query"]),
        category=str(each.get("kind") or "other"),
        relevant={"turn": frozenset(map(str, each.get("current") or ()))},
    )
