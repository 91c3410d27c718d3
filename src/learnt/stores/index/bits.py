"""Sets of memories as long integers, and sums over all of them at once. Hook-safe.

Bit n of an integer stands for the memory with sequence n. A sum for every memory is kept as planes: plane k holds bit k
of all sums, so adding a weight to the sums of a set costs a few operations on whole integers, whatever the set's size.
"""

from __future__ import annotations

PLANES = 12
"""Room for the largest sum: 40 terms x weight 31 < 2 ** 11."""


def add(planes: list[int], mask: int, weight: int) -> None:
    """Add `weight` to the sum of every memory in `mask`."""
    at = 0
    while weight:
        if weight & 1:
            carry, plane = mask, at
            while carry:
                planes[plane], carry = planes[plane] ^ carry, planes[plane] & carry
                plane += 1
        weight >>= 1
        at += 1


def bisected(planes: list[int], matched: int, most: int) -> tuple[int, int]:
    """The memories above the sum that `most` of them reach, and those exactly at it."""
    sure, tied = 0, matched
    for plane in reversed(planes):
        upper = tied & plane
        if (sure | upper).bit_count() >= most:
            tied = upper
        else:
            sure |= upper
            tied ^= upper
    return sure, tied


def positions(mask: int, most: int) -> list[int]:
    """The lowest `most` set bits."""
    found: list[int] = []
    digits = bin(mask)[:1:-1]
    at = digits.find("1")
    while at >= 0 and len(found) < most:
        found.append(at)
        at = digits.find("1", at + 1)
    return found
