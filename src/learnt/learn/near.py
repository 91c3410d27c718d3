"""Which memories are near enough to share in a reward.

Source: swarm-memory seed, recall learning: of what was recalled lately, same scope, and either the same kind with a
Jaccard similarity of words at least the threshold, or a cosine of vectors at least another one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from learnt.model.tokens import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.model.memory import Memory

LOOKBACK_ROWS = 500
"""Receipts looked through, the newest. Source: the same."""

_WORD = re.compile(r"[a-z0-9_]{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far a reward reaches. `cosine` bounds vectors, `overlap` words; `fanout` is how many it reaches at most."""

    overlap: float = 0.4
    cosine: float = 0.7
    fanout: int = 20


def words(text: str) -> frozenset[str]:
    """What two statements are compared by: runs of three and more of [a-z0-9_], without stop words."""
    return frozenset(_WORD.findall(text.lower())) - STOP_WORDS


class Told:
    """Some sources of one scope and kind by their words, so that a candidate meets only those it shares one with."""

    __slots__ = ("_holders", "_sizes")

    def __init__(self) -> None:
        self._holders: dict[str, list[int]] = {}
        self._sizes: list[int] = []

    def add(self, text: str) -> None:
        """One source more."""
        held = words(text)
        for word in held:
            self._holders.setdefault(word, []).append(len(self._sizes))
        self._sizes.append(len(held))

    def overlap(self, text: str, least: float = 0.0) -> float:
        """The best Jaccard similarity with a source: the share of what either holds that both hold; 0 for none.

        Args:
            least: What is surely below need not be known: it may come out as 0.
        """
        held, sizes = words(text), self._sizes
        known = held & self._holders.keys()
        own, most = len(held), len(known)
        if not most or most + 1e-9 < least * (own + min(sizes) - most):
            return 0.0
        met = Counter(chain.from_iterable(map(self._holders.__getitem__, known)))
        return max([common / (own + sizes[one] - common) for one, common in met.items()], default=0.0)


def nearest(
    sources: Sequence[Memory],
    candidates: Iterable[Memory],
    reach: Reach,
    cosine: Callable[[str, str], float] | None = None,
) -> tuple[Memory, ...]:
    """Those that share in the sources' reward: most alike first, then by id.

    Args:
        cosine: Of the vectors of two memories by id; None where there are none.
    """
    if not reach.fanout:
        return ()
    by_kind: dict[tuple[str, str], Told] = {}
    by_scope: dict[str, list[str]] = {}
    for source in sources:
        by_kind.setdefault((source.scope.key, source.kind), Told()).add(source.text)
        by_scope.setdefault(source.scope.key, []).append(source.id)
    own = {source.id for source in sources}
    found = []
    least = reach.overlap if cosine is None else 0.0  # what is close by its vector is ordered by its words
    for memory in candidates:
        if memory.id in own or memory.status != "active":
            continue
        key = memory.scope.key
        told = by_kind.get((key, memory.kind))
        overlap = told.overlap(memory.text, least) if told else 0.0
        if (told and overlap >= reach.overlap) or _is_close(memory.id, by_scope.get(key, ()), reach, cosine):
            found.append((-overlap, memory.id, memory))
    found.sort(key=lambda each: each[:2])
    return tuple(memory for _, _, memory in found[: reach.fanout])


def _is_close(memory_id: str, sources: Sequence[str], reach: Reach, cosine: Callable[[str, str], float] | None) -> bool:
    """By meaning, whatever the kind; `sources` are those of its own scope."""
    return cosine is not None and any(cosine(memory_id, source) >= reach.cosine for source in sources)
