"""How like two things that were found are, asked only where the ranking depends on it."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from learnt.errors import EmbedderError
from learnt.model.wording import sentences
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.search import SearchHit

_UNLIKE = -1.0


class Likeness:
    """Cosines of hits; each text is embedded once. What cannot be embedded is like nothing."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._vectors: dict[str, array[float] | None] = {}

    def between(self, one: SearchHit, two: SearchHit) -> float:
        """The cosine of two hits."""
        left, right = self._vector(one), self._vector(two)
        if left is None or right is None:
            return _UNLIKE
        return sum(a * b for a, b in zip(left, right, strict=True))

    def _vector(self, hit: SearchHit) -> array[float] | None:
        if hit.id not in self._vectors:
            self._vectors[hit.id] = self._embedded(hit)
        return self._vectors[hit.id]

    def _embedded(self, hit: SearchHit) -> array[float] | None:
        asking = self._means.asking
        if isinstance(asking, Absent):
            return None
        texts = (
            sentences(hit.unit.who, hit.passage) if hit.unit else sentences("", hit.memory.text if hit.memory else "")
        )
        try:
            found = asking.embed([self._means.gate.redact(text) for text in texts[:1]])
        except EmbedderError:
            return None
        return array("f", found[0]) if found and found[0] is not None else None
