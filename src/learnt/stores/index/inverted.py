"""BM25 over evidence: the stacks of the scopes asked for, ranked together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from learnt.stores.index.narrow import K1, B
from learnt.stores.index.stack import MOST_TAIL, Stack, idf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.search import EvidenceFilter
    from learnt.stores.index.sheets import Area
    from learnt.stores.index.stack import Floats, Ints, Rows


class Ranked:
    """The best units of all stacks, and what the scores are measured against."""

    __slots__ = ("also", "best", "mean", "rarity", "sessions", "units")

    def __init__(self) -> None:
        self.best: list[tuple[float, int, int, int]] = []
        self.also: list[tuple[float, int, int, int]] = []
        self.sessions: dict[str, float] = {}
        self.rarity: dict[str, float] = {}
        self.mean = 1.0
        self.units = 0


class Inverted:
    """The stacks of the scopes asked for."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._stacks: dict[int, Stack] = {}

    def rank(
        self,
        areas: Sequence[Area],
        terms: Sequence[str],
        wanted: EvidenceFilter,
        limit: int,
        also: Mapping[int, Sequence[int]],
    ) -> Ranked:
        """(score, scope, seq, passage) of the `limit` best units, best first, and of those `also` asked for."""
        stacks = [(area, self._stack(area)) for area in areas if area.last]
        held = [stack.held(terms) for _, stack in stacks]
        found = Ranked()
        found.units = sum(stack.size for _, stack in stacks)
        found.mean = sum(float(stack.lengths.sum()) for _, stack in stacks) / found.units if found.units else 1.0
        for at, term in enumerate(terms):
            found.rarity[term] = idf(found.units, sum(len(mine[at][0]) for mine in held))
        rarity = [found.rarity[term] for term in terms]
        for (area, stack), mine in zip(stacks, held, strict=True):
            scores = _scores(stack, mine, rarity, found.mean or 1.0)
            mask = stack.allowed(wanted)
            if mask is not None:
                scores[~mask] = 0.0
            found.best.extend((score, area.no, seq, part) for score, seq, part in stack.best(scores, limit))
            found.sessions.update(stack.share(mine))
            for seq in also.get(area.no, ()):
                passage, score = stack.passage(scores, seq)
                if mask is None or stack.passage(mask.astype(np.float64), seq)[1]:
                    found.also.append((round(score, 9), area.no, seq, passage))
        found.best.sort(key=lambda each: (-each[0], each[2]))  # places are given in the order of keeping
        del found.best[limit:]
        return found

    def beside(self, areas: Sequence[Area], units: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, int]]:
        """Of units, by scope, the seqs of those before and after them in their session; 0 for none."""
        found: dict[int, tuple[int, int]] = {}
        for area in areas:
            if area.last and area.no in units:
                found.update(self._stack(area).beside(units[area.no]))
        return found

    def _stack(self, area: Area) -> Stack:
        stack = self._stacks.get(area.no)
        if stack is None or stack.version != area.version or stack.tail > MOST_TAIL:
            stack = self._stacks[area.no] = Stack(self._rows, area)
        else:
            stack.advance(area)
        return stack


def _scores(stack: Stack, held: Sequence[tuple[Ints, Floats]], rarity: Sequence[float], mean: float) -> Floats:
    total = np.zeros(stack.size)
    norm = K1 * (1 - B + B * stack.lengths / mean)
    for (places, often), rare in zip(held, rarity, strict=True):
        total[places] += rare * often * (K1 + 1) / (often + norm[places])
    return total
