"""Which statements of different sessions say the same, and may be told once.

Similarity alone joins "use npm" with "use pnpm": so one statement has to hold all the other's words, its numbers and
its negations, and be not much longer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from learnt.distil.line import words_of
from learnt.model.stem import stem
from learnt.model.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Item = TypeVar("Item")

LEAST_SHARE: Final = 0.7
"""Of the longer statement's words that the shorter one must hold. Below it a statement adds something of its own."""
MAX_SHARED: Final = 0.6
"""Of a statement's words that ones before it may have said already, where each has to add something."""
_STOP: Final = words_of(
    "a an the this that these those it its is are was were be been being to of in on at by for from with and or "
    "as if then than so we you i they he she our your my me us there here just also please always ever can could "
    "should would must may will shall do does did done has have had s t re ve ll d m"
)
_DENIALS: Final = words_of(
    "not never no don't dont doesn't doesnt cannot can't cant won't wont without stop avoid neither nor none"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_WORD = re.compile(r"[a-z']+")


@dataclass(frozen=True, slots=True)
class Gist:
    """A statement's words without those that say nothing, its numbers, and whether it denies."""

    words: frozenset[str]
    numbers: frozenset[str]
    denies: bool


def gist(text: str) -> Gist:
    """What is compared of a statement."""
    lowered = text.lower().replace("\u2019", "'")
    words = frozenset(stem(word) for word in tokens(lowered) if word not in _STOP)
    denies = not _DENIALS.isdisjoint(_WORD.findall(lowered))
    return Gist(words, frozenset(_NUMBER.findall(text)), denies)


def same(one: Gist, two: Gist) -> bool:
    """Whether two statements say the same."""
    if one.denies != two.denies or one.numbers != two.numbers or not one.words or not two.words:
        return False
    small, large = sorted((one.words, two.words), key=len)
    return small <= large and len(small) >= LEAST_SHARE * len(large)


def joined(
    items: Iterable[Item], told: Callable[[Item], Gist], order: Callable[[Item], tuple[object, ...]]
) -> list[list[Item]]:
    """Items that say the same together, the most detailed first of each; the same groups for whatever order of input.

    Args:
        told: What is compared of an item.
        order: A total order of the items, by which equally long ones are taken.

    Cost: each item is held only against groups that hold all its words.
    """
    dated = [(told(item), item) for item in items]
    dated.sort(key=lambda pair: (-len(pair[0].words), order(pair[1])))
    groups: list[tuple[Gist, list[Item]]] = []
    holding: dict[str, set[int]] = {}
    for meant, item in dated:
        place = _place(meant, groups, holding)
        if place is None:
            for word in meant.words:
                holding.setdefault(word, set()).add(len(groups))
            groups.append((meant, [item]))
        else:
            groups[place][1].append(item)
    return [members for _, members in groups]


def adding(items: Iterable[Item], text: Callable[[Item], str], told: Iterable[str] = ()) -> Iterator[Item]:
    """The items that say something which neither the ones before them nor `told` say."""
    said = {word for each in told for word in gist(each).words}
    for item in items:
        words = gist(text(item)).words
        if len(words & said) <= MAX_SHARED * len(words):
            said |= words
            yield item


def _place(told: Gist, groups: list[tuple[Gist, list[Item]]], holding: dict[str, set[int]]) -> int | None:
    """The first group whose most detailed statement says the same."""
    if not told.words:
        return next((at for at, (first, _) in enumerate(groups) if first == told), None)
    rarest, *others = sorted((holding.get(word, set[int]()) for word in told.words), key=len)
    full = rarest.intersection(*others) if rarest else rarest
    return next((at for at in sorted(full) if same(groups[at][0], told)), None)
