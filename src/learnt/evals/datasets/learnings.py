"""Real coding sessions with what another product's model wrote down of them: a reference, not the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.evals.datasets.files import found, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """One session and its reference.

    Attributes:
        learnings: What was learnt of the repository, the code and the way of working, one statement each.
        paths: Files they speak of. `reference`: everything that was written down, intent and outcome included.
    """

    name: str
    transcript: Path
    learnings: tuple[str, ...]
    paths: tuple[str, ...]
    reference: str


def read(folder: Path) -> tuple[Taught, ...]:
    """Every session whose transcript is there, by name; none where the set has no references."""
    summaries = found(folder, "summaries*.jsonl", required=False)
    made = [_taught(folder, each) for each in rows(*summaries)]
    return tuple(sorted((each for each in made if each is not None), key=lambda each: each.name))


def _taught(folder: Path, row: Mapping[str, Any]) -> Taught | None:
    name = f"{row['sid']}.{row['checkpoint']}"
    transcript = folder / "transcripts" / f"{name.replace('/', '_')}.jsonl"
    if not transcript.is_file():
        return None
    summary = row["summary"]
    learnt = summary["learnings"]
    code = list(learnt.get("code") or ())
    learnings = [
        *_texts(learnt.get("repo")),
        *_texts(each["finding"] for each in code),
        *_texts(learnt.get("workflow")),
    ]
    paths = tuple(str(each["path"]) for each in code)
    beside = [*_texts([summary.get("intent"), summary.get("outcome")]), *_texts(summary.get("friction"))]
    whole = " ".join([*beside, *learnings, *_texts(summary.get("open_items")), *paths])
    return Taught(name=name, transcript=transcript, learnings=tuple(learnings), paths=paths, reference=whole)


def _texts(values: Iterable[object] | None) -> Iterator[str]:
    return (str(each) for each in values or () if each)
