"""What a person changed in a file that learnt made: lines added, changed, removed. Nothing of theirs is ever lost."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from learnt.distil.line import unlined

if TYPE_CHECKING:
    from collections.abc import Iterator

Change = Literal["added", "changed", "removed"]
MAX_PAIRS: Final = 1_000_000
"""Of lines that came and lines that went; beyond it none is taken for the change of another."""
LINE_CHARS: Final = 4_000
_REFS = re.compile(r" \[([^\]]*)\] \([^()]*\)$")
_ALIKE: Final = 0.5
"""Likeness from which a line that went and one that came are one that was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One line a person touched.

    Attributes:
        before: The statement as it was rendered, "" for an added one; without bullet, references and label.
        after: The statement as it stands now, "" for a removed one.
        heading: The heading it stands under.
        refs: What the rendered line named: ids and places in sessions.
    """

    change: Change
    before: str = ""
    after: str = ""
    heading: str = ""
    refs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Row:
    heading: str
    text: str
    refs: tuple[str, ...]
    words: frozenset[str]


def edits(rendered: str, found: str) -> tuple[Edit, ...]:
    """What differs between a file as it was made and as it is, in the order of the file; line ends do not count.

    Headings, blank lines and the front matter are ours and ignored, unless they are new.
    """
    old, new = list(_rows(rendered)), list(_rows(found))
    gone, came = _without(old, new), _without(new, old)
    alike = len(gone) * len(came) <= MAX_PAIRS
    pairs: list[Edit] = []
    for row in came:
        match = _nearest(row, gone) if alike else None
        if match is None:
            pairs.append(Edit(change="added", after=row.text, heading=row.heading))
        else:
            gone.remove(match)
            if match.text != row.text:
                pairs.append(
                    Edit(change="changed", before=match.text, after=row.text, heading=row.heading, refs=match.refs)
                )
    pairs += (Edit(change="removed", before=row.text, heading=row.heading, refs=row.refs) for row in gone)
    return tuple(pairs)


def _rows(text: str) -> Iterator[_Row]:
    heading = ""
    for raw in text.splitlines():
        row = raw.strip()[:LINE_CHARS]
        if row.startswith("#"):
            heading = row.lstrip("#").strip()
        elif row and row != "v1":
            named, plain = _REFS.search(row), statement(row)
            refs = tuple(each.strip() for each in named[1].split(",")) if named else ()
            yield _Row(heading, plain, tuple(ref for ref in refs if not ref.startswith("+")), frozenset(plain.split()))


def statement(row: str) -> str:
    """What a line of an artifact says, without bullet, references and label."""
    bare = _REFS.sub("", row.strip())
    return unlined(bare.removeprefix("- ").removeprefix("* ").strip())


def _without(rows: list[_Row], others: list[_Row]) -> list[_Row]:
    """The rows whose statement is not among the others, as often as it is not."""
    left = Counter(other.text for other in others)
    kept = []
    for row in rows:
        if left[row.text]:
            left[row.text] -= 1
        else:
            kept.append(row)
    return kept


def _nearest(row: _Row, gone: list[_Row]) -> _Row | None:
    """The removed row that this one was made of: the likest, of equals the first."""
    best = max(gone, key=lambda other: _likeness(row, other), default=None)
    return best if best is not None and _likeness(row, best) >= _ALIKE else None


def _likeness(one: _Row, two: _Row) -> float:
    """The share of the words of both that both have; 1 for a line that kept its references."""
    if one.refs and one.refs == two.refs:
        return 1.0
    return len(one.words & two.words) / max(1, len(one.words | two.words))
