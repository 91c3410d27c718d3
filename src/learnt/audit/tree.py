"""A Merkle tree over events in order, and its proofs: that one event is in it, that one tree begins with another.

Leaves, nodes and proofs are those of RFC 6962, sections 2.1 to 2.1.2: a leaf is hashed after a zero byte, a node after
a one, so that neither passes for the other; a tree of n leaves splits at the largest power of two below n. Only the
roots of the whole subtrees on its left (`Peaks`) are needed to go on growing it.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

EMPTY = sha256(b"").digest()
"""The root of no leaves."""


def leaf(said: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\0" + said).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees side by side."""
    return sha256(b"\1" + left + right).digest()


class Peaks:
    """A tree as far as growing it needs: the roots of its whole subtrees, largest first.

    Attributes:
        size: How many leaves.
        hashes: One for each bit that is set in `size`.
    """

    __slots__ = ("hashes", "size")

    def __init__(self, size: int = 0, hashes: Iterable[bytes] = ()) -> None:
        self.size = size
        self.hashes = list(hashes)
        if len(self.hashes) != size.bit_count():
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} peaks, not {len(self.hashes)}")

    def add(self, hashed: bytes) -> None:
        """One more leaf."""
        size, hashes = self.size, self.hashes
        while size & 1:
            hashed = sha256(b"\1" + hashes.pop() + hashed).digest()
            size >>= 1
        hashes.append(hashed)
        self.size += 1

    def root(self) -> bytes:
        """The root of the tree."""
        if not self.hashes:
            return EMPTY
        found = self.hashes[-1]
        for each in reversed(self.hashes[:-1]):
            found = node(each, found)
        return found

    def copy(self) -> Peaks:
        """The same tree, to be grown apart."""
        return Peaks(self.size, self.hashes)


def split(size: int) -> int:
    """The largest power of two below `size`, which is at least 2."""
    return 1 << ((size - 1).bit_length() - 1)


def inclusion(index: int, size: int, span: Callable[[int, int], bytes]) -> list[bytes]:
    """The proof that leaf `index` is in the tree of `size` leaves, from the bottom up (RFC 6962, 2.1.1).

    Args:
        span: Gives the hash of the subtree over leaves from one, counted from 0, up to (without) another.
    """
    low, high, found = 0, size, []
    while high - low > 1:
        middle = low + split(high - low)
        if index < middle:
            found.append(span(middle, high))
            high = middle
        else:
            found.append(span(low, middle))
            low = middle
    return found[::-1]


def consistency(old: int, size: int, span: Callable[[int, int], bytes]) -> list[bytes]:
    """The proof that the tree of `size` leaves begins with that of `old` (RFC 6962, 2.1.2); empty for the same tree."""
    if not 0 < old < size:
        return []
    low, high, whole, found = 0, size, True, []
    while old - low != high - low:
        middle = low + split(high - low)
        if old <= middle:
            found.append(span(middle, high))
            high = middle
        else:
            found.append(span(low, middle))
            low, whole = middle, False
    if not whole:
        found.append(span(low, high))
    return found[::-1]


def includes(root: bytes, size: int, index: int, hashed: bytes, proof: Sequence[bytes]) -> bool:
    """Whether a proof shows that a leaf's hash stands at `index` of the tree with this root. Any input is safe."""
    if not 0 <= index < size or any(len(each) != 32 for each in (root, hashed, *proof)):
        return False
    at, last, found = index, size - 1, hashed
    for each in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node(each, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node(found, each)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def continues(old_root: bytes, old: int, root: bytes, size: int, proof: Sequence[bytes]) -> bool:
    """Whether a proof shows that one tree begins with another (RFC 9162, 2.1.4.2). Any input is safe."""
    if any(len(each) != 32 for each in (old_root, root, *proof)):
        return False
    if old == size:
        return not proof and old_root == root
    if old == 0:
        return not proof and old_root == EMPTY and size > 0
    if not 0 < old < size or not proof:
        return False
    rest = list(proof)
    at, last = old - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    first = old_root if at == 0 and old & (old - 1) == 0 else rest.pop(0)
    before = now = first
    for each in rest:
        if last == 0:
            return False
        if at & 1 or at == last:
            before, now = node(each, before), node(each, now)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            now = node(now, each)
        at, last = at >> 1, last >> 1
    return last == 0 and before == old_root and now == root
