"""The full-text stage of a process that has just started. Hook-safe: integers, lists and statements, no numpy.

For each term one integer says which memories of a scope hold it (bit = sequence). Terms get whole weights 0 to 31 in
proportion to their rarity; the weights are added for all memories at once, bit plane by bit plane, and a bisection
over the planes gives the best few hundred. Only these are scored by BM25 exactly. When no more than that many memories
hold any term, the answer is exact; otherwise a memory can be lost that repeats a term or is short enough to beat its
rank by rarity alone.

Tried and rejected: bm25() of FTS5 (1 to 4 microseconds a matched row, and statistics over foreign scopes); matching
only the rarest terms (loses what holds many of the others); pairs of terms (tens of milliseconds at 100,000).
"""

from __future__ import annotations

from math import log
from struct import unpack

from learnt.model.candidate import Candidate
from learnt.model.tokens import kind_term
from learnt.model.tokens import unpack as unpack_signals
from learnt.stores.index import weigh
from learnt.stores.index.area import Area
from learnt.stores.index.bits import PLANES, add, bisected, positions
from learnt.stores.index.weigh import Holders, scored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Any

    from learnt.stores.index.area import Rows

K1, B, BLOCK = weigh.K1, weigh.B, weigh.BLOCK
BITS_BYTES = BLOCK // 8
EXACT = 400
"""How many memories a cold query scores exactly; at least the limit."""

COLD_ACTIVE = 8_192
"""A scope set of at most this many (four full blocks) is always answered cold: no numpy, no postings to keep current.

Measured with 16 processes x 500 writes and recalls on SQLite: 622 writes/s before in one run, 667 and 704 after. The
bound itself was not varied.
"""

_TOP_WEIGHT = 31
_TERM_NS, _HOLDER_NS, _ROW_NS = 20_000, 8, 4_000
"""What FTS5 takes for a term and for each holder of it, and a row without it. Source: own measurement at 100,000."""


class Answer:
    """Outcome of the full-text stage; see `learnt.ports.lexicon.Narrowed`.

    Attributes:
        exact: Whether the order is that of BM25 over everything that matched.
    """

    __slots__ = ("_later", "exact", "found", "matched", "whole")

    def __init__(
        self,
        found: Sequence[Candidate] = (),
        *,
        matched: bool,
        whole: bool = False,
        exact: bool = True,
        later: Callable[[], Sequence[Candidate]] | None = None,
    ) -> None:
        self.found = found
        self.matched = matched
        self.whole = whole
        self.exact = exact
        self._later = later

    @property
    def candidates(self) -> Sequence[Candidate]:
        """In full-text order where it ranked, else by id; read only now when nothing matched."""
        if self._later is not None:
            self.found, self._later = self._later(), None
        return self.found


def narrow(
    rows: Rows, scopes: Sequence[int], terms: Sequence[str], limit: int, kinds: Sequence[str] = (), now: str = ""
) -> Answer:
    """The memories to score (`learnt.ports.lexicon.Lexicon.candidates`); scopes are numbers."""
    areas = surveyed(rows, scopes)
    if sum(area.active for area in areas) <= limit:
        return whole(rows, areas)
    return cold(rows, areas, terms, limit, kinds, now)


def surveyed(rows: Rows, scopes: Sequence[int]) -> list[Area]:
    """The scopes in sight as they are now."""
    return [Area(row) for row in rows("scopes", {"scopes": list(scopes)})]


def whole(rows: Rows, areas: Sequence[Area]) -> Answer:
    """Every active memory, by id."""
    found = rows("whole", {"scopes": [area.no for area in areas]})
    return Answer(candidates(areas, found), matched=True, whole=True)


def cold(rows: Rows, areas: Sequence[Area], terms: Sequence[str], limit: int, kinds: Sequence[str], now: str) -> Answer:
    """The best of scopes of more than `limit` memories."""
    asked = usable(terms)
    best, exact = ranked(rows, areas, asked, limit, kinds, now)
    if not best:
        return Answer(matched=False, later=lambda: newest(rows, areas, kinds, now))
    return Answer(placed(rows, areas, best, limit), matched=True, exact=exact)


def newest(rows: Rows, areas: Sequence[Area], kinds: Sequence[str], now: str) -> list[Candidate]:
    """The newest memories, for manual recall when nothing matched."""
    values: dict[str, object] = {"scopes": [area.no for area in areas], "kinds": list(kinds), "now": now}
    return candidates(areas, rows("newest", values))


def usable(terms: Iterable[str]) -> list[str]:
    """Terms, each once, without what FTS5 would take apart: a caller's own invention, never one of `query_terms`."""
    kept = (term for term in dict.fromkeys(terms) if term)
    return [term for term in kept if all(char.isalnum() or char in "_-" or char > "\x7f" for char in term)]


def ranked(
    rows: Rows, areas: Sequence[Area], terms: Sequence[str], limit: int, kinds: Sequence[str], now: str
) -> tuple[list[tuple[float, int]], bool]:
    """(negative score, row) of the `limit` best and of what ties with the last, and whether that is exact."""
    held = [_held(rows, area, [*terms, *usable(kind_term(kind) for kind in kinds)]) for area in areas]
    total = sum(area.active for area in areas)
    mean = sum(area.terms for area in areas) / total if total else 1.0
    rarity = [idf(total, sum(each.bits[term].bit_count() for each in held if term in each.bits)) for term in terms]
    weights = list(zip(terms, rarity, strict=True))
    found: list[tuple[float, int]] = []
    exact = True
    for area, mine in zip(areas, held, strict=True):
        allowed = _allowed(rows, area, mine.bits, kinds, now)
        chosen, whole = _best(mine.bits, terms, rarity, allowed, max(EXACT, limit))
        found.extend(scored(rows, area, mine, chosen, weights, mean))
        exact = exact and whole
    found.sort()
    return [each for each in found if each[0] <= found[limit - 1][0]] if len(found) > limit else found, exact


