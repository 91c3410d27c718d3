"""Hashes of subtrees of the trail's tree: from roots that were kept, and from events where none was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.audit.tree import EMPTY, Peaks, leaf, node, split
from learnt.model.chain import hash_of
from learnt.model.checkpoint import Node
from learnt.model.seal import said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from learnt.ports.trail import Trail

LEVEL = 8
"""The smallest subtree of which the root is kept: 256 events. A proof reads two stretches of at most that many."""


class Growing(Peaks):
    """A tree that notes the roots of its subtrees of `2 ** LEVEL` leaves and more as they become whole."""

    __slots__ = ("nodes",)

    def __init__(self, base: Peaks) -> None:
        super().__init__(base.size, base.hashes)
        self.nodes: list[Node] = []

    def add(self, hashed: bytes) -> None:
        """One more leaf."""
        at, size, level = self.size, self.size, 0
        while size & 1:
            hashed = node(self.hashes.pop(), hashed)
            size, level = size >> 1, level + 1
            if level >= LEVEL:
                self.nodes.append(Node(level=level, number=at >> level, hash=hashed.hex()))
        self.hashes.append(hashed)
        self.size += 1


def ranges(tree: Peaks) -> Iterable[tuple[tuple[int, int], bytes]]:
    """Which leaves the peaks of a tree stand for."""
    low = 0
    for hashed in tree.hashes:
        size = 1 << ((tree.size - low).bit_length() - 1)
        yield (low, low + size), hashed
        low += size


def spans(trail: Trail, known: Mapping[tuple[int, int], bytes], cut: int = 0) -> Callable[[int, int], bytes]:
    """What gives the hash of the subtree over leaves from one, counted from 0, up to (without) another.

    Args:
        known: Hashes of subtrees that are known from elsewhere.
        cut: How many events are no longer there, from the first on; `known` has what is left of them.
    """

    def span(low: int, high: int) -> bytes:
        if (low, high) in known:
            return known[low, high]
        size = high - low
        if size >= 1 << LEVEL and not size & (size - 1):
            level = size.bit_length() - 1
            found = trail.nodes([(level, low >> level)]).get((level, low >> level))
            if found:
                return bytes.fromhex(found)
        if size == 1 and low < cut:
            return EMPTY
        if size <= 1 << LEVEL and low >= cut:
            return _folded([leaf(said(row.position, hash_of(row))) for row in trail.rows(low, high)])
        middle = low + split(size)
        return node(span(low, middle), span(middle, high))

    return span


def _folded(hashes: list[bytes]) -> bytes:
    """The root over some leaves; of none, which happens where events are gone, it is one that fits nowhere."""
    if len(hashes) <= 1:
        return hashes[0] if hashes else EMPTY
    middle = split(len(hashes))
    return node(_folded(hashes[:middle]), _folded(hashes[middle:]))
