"""Which of a person's statements a later one took back: the same subject and attribute with another value.

Nothing is retired by it: what was taken back stays in MEMORY.md, and is not put before an agent beside its successor.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.model.stated import stated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.model.extraction import Entry

_LEAD: Final = re.compile(r"(?:from now on|going forward|please|in (?:the )?future|next time)[,:]?\s+", re.IGNORECASE)


def standing(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries without a person's words that a later active memory or later words of a person contradict."""
    taken = tuple(entries)
    latest: dict[int, list[tuple[str, tuple[str, ...]]]] = {}
    for entry in taken:
        if entry.standing in ("active", "person"):
            for key, value in _values(entry.text):
                latest.setdefault(key, []).append((entry.updated_at, value))
    return tuple(each for each in taken if each.standing != "person" or not _is_past(each, latest))


def _is_past(entry: Entry, latest: dict[int, list[tuple[str, tuple[str, ...]]]]) -> bool:
    return any(
        at > entry.updated_at and other != value
        for key, value in _values(entry.text)
        for at, other in latest.get(key, ())
    )


def _values(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What a statement surely gives a value: the key of subject and attribute, and the value."""
    for clause in stated(_LEAD.sub("", text)).clauses:
        for claim in clause.claims:
            if claim.kind != "plain" and claim.positive and claim.grip == "firm" and claim.value:
                yield claim.key, claim.value
