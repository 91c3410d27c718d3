"""The order of the queue, and which waiting proposals are one. Pure.

Two proposals are one when they ask for the same operation on the same things and say the same. Saying the same is
decided on the words in their order, without those that carry nothing; a number, a name, a path or a `not` more or less
always parts two texts, so that nobody accepts what they did not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from learnt.model.instant import age_days
from learnt.model.kinds import PROMOTABLE_KINDS
from learnt.model.stem import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.proposal import Proposal

_WORD: Final = re.compile(r"[^\s,;()\[\]{}\"'`]+")
_EMPTY_WORDS: Final = (
    "a an the this that these those is are was were be been being it its of to for in on at with and please always"
    " also just now currently really simply here there our we you your should must has have do does repository repo"
    " project codebase"
)
_EMPTY: Final = frozenset(_EMPTY_WORDS.split())
"""Words that may be there or not without changing what a statement says."""
_TELLING_WORDS: Final = (
    "not no never none without cannot can't don't doesn't isn't aren't won't only except unless until before after"
    " when if or instead than but while windows linux macos mac ci production prod staging dev development local"
    " docker test tests"
)
_TELLING: Final = frozenset(map(stem, _TELLING_WORDS.split()))
"""Words whose presence changes what a statement says."""
_LIMITING_WORDS: Final = "in on at for with under from by during via per inside outside within of"
_LIMITING: Final = frozenset(_LIMITING_WORDS.split())
"""Words behind which a statement is narrowed: where one text has more of them, what it says more may matter."""
_SHARE: Final = 0.8
"""Of the words of the longer text that the shorter one must hold to be folded with it."""
_MOST_COMPARED: Final = 200
"""Heads compared with one text; beyond that it gets an entry of its own."""
_MIN_WORDS: Final = 5
"""A shorter text is folded only with one that says exactly the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing to decide: the proposal shown, and others that ask for the same.

    Attributes:
        value: 0 to 1, how much a person gains by looking at it; the queue is in this order.
        alike: By expected value, then age.
    """

    proposal: Proposal
    value: float
    alike: tuple[Proposal, ...] = ()

    @property
    def all(self) -> tuple[Proposal, ...]:
        """The proposal shown, then the others."""
        return (self.proposal, *self.alike)


@lru_cache(maxsize=8_192)
def _narrowed(text: str) -> int:
    return sum(word.lower() in _LIMITING for word in _WORD.findall(text))


@lru_cache(maxsize=8_192)
def said(text: str) -> tuple[str, ...]:
    """The words of a text that say something, stemmed, in their order; signs that end a sentence left out."""
    words = (word.lower().rstrip(".:!?") for word in _WORD.findall(text))
    return tuple(stem(word) if word.isalpha() else word for word in words if word and word not in _EMPTY)


def says_same(one: Proposal, other: Proposal) -> bool:
    """Whether two proposals ask for the same in the same words, but for words that carry nothing."""
    return _asks(one) == _asks(other) and said(one.text) == said(other.text)


def _asks(proposal: Proposal) -> tuple[object, ...]:
    return (
        proposal.operation,
        proposal.kind,
        proposal.scope.key,
        proposal.target_id,
        frozenset(proposal.related),
        bool(proposal.text),
    )


def folded(proposals: Iterable[Proposal], now: str) -> tuple[Entry, ...]:
    """The queue: most valuable first, then newest, then by id; what asks for the same is one entry.

    Cost: linear; some 200 comparisons a proposal at most.
    """
    first = sorted(proposals, key=lambda each: each.id)
    first.sort(key=lambda each: each.created_at, reverse=True)
    first.sort(key=lambda each: -each.expected_value)
    heads = _Heads()
    groups: dict[str, list[Proposal]] = {}
    for each in first:
        head = heads.find(each)
        if head is None:
            heads.add(each)
            groups[each.id] = [each]
        else:
            groups[head].append(each)
    entries = [
        Entry(proposal=head, alike=tuple(others), value=worth(head, others, now)) for head, *others in groups.values()
    ]
    return tuple(sorted(entries, key=lambda entry: -entry.value))


class _Heads:
    """The proposals shown so far, found by what they say.

    Texts of one entry share every word that tells, so only those are looked through; within them by rare words.
    """

    def __init__(self) -> None:
        self._exact: dict[tuple[object, ...], str] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._holding: dict[tuple[object, str], list[str]] = {}

    def find(self, proposal: Proposal) -> str | None:
        """The id of the head that a proposal is one with."""
        asks, words = _asks(proposal), said(proposal.text)
        if (exact := self._exact.get((asks, words))) is not None:
            return exact
        mine = frozenset(words)
        if len(mine) < _MIN_WORDS:
            return None
        kin = _kin(proposal, mine)
        lists = [self._holding.get((kin, word), []) for word in mine]
        # A text of n words and one that holds four fifths of them share one of any n/5 + 1: the rarest are looked up.
        rarest = sorted(lists, key=len)[: len(mine) // 4 + 1]
        candidates = islice(dict.fromkeys(head for some in rarest for head in some), _MOST_COMPARED)
        return next((head for head in candidates if _near(mine, self._words[head])), None)

    def add(self, proposal: Proposal) -> None:
        """One more head."""
        asks, words = _asks(proposal), said(proposal.text)
        self._exact[asks, words] = proposal.id
        held = frozenset(words)
        if len(held) >= _MIN_WORDS:
            self._words[proposal.id] = held
            kin = _kin(proposal, held)
            for word in held:
                self._holding.setdefault((kin, word), []).append(proposal.id)


def _kin(proposal: Proposal, words: frozenset[str]) -> tuple[object, ...]:
    """What two texts must have in common to be near: what they ask for, the words that tell, how far they narrow."""
    return _asks(proposal), frozenset(filter(_tells, words)), _narrowed(proposal.text)


def _tells(word: str) -> bool:
    """Whether a word more or less makes another statement: a number, a name, a path, a `not`."""
    return not word.isalpha() or word in _TELLING


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the one text holds the other, and says at most a fifth more; they are kin."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _SHARE * len(longer) and shorter <= longer


def worth(proposal: Proposal, alike: Sequence[Proposal], now: str) -> float:
    """How much a person gains by looking at a proposal, 0 to 1.

    What capture expects of it; more where several ask for it, where words were found in their source, and where a
    person proposed it; less where it could not be accepted as it stands, and a little with every week. The steps are
    our choice: they order, and nothing else rests on them.
    """
    value = proposal.expected_value + 0.08 * min(3, len(alike))
    value += 0.05 * any(reference.verified for each in (proposal, *alike) for reference in each.evidence)
    value += 0.1 * (proposal.trust == "person")
    if proposal.operation in {"add", "supersede"} and proposal.kind not in PROMOTABLE_KINDS:
        value -= 0.3
    if "quarantine" in proposal.metadata:
        value -= 0.1
    value -= 0.01 * min(15, age_days(proposal.created_at, now) // 7)
    return round(max(0.0, min(1.0, value)), 4)
