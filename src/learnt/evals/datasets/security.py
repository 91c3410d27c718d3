"""Labelled texts for the gate: one folder a corpus, each with a `cases.jsonl`.

A line holds `id`, `label` (positive: must be found; negative: must pass; other labels are reported apart) and a text:
`text`, or `data` where `enc` is `rb64`, which is base64 of the reversed UTF-8, so that no scanner trips over the file.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.evals.datasets.files import found, rows, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    Marked = tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled text.

    Attributes:
        group: What sort of case it is, in the corpus's own words (`class`).
        fields: The text in pieces, named by the field each is stored in; empty when it is one text.
        tier: 1 must be found, 2 should, 3 would be nice.
        evasion: How it is hidden; "" for not at all.
        plain: The same without its disguise, where the corpus has it.
        secret: The secret itself, which no redacted text may hold a piece of.
        named: Whether the seed's detector names this class of secret.
        identifier: Whether what is found is no secret but an id: not counted.
        spans, weak: Places of personal data by type: those to be found, and those that are neither right nor wrong.
    """

    id: str
    corpus: str
    label: str
    group: str
    text: str
    fields: tuple[tuple[str, str], ...] = ()
    tier: int = 1
    evasion: str = ""
    plain: str = ""
    secret: str = ""
    named: bool = False
    identifier: bool = False
    spans: Marked = ()
    weak: Marked = ()


Corpora = dict[str, tuple[Case, ...]]


def read(folder: Path) -> Corpora:
    """The labelled texts of every corpus in `folder`, by the corpus's name.

    Raises:
        UsageError: There is no corpus, or a file is not in this format.
    """
    files = found(folder, "*/cases.jsonl")
    made = {path.parent.name: tuple(_cases(path)) for path in files}
    if not any(made.values()):
        raise unreadable(files[0], "it holds no labelled text")
    return {name: cases for name, cases in made.items() if cases}


def catalogue(folder: Path, name: str) -> tuple[Mapping[str, Any], ...]:
    """The lines of a corpus that has no texts but things to do; empty when it is not there."""
    path = folder / name / "cases.jsonl"
    return tuple(rows(path)) if path.is_file() else ()


def _cases(path: Path) -> Iterator[Case]:
    for number, row in enumerate(rows(path), 1):
        if "label" not in row or not ("text" in row or "data" in row):
            continue
        try:
            yield _case(path.parent.name, row)
        except (KeyError, TypeError, ValueError) as error:
            raise unreadable(path, f"line {number}: {type(error).__name__}") from None


def _case(corpus: str, row: Mapping[str, Any]) -> Case:
    coded = row.get("enc") == "rb64"
    evasion = row.get("evasion") or ""
    return Case(
        id=row["id"],
        corpus=corpus,
        label=row["label"],
        group=row.get("class") or "",
        text=decoded(row["data"]) if coded else row["text"],
        fields=tuple((name, decoded(text) if coded else text) for name, text in (row.get("fields") or {}).items()),
        tier=int(row.get("tier") or 1),
        evasion="" if evasion == "none" else evasion,
        plain=row.get("plain") or "",
        secret=decoded(row["secret_rb64"]) if row.get("secret_rb64") else "",
        named=bool(row.get("seed_named")),
        identifier=bool(row.get("identifier_only")),
        spans=_marked(row.get("spans")),
        weak=_marked(row.get("weak_spans")),
    )


def decoded(data: str) -> str:
    """The text of base64 whose bytes were reversed."""
    return base64.b64decode(data)[::-1].decode("utf-8", "surrogatepass")


def _marked(spans: Any) -> Marked:
    return tuple((int(start), int(end), str(name)) for start, end, name in spans or ())