def idf(total: int, holders: int) -> float:
    """Rarity of a term that `holders` of `total` memories hold. Source: SQLite FTS5, `bm25()`, its floor included."""
    return max(log((total - holders + 0.5) / (holders + 0.5)), 1e-6) if total > holders else 1e-6


def _held(rows: Rows, area: Area, terms: Sequence[str]) -> Holders:
    """Who of the scope holds the terms."""
    held = Holders()
    found: dict[str, bytearray] = {}
    if area.blocks:
        wanted = {"scope": area.no, "blocks": area.blocks, "terms": list(terms)}
        for term, block, docs, repeats in rows("block_postings", wanted):
            if repeats:
                held.repeats.setdefault(term, {})[block] = repeats
            bits = found.get(term)
            if bits is None:
                bits = found[term] = bytearray(area.blocks * BITS_BYTES)
            start = block * BITS_BYTES
            if len(docs) == BITS_BYTES:
                bits[start : start + BITS_BYTES] = docs
            else:
                for at in unpack(f"<{len(docs) // 2}H", docs):
                    bits[start + (at >> 3)] |= 1 << (at & 7)
    masks = held.bits = {term: int.from_bytes(bits, "little") for term, bits in found.items()}
    if area.size > area.blocks * BLOCK:
        for term, mask in _tail(rows, area, terms, masks).items():
            masks[term] = masks.get(term, 0) | mask << (area.blocks * BLOCK)
    return held


def _tail(rows: Rows, area: Area, terms: Sequence[str], held: dict[str, int]) -> dict[str, int]:
    """The same for the memories after the last full block, counted from there.

    FTS5 walks all holders of a term in the scope to get there: common words are quicker looked for in the rows, and a
    store without such an index has only these.
    """
    first, end = area.base | area.blocks * BLOCK, area.base | area.size
    found: dict[str, int] = {}
    fts_ns = sum(_TERM_NS + _HOLDER_NS * held.get(term, 0).bit_count() for term in terms)
    if not area.prefix or (end - first) * _ROW_NS < fts_ns:
        wanted = {f"{area.prefix}{term}": term for term in terms}
        for row, text in rows("tail_terms", {"first": first, "end": end}):
            for word in wanted.keys() & text.split(" "):
                found[wanted[word]] = found.get(wanted[word], 0) | 1 << (row - first)
    else:
        for term in terms:
            for (row,) in rows("tail", {"term": f'"{area.prefix}{term}"', "first": first}):
                found[term] = found.get(term, 0) | 1 << (row - first)
    return found


def _allowed(rows: Rows, area: Area, bits: dict[str, int], kinds: Sequence[str], now: str) -> int:
    """Which memories may be among the candidates: of a wanted kind, not past their time. -1: all."""
    allowed = -1
    if kinds:
        allowed = 0
        for kind in kinds:
            allowed |= bits.get(kind_term(kind), 0)
    if now:
        gone = bytearray((area.size >> 3) + 1)
        for (row,) in rows("expired", {"scope": area.no, "now": now}):
            gone[(row & 0xFFFFFFFF) >> 3] |= 1 << (row & 7)
        allowed &= ~int.from_bytes(gone, "little")
    return allowed


def _best(
    bits: dict[str, int], terms: Sequence[str], rarity: Sequence[float], allowed: int, most: int
) -> tuple[list[int], bool]:
    """Positions of the `most` best by summed rarity, and whether these are all that matched."""
    top = max((value for term, value in zip(terms, rarity, strict=True) if term in bits), default=0.0)
    matched = 0
    planes = [0] * PLANES
    for term, value in zip(terms, rarity, strict=True):
        mask = bits.get(term, 0) & allowed
        if mask:
            matched |= mask
            add(planes, mask, round(_TOP_WEIGHT * value / top))
    if matched.bit_count() <= most:
        return positions(matched, most), True
    sure, tied = bisected(planes, matched, most)
    first = positions(sure, most)
    return first + positions(tied, most - len(first)), False


def placed(rows: Rows, areas: Sequence[Area], best: Sequence[tuple[float, int]], limit: int) -> list[Candidate]:
    """The first `limit` candidates behind some rows, by score and then id, each with its position."""
    found = {row[0]: row for row in rows("candidates", {"rows": [row for _, row in best]})}
    order = sorted((score, found[row][1], row) for score, row in best if row in found)[:limit]
    made = candidates(areas, [found[row] for *_, row in order])
    for position, one in enumerate(made):
        one.position = position
    return made


def candidates(areas: Sequence[Area], found: Iterable[tuple[Any, ...]]) -> list[Candidate]:
    """Candidates of rows in the columns of the statement `candidates`."""
    scopes = {area.no: (area.key, area.type) for area in areas}
    return [candidate(row, scopes[row[2]]) for row in found]


def candidate(row: tuple[Any, ...], scope: tuple[str, str], sets: Sequence[Collection[str]] | None = None) -> Candidate:
    """One candidate, not placed, with the token sets of its row, packed or not, or with `sets` in their place."""
    made = Candidate()
    (
        _,
        made.id,
        _,
        made.kind,
        made.status,
        made.trust,
        made.confidence,
        made.q_value,
        made.updated_at,
        made.valid_from,
        made.expires_at,
        made.run,
        signals,
    ) = row
    made.scope_key, made.scope_type = scope
    sets = sets or (unpack_signals(signals) if type(signals) is str else signals)
    made.text, made.tag, made.file, made.symbol, made.ref, made.part = sets
    made.position = -1
    return made
