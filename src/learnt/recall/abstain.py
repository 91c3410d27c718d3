"""Knowing when there is nothing to say: small talk is met with silence, and a doubtful answer shows its doubt.

A question is small talk when it is like nothing that is remembered and hardly says anything: no name, number or
identifier, and words of little weight. Neither alone is enough: a short question with one rare word is a question, and
a long one may ask for what is phrased quite otherwise. Measured on four sets of conversations and code: ten remarks
of ten silent, of 1,791 answerable questions none lost; without vectors five of ten, and 11 lost.

A question about something plausible that was never told is hardly told from an answerable one by likeness: the best
cosine parts them with an area under the curve of .56 (chats of two persons), .62 (sessions of months; four such
questions) and .49 (chats with an assistant). What helps is whether the one who is asked about is the one who speaks in
the best hits, and whether any one session holds all that is asked: `confidence` adds both (.71, .75, .56). Scores of
the ranking itself part them worse (.52, .73, .27): they say how well a hit answers beside the others.
"""

from __future__ import annotations

import re
from math import log
from typing import TYPE_CHECKING, Final

from learnt.recall.intent import is_question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

QUIET_BELOW: Final = 0.53
"""Small talk is below this with its best cosine and a tenth of its weight of words together."""

WEIGHT_SHARE: Final = 0.1
QUIET_WEIGHT: Final = 0.8
"""Without vectors: the weight of words below which a remark is small talk."""

LEAST_QUESTION: Final = 0.7
"""What is put as a question is one from this weight of words on."""

SPEAKER_WEIGHT: Final = 0.6
"""Areas with .3: .67, .75, .57; with .8: .72, .75, .56."""
HELD_WEIGHT: Final = 0.3
"""Of the share of the question that one session holds. Areas with 0: .70, .63, .48; with .4: .70, .77, .58."""
_SPEAKER_PLACES: Final = (0.5, 0.3, 0.2)

_NAMED = re.compile(r"(?<=[\w,;:)] )[A-Z][A-Za-z]+|\d|\w+[_./\\-]\w+|[a-z][A-Z]|[`\"“]")


def weight_of_words(rarities: Iterable[float], units: int) -> float:
    """How much a question says: the idf of its words, in words as rare as can be.

    Args:
        rarities: BM25's idf of each word of the question that is remembered at all; others tell nothing.
        units: How many texts the idf counts.
    """
    return sum(max(0.0, rarity) for rarity in rarities) / log(max(3, units))


def names_something(question: str) -> bool:
    """Whether a name, number, path, identifier or quotation stands in the question.

    A capital counts as a name inside a sentence only, and `I` never does.
    """
    return any(match.group() != "I" for match in _NAMED.finditer(question[:2_000]))


def is_small_talk(question: str, weight: float, best_cosine: float | None) -> bool:
    """Whether to stay silent, because nothing is asked for.

    Args:
        weight: Of its words, see `weight_of_words`.
        best_cosine: Of anything remembered; None without a dense arm.
    """
    if names_something(question):
        return False
    if weight >= LEAST_QUESTION and is_question(question):
        return False
    if best_cosine is None:
        return weight < QUIET_WEIGHT
    return best_cosine + WEIGHT_SHARE * weight < QUIET_BELOW


def confidence(best_cosine: float, question: str, speakers: Sequence[str], known: Iterable[str], held: float) -> float:
    """How far an answer may be trusted to exist, to be compared between questions: 0 to 1.

    The best cosine, the share of the three best hits that come from a person the question names (half, where it names
    none of the speakers known), and how much of the question one session holds.

    Args:
        speakers: Who speaks in the best hits, best first.
        known: Every speaker there is.
        held: The greatest share of the question's words, by rarity, in any session.
    """
    asked = {who for who in known if who and re.search(rf"\b{re.escape(who)}\b", question, re.IGNORECASE)}
    share = 0.5
    if asked:
        share = sum(part for part, who in zip(_SPEAKER_PLACES, speakers, strict=False) if who in asked)
    found = max(0.0, best_cosine) + SPEAKER_WEIGHT * share + HELD_WEIGHT * held
    return found / (1 + SPEAKER_WEIGHT + HELD_WEIGHT)
