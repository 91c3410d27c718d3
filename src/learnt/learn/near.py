"""Which memories are near enough to share in a reward.

Source: swarm-memory seed, recall learning: of what was recalled lately, same scope, and either the same kind with a
Jaccard similarity of words at least the threshold, or a cosine of vectors at least another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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


def jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    """The share of what either holds that both hold; 0 when both are empty."""
    common = len(one & two)
    return common / (len(one) + len(two) - common) if common else 0.0


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
    by_kind: dict[tuple[str, str], list[frozenset[str]]] = {}
    by_scope: dict[str, list[str]] = {}
    for source in sources:
        by_kind.setdefault((source.scope.key, source.kind), []).append(words(source.text))
        by_scope.setdefault(source.scope.key, []).append(source.id)
    own = {source.id for source in sources}
    found = []
    for memory in candidates:
        if memory.id in own or memory.status != "active":
            continue
        told = by_kind.get((memory.scope.key, memory.kind), ())
        mine = words(memory.text) if told else frozenset[str]()
        overlap = max((jaccard(mine, each) for each in told), default=0.0)
        if (told and overlap >= reach.overlap) or _is_close(memory, by_scope, reach, cosine):
            found.append((-overlap, memory.id, memory))
    found.sort(key=lambda each: each[:2])
    return tuple(memory for _, _, memory in found[: reach.fanout])


def _is_close(
    memory: Memory, by_scope: dict[str, list[str]], reach: Reach, cosine: Callable[[str, str], float] | None
) -> bool:
    """By meaning, whatever the kind; never across scopes."""
    if cosine is None:
        return False
    return any(cosine(memory.id, source) >= reach.cosine for source in by_scope.get(memory.scope.key, ()))
