"""BM25 of the memories that a cold query chose, from the stored blocks. Hook-safe: integers, bytes and SQL, no numpy.

A block says who holds a term, how often, and how long everybody is, so what lies in one is scored without reading it:
that took a third of a cold answer. Only memories after the last full block are read, and their terms counted.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.stores.index.area import Area, Rows

    Weights = Sequence[tuple[str, float]]

K1, B = 1.2, 0.75
"""Constants of BM25. Source: SQLite FTS5, `bm25()`."""

BLOCK = 2_048


class Holders:
    """Who of a scope holds some terms.

    Attributes:
        bits: For each term that occurs, which memories hold it, one bit a sequence.
        repeats: For each term, by block, who of it holds the term more than once: pairs of 16-bit numbers, a position
            and how often.
    """

    __slots__ = ("bits", "repeats")

    def __init__(self) -> None:
        self.bits: dict[str, int] = {}
        self.repeats: dict[str, dict[int, bytes]] = {}


def scored(
    rows: Rows, area: Area, held: Holders, chosen: Sequence[int], weights: Weights, mean: float
) -> list[tuple[float, int]]:
    """(negative score, row) of the memories at some positions; scores are rounded so that equal ones tie.

    Args:
        weights: The terms with their rarities. `mean`: the average length.
    """
    full = area.blocks * BLOCK
    found = _of_blocks(rows, area, held, [at for at in chosen if at < full], weights, mean)
    found.extend(_of_rows(rows, area, [area.base | at for at in chosen if at >= full], weights, mean))
    return found


def _of_blocks(
    rows: Rows, area: Area, held: Holders, chosen: Sequence[int], weights: Weights, mean: float
) -> list[tuple[float, int]]:
    if not chosen:
        return []
    lengths: dict[int, bytes] = dict(rows("lengths", {"scope": area.no, "blocks": area.blocks}))
    norms = [K1 * (1 - B + B * _number(lengths[at // BLOCK], 2 * (at % BLOCK)) / mean) for at in chosen]
    scores = [0.0] * len(chosen)
    for term, rare in weights:
        mask = held.bits.get(term, 0)
        if not mask:
            continue
        bits, repeats = mask.to_bytes((mask.bit_length() + 7) >> 3, "little"), held.repeats.get(term, {})
        size = len(bits)
        for nth, at in enumerate(chosen):
            if at >> 3 < size and bits[at >> 3] >> (at & 7) & 1:
                often = _often(repeats.get(at // BLOCK, b""), at % BLOCK)
                scores[nth] += rare * (often * (K1 + 1) / (often + norms[nth]))
    return [(-round(score, 9), area.base | at) for score, at in zip(scores, chosen, strict=True)]


def _often(pairs: bytes, at: int) -> int:
    """How often a position holds the term, by those that hold it more than once."""
    wanted = at.to_bytes(2, "little")
    place = pairs.find(wanted)
    while place >= 0 and place & 3:
        place = pairs.find(wanted, place + 1)
    return _number(pairs, place + 2) if place >= 0 else 1


def _number(numbers: bytes, place: int) -> int:
    """The 16-bit number at some place."""
    return numbers[place] | numbers[place + 1] << 8


def _of_rows(rows: Rows, area: Area, chosen: Sequence[int], weights: Weights, mean: float) -> list[tuple[float, int]]:
    if not chosen:
        return []
    weight = {f"{area.prefix}{term}": rare for term, rare in weights}
    found = []
    for row, text, _ in rows("terms", {"rows": list(chosen)}):
        words = text.split(" ")
        norm = K1 * (1 - B + B * len(words) / mean)
        counts: dict[str, int] = {}
        for word in words:
            if word in weight:
                counts[word] = counts.get(word, 0) + 1
        score = sum(weight[word] * (often * (K1 + 1) / (often + norm)) for word, often in counts.items())
        found.append((-round(score, 9), row))
    return found
