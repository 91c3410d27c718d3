"""How like two things that were found are, by the vectors that were kept of them; nothing is embedded."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from learnt.flows.arms import generation_of
from learnt.model.vector import EVIDENCE_FORM, MEMORY_FORM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.flows.means import Means
    from learnt.model.search import SearchHit
    from learnt.model.vector import Target

_UNLIKE = -1.0


class Likeness:
    """Cosines of some hits, read together the first time one is asked for. What has no vector is like nothing.

    Args:
        hits: Those that will be asked about; any other is like nothing.
    """

    def __init__(self, means: Means, hits: Sequence[SearchHit]) -> None:
        self._means = means
        self._hits = hits
        self._kept: dict[str, tuple[array[float], ...]] | None = None

    def between(self, one: SearchHit, two: SearchHit) -> float:
        """The cosine of two hits; of long ones that of their nearest passages."""
        if self._kept is None:
            self._kept = {**self._read("evidence", EVIDENCE_FORM), **self._read("memory", MEMORY_FORM)}
        left, right = self._kept.get(one.id, ()), self._kept.get(two.id, ())
        return max((_cosine(a, b) for a in left for b in right), default=_UNLIKE)

    def _read(self, target: Target, form: str) -> dict[str, tuple[array[float], ...]]:
        names = [hit.id for hit in self._hits if (hit.unit is not None) == (target == "evidence")]
        held = generation_of(self._means, target, form) if names else ""
        if isinstance(held, str):
            return {}
        found = self._means.store.vectors.kept(self._means.context.sight, held, names)
        return {name: tuple(array("f", vector) for vector in vectors) for name, vectors in found.items()}


def _cosine(one: array[float], two: array[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))
