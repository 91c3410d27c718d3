"""CoSQA: questions of the web, each answered by one function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.evals.datasets.files import found, rows
from learnt.evals.task import Ask, Collection, Dataset, Observe, Question, reference
from learnt.model.evidence import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.evals.task import Step

_BATCH = 500


def read(folder: Path) -> Dataset:
    """Every function as a document of its own, then every question."""
    turns = [_function(str(each["id"]), str(each["code"])) for each in rows(*found(folder, "codes*.jsonl"))]
    known = {turn.session for turn in turns}
    asked = [
        Question(
            id=str(each["qid"]),
            text=str(each["query"]),
            category="code",
            relevant={"turn": frozenset(reference(name, "1") for name in map(str, each["relevant"]) if name in known)},
        )
        for each in rows(*found(folder, "queries*.jsonl"))
    ]
    steps = (*_told(turns), *map(Ask, asked))
    functions = Collection(name="cosqa", steps=steps, questions=len(asked))
    return Dataset(name="cosqa", granularities=("turn",), collections=(functions,))


def _function(name: str, code: str) -> Turn:
    """Functions have no neighbours: each is alone in its session."""
    return Turn(text=code, session=name, key="1", type="document")


def _told(turns: list[Turn]) -> Iterator[Step]:
    for start in range(0, len(turns), _BATCH):
        yield Observe(tuple(turns[start : start + _BATCH]))
