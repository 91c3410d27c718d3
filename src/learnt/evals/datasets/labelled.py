"""Short texts with the memories somebody would keep of them, each with its sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.evals.datasets.files import found, rows, unreadable

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text and its labels, pairs of sort and statement."""

    id: str
    text: str
    labels: tuple[tuple[str, str], ...]


def read(folder: Path) -> tuple[Snippet, ...]:
    """Every English text with labels, by id."""
    inner = folder / "memory_extraction"
    place = inner if inner.is_dir() else folder
    texts, labels = found(place, "dataset.jsonl"), found(place, "labels.jsonl")
    said = {str(row["id"]): str(row["text"]) for row in rows(*texts)}
    made = [
        Snippet(name, said[name], tuple((str(each["type"]), str(each["content"])) for each in row["memories"]))
        for row in rows(*labels)
        if (name := str(row["id"])) in said
    ]
    if not made:
        raise unreadable(texts[0], "no text has labels")
    return tuple(sorted(made, key=lambda each: each.id))
