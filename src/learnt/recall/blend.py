"""The fusion of the default profile: likeness leads, words add as much as they tell.

For each candidate

    score = likeness + weight x root of sharpness x words / best words
          + 0.05 if a person said it
          + 0.2 if it is a standing instruction, and help with a task is asked for
          + 0.15 if it is of a period the question names

    likeness  = cosine of the candidate; of a short turn mixed with the cosines of its two neighbours
    sharpness = 1 - tenth best words score / best words score
    weight    = 0.65 if the question names something (a name, number, identifier, quotation), else 0.28

A cosine is already a measure that means the same for every question; a BM25 score is not, so it counts relative to the
best one, and the less the flatter the list is: where the tenth hit matches as well as the first, the words do not tell,
and likeness alone decides. Names and identifiers are what words find and vectors lose, so a question without any weighs
words less. These two keep the fusion from falling below its better half: conversations are won by words (names, rare
nouns; sharpness .56 on the median), questions about code by likeness (sharpness .32, and 7 % name something).

Tried and rejected (numbers in docs/adr): reciprocal ranks (lose wherever one half is much weaker), min-max (the last
hit is always 0), standard scores with one weight (.7 wins conversations and loses .05 on code, .2 the other way round),
the share of the question's rare words as weight, sharpness squared or cubed, feedback from the first hits (worse in
both arms), reading more than 200 hits of each arm (no gain).

Pure and without arrays: candidates are a few hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAMED_WEIGHT: Final = 0.65
PLAIN_WEIGHT: Final = 0.28
"""Of the words at their sharpest, beside 1 for a cosine: of a question that names something, and of another.

Named, .6 to .7 are within .005 on every set. Plain, .25 to .3 give code questions .545 or .546 (vectors alone .543).
With sharpness itself instead of its root (.8 and .3) these have .542, rounds of long chats .716 (with this .710).
"""

SHARP_RANK: Final = 10
"""The hit whose distance from the first is the sharpness. 5 and 20 give the same figures within .02."""

NEIGHBOURS_SHARE: Final = 0.25
NEIGHBOURS_CHARS: Final = 150
"""Share of the neighbours in the likeness of a text of at most so many characters; it falls as 1 / length beyond.

Conversations gain .02 recall@10; with the same share for long texts, chats of long messages lost as much.
"""

PERSON_BONUS: Final = 0.05
"""Of what a person said beside what agents and tools said. .05 and .1 are alike; none loses .01 to .02."""

STANDING_BONUS: Final = 0.2
"""Of a person's standing instruction when help with a task is asked for. Rounds of long chats, recall@10: .676 without,
.704 with .1, .710 with this, .715 with .3, where other conversations begin to lose.
"""

PERIOD_BONUS: Final = 0.15
"""Of what is from a period the question names (`learnt.recall.dates`). Of 148 such questions about long conversations
recall@10 was .788 without, .827 with .05, .850 with .1, .846 with .2, .853 with .4.
"""

HIGHEST: Final = 1 + NAMED_WEIGHT + PERSON_BONUS + STANDING_BONUS + PERIOD_BONUS
"""The best score there can be. Scores over it are calibrated: 0 to 1, and alike for every question."""

_NOTHING: Final = 1e-9
"""Words that score no more than this say nothing."""


@dataclass(frozen=True, slots=True)
class Given:
    """What is known of one candidate.

    Attributes:
        words: Its lexical score in any unit, 0 where no word matches.
        likeness: Its cosine, see `likeness`; None where there is no vector, or no dense arm.
        dated: It is from a period the question names.
    """

    id: str
    words: float = 0.0
    likeness: float | None = None
    person: bool = False
    standing: bool = False
    dated: bool = False


def sharpness(scores: Iterable[float]) -> float:
    """How well words tell hits apart, 0 (the tenth is as good as the first) to 1 (fewer than ten match at all)."""
    best = sorted(scores, reverse=True)[:SHARP_RANK]
    if not best or best[0] <= _NOTHING:
        return 0.0
    return 1.0 if len(best) < SHARP_RANK else min(1.0, 1 - best[-1] / best[0])


def likeness(own: float, around: Sequence[float], characters: int) -> float:
    """The cosine of a text mixed with those of its neighbours, the more the shorter the text is.

    A missing neighbour counts as the text itself: pass the cosines of those there are, at most two. One that the
    dense arm did not return counts as the lowest cosine it did return.
    """
    if not around:
        return own
    share = NEIGHBOURS_SHARE * min(1.0, NEIGHBOURS_CHARS / max(1, characters))
    beside = [*around, own, own][:2]
    return (1 - share) * own + share * sum(beside) / len(beside)


def blended(given: Sequence[Given], *, named: bool = True, task: bool = False) -> tuple[tuple[str, float], ...]:
    """Every candidate with its calibrated score, best first, then by id.

    Without any likeness the words decide alone; a candidate without one among others that have it counts as the least
    like of them. Adding to one candidate's words or likeness never lowers its own score, unless it is the one others
    are measured against.

    Args:
        named: Whether the question names something (`learnt.recall.abstain.names_something`).
        task: Whether it asks for help with a task (`learnt.recall.intent.is_task`).
    """
    top = max((each.words for each in given), default=0.0)
    top = top if top > _NOTHING else 0.0
    most = NAMED_WEIGHT if named else PLAIN_WEIGHT
    weight = most * sqrt(sharpness(each.words for each in given)) / top if top > 0 else 0.0
    known = [each.likeness for each in given if each.likeness is not None]
    floor = min(known, default=0.0)
    if not known and top > 0:
        weight = 1.0 / top
    sums = [(each.id, _sum(each, weight, floor, task=task)) for each in given]
    sums.sort(key=lambda each: (-round(each[1], 9), each[0]))
    return tuple((name, max(0.0, total) / HIGHEST) for name, total in sums)


def _sum(given: Given, weight: float, floor: float, *, task: bool) -> float:
    like = floor if given.likeness is None else given.likeness
    extra = PERSON_BONUS * given.person + STANDING_BONUS * (given.standing and task) + PERIOD_BONUS * given.dated
    return like + weight * given.words + extra
