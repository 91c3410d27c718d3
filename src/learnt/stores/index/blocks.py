"""The stored form of full text: 2,048 memories of a scope each, for each term which of them hold it.

A term's holders are a bit set, or (fewer than 48) a list of 16-bit positions; beside them stands how often, where a
memory holds the term more than once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from struct import pack, unpack
from typing import TYPE_CHECKING

from learnt.stores.index.bits import positions
from learnt.stores.index.narrow import BITS_BYTES, BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SPARSE = 48
_LONGEST = 65_535


class Block:
    """A block in the making: who holds which term, and how many terms each memory has."""

    __slots__ = ("_held", "_lengths")

    def __init__(self, memories: Iterable[tuple[int, Sequence[str]]]) -> None:
        self._held: defaultdict[str, list[int]] = defaultdict(list)
        self._lengths = [0] * BLOCK
        for position, terms in memories:
            self._lengths[position] = min(len(terms), _LONGEST)
            for term in terms:
                self._held[term].append(position)

    def postings(self) -> Iterable[tuple[str, bytes, bytes]]:
        """Term, `docs` and `repeats`, by term."""
        return ((term, *packed(positions)) for term, positions in sorted(self._held.items()))

    @property
    def lengths(self) -> bytes:
        """The column `lengths`."""
        return pack(f"<{BLOCK}H", *self._lengths)


def changed(old: Sequence[str], new: Sequence[str]) -> dict[str, int]:
    """How often a memory holds each term whose count has changed, by term."""
    was, counts = Counter(old), Counter(new)
    return {term: counts[term] for term in sorted(was.keys() | counts.keys()) if was[term] != counts[term]}


def relengthed(lengths: bytes, position: int, length: int) -> bytes:
    """The column `lengths` with another count at one position; `lengths` may be empty."""
    held = bytearray(lengths or bytes(2 * BLOCK))
    held[2 * position : 2 * position + 2] = packed_length(length)
    return bytes(held)


def packed_length(length: int) -> bytes:
    """One count of the column `lengths`."""
    return pack("<H", min(length, _LONGEST))


def packed(positions_: Sequence[int]) -> tuple[bytes, bytes]:
    """Positions (with repeats) as the columns `docs` and `repeats`."""
    held, repeats = dict.fromkeys(positions_), b""
    if len(held) < len(positions_):
        counts = sorted(Counter(positions_).items())
        repeats = b"".join(pack("<HH", at, min(often, _LONGEST)) for at, often in counts if often > 1)
    if len(held) < _SPARSE:
        return pack(f"<{len(held)}H", *sorted(held)), repeats
    bits = bytearray(BITS_BYTES)
    for at in held:
        bits[at >> 3] |= 1 << (at & 7)
    return bytes(bits), repeats


def unpacked(docs: bytes, repeats: bytes) -> dict[int, int]:
    """How often each position holds the term."""
    held = positions(int.from_bytes(docs, "little"), BLOCK) if len(docs) == BITS_BYTES else _numbers(docs)
    counts = dict.fromkeys(held, 1)
    pairs = _numbers(repeats)
    counts.update(zip(pairs[::2], pairs[1::2], strict=True))
    return counts


def alike(made: Block, held: Sequence[tuple[str, bytes, bytes]]) -> bool:
    """Whether stored postings, by term, mean the same; few holders may be written as a list or as bits."""
    postings = list(made.postings())
    return len(postings) == len(held) and all(
        one == other or (one[0] == other[0] and unpacked(*one[1:]) == unpacked(*other[1:]))
        for one, other in zip(postings, held, strict=True)
    )


def amended(docs: bytes, repeats: bytes, position: int, often: int) -> tuple[bytes, bytes]:
    """The columns with the term `often` times (0: not at all) at one position; a list that grew long becomes bits."""
    pairs = _numbers(repeats)
    kept = [pair for pair in zip(pairs[::2], pairs[1::2], strict=True) if pair[0] != position]
    if often > 1:
        kept = sorted([*kept, (position, min(often, _LONGEST))])
    repeated = b"".join(pack("<HH", *pair) for pair in kept)
    if len(docs) == BITS_BYTES:
        bits = bytearray(docs)
        bit = 1 << (position & 7)
        bits[position >> 3] = bits[position >> 3] | bit if often else bits[position >> 3] & ~bit
        return bytes(bits) if any(bits) else b"", repeated
    held = sorted({*_numbers(docs)} - {position} | ({position} if often else set()))
    if len(held) >= 2 * _SPARSE:
        return sum(1 << at for at in held).to_bytes(BITS_BYTES, "little"), repeated
    return pack(f"<{len(held)}H", *held), repeated


def _numbers(packed_: bytes) -> tuple[int, ...]:
    return unpack(f"<{len(packed_) // 2}H", packed_)
