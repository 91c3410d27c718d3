"""Memories of labelled texts by sort, as rules find them: precision, recall and F1.

A statement counts when it is of the label's sort and the F1 of their words, stop words left out and stemmed, is at
least a half; each label is met once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from learnt.distil.near import gist
from learnt.distil.sorts import said
from learnt.evals.bars import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.evals.datasets.labelled import Snippet

Json = dict[str, Any]
Pairs = tuple[tuple[str, str], ...]

LIKENESS = 0.5
BARS = (
    Bar(
        id="mempalace-extraction.f1",
        dataset="mempalace-extraction",
        path=("default", "f1"),
        must=0.60,
        beat=0.80,
        source="own; no figure of rules was published",
    ),
)


def measured(snippets: Sequence[Snippet]) -> Json:
    """Figures over all texts, and by sort."""
    counts: Counter[tuple[str, str]] = Counter()
    for each in snippets:
        made: Pairs = tuple((found.sort, found.text) for found in said(each.text))
        met = _met(made, each.labels)
        counts.update(("right", sort) for sort in met)
        counts.update(("made", sort) for sort, _ in made)
        counts.update(("wanted", sort) for sort, _ in each.labels)
    sorts = sorted({sort for _, sort in counts})
    by_sort = {sort: _figures(*(counts[name, sort] for name in ("right", "made", "wanted"))) for sort in sorts}
    totals = (sum(counts[name, sort] for sort in sorts) for name in ("right", "made", "wanted"))
    return {
        "status": "ran",
        "reason": None,
        "granularity": "statement",
        "questions": len(snippets),
        **_figures(*totals),
        "by_category": by_sort,
    }


def _figures(right: int, made: int, wanted: int) -> Json:
    return {
        "made": made,
        "wanted": wanted,
        "precision": round(right / made, 4) if made else None,
        "recall": round(right / wanted, 4) if wanted else None,
        "f1": round(2 * right / (made + wanted), 4) if made + wanted else None,
    }


def _met(made: Pairs, labels: Pairs) -> list[str]:
    """The sorts of the labels that were met, the likest pairs first."""
    pairs = sorted(
        (
            (_likeness(text, label), one, two)
            for one, (sort, text) in enumerate(made)
            for two, (wanted, label) in enumerate(labels)
            if sort == wanted
        ),
        key=lambda pair: (-pair[0], pair[1:]),
    )
    left: set[int] = set()
    right: set[int] = set()
    for likeness, one, two in pairs:
        if likeness >= LIKENESS and one not in left and two not in right:
            left.add(one)
            right.add(two)
    return [labels[two][0] for two in sorted(right)]


def _likeness(text: str, label: str) -> float:
    """F1 of the words of both."""
    one, two = gist(text).words, gist(label).words
    return 2 * len(one & two) / (len(one) + len(two)) if one or two else 0.0
