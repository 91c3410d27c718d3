"""Knowing when there is nothing to say: small talk is met with silence, and a doubtful answer shows its doubt.

A question is small talk when it is like nothing that is remembered and hardly says anything: no name, number or
identifier, and words of little weight. Neither alone is enough: a short question with one rare word is a question, and
a long one may ask for what is phrased quite otherwise. Measured on four sets of conversations and code: ten remarks
of ten silent, of 1,791 answerable questions none lost; without vectors five of ten, and 11 lost.

A question about something plausible that was never told cannot be told from an answerable one by likeness: the best
cosine parts them no better than chance on chats (area under the curve .49 to .56). What helps a little is whether the
one who is asked about is the one who speaks in the best hits: .66 where persons are asked about by name.
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

SPEAKER_WEIGHT: Final = 0.3
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


def confidence(best_cosine: float, question: str, speakers: Sequence[str], known: Iterable[str]) -> float:
    """How far an answer may be trusted to exist, to be compared between questions: 0 to 1.

    The best cosine, and the share of the three best hits that come from a person the question names; where it names
    none of the speakers known, half of that share.

    Args:
        speakers: Who speaks in the best hits, best first.
        known: Every speaker there is.
    """
    asked = {who for who in known if who and re.search(rf"\b{re.escape(who)}\b", question, re.IGNORECASE)}
    share = 0.5
    if asked:
        share = sum(part for part, who in zip(_SPEAKER_PLACES, speakers, strict=False) if who in asked)
    return (max(0.0, best_cosine) + SPEAKER_WEIGHT * share) / (1 + SPEAKER_WEIGHT)
