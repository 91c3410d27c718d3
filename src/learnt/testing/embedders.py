"""Embedders and rerankers that need no model: deterministic ones, and ones with every fault we know.

The faulty ones wrap another. A caller must live with `failing` and `silent` ones, because the port allows them; and
with `crooked` ones, because somebody's adapter will break the port.
"""

from __future__ import annotations

import math
import re
import struct
import time
from hashlib import blake2b
from typing import TYPE_CHECKING

from learnt.errors import EmbedderError, RerankerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.ports.embedder import Embedder

_WORD = re.compile(r"\w+")


def row(numbers: Sequence[float]) -> bytes:
    """Numbers as they cross the port, whatever they are: nothing is normalised or checked."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


def numbers(vector: bytes) -> tuple[float, ...]:
    """The numbers of a row."""
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def cosine(one: bytes, other: bytes) -> float:
    """Likeness of two rows of one length, in float64."""
    a, b = numbers(one), numbers(other)
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


class HashEmbedder:
    """A bag of hashed words: texts that share words are alike. The same bytes on every machine.

    The name goes into the hash, so two of one dimension and different names give unrelated vectors.
    """

    def __init__(self, dimension: int = 64, name: str = "hash") -> None:
        self._name = name
        self._dimension = dimension

    @property
    def version(self) -> str:
        """`name:dimension`."""
        return f"{self._name}:{self._dimension}"

    @property
    def dimension(self) -> int:
        """As given."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """One vector a text; None for a text without words."""
        return tuple(self._vector(text) for text in texts)

    def _vector(self, text: str) -> bytes | None:
        sums = [0.0] * self._dimension
        for word in _WORD.findall(text.lower()):
            mark = int.from_bytes(blake2b(f"{self._name}\0{word}".encode("utf-8", "replace"), digest_size=8).digest())
            sums[(mark >> 1) % self._dimension] += 1.0 if mark & 1 else -1.0
        norm = math.hypot(*sums)
        return row([each / norm for each in sums]) if norm else None


class Wrapped:
    """An embedder around another, with its version."""

    def __init__(self, inner: Embedder | None = None) -> None:
        self.inner: Embedder = inner or HashEmbedder()

    @property
    def version(self) -> str:
        """The inner one's."""
        return self.inner.version

    @property
    def dimension(self) -> int:
        """The inner one's."""
        return self.inner.dimension

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """What the inner one gives."""
        return self.inner.embed(texts)


class CountingEmbedder(Wrapped):
    """Keeps the texts of every call."""

    def __init__(self, inner: Embedder | None = None) -> None:
        super().__init__(inner)
        self.calls: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """What the inner one gives."""
        self.calls.append(tuple(texts))
        return super().embed(texts)


class SilentEmbedder(Wrapped):
    """Gives no vector for every n-th text it sees, counted over all calls."""

    def __init__(self, every: int, inner: Embedder | None = None) -> None:
        super().__init__(inner)
        self._every = every
        self._seen = 0

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """What the inner one gives, with gaps."""
        return tuple(None if self._gap() else each for each in super().embed(texts))

    def _gap(self) -> bool:
        self._seen += 1
        return self._seen % self._every == 0


class FailingEmbedder(Wrapped):
    """Raises: at every n-th call, by default at each."""

    def __init__(self, inner: Embedder | None = None, *, every: int = 1, code: str = "unreachable") -> None:
        super().__init__(inner)
        self._every = every
        self._calls = 0
        self._code = code

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """What the inner one gives, when it is not the n-th call."""
        self._calls += 1
        if self._calls % self._every == 0:
            raise EmbedderError(code=self._code, retryable=True)
        return super().embed(texts)


class CrookedEmbedder(Wrapped):
    """Gives the prepared bytes for the texts named, which may break the port: see `zeros`, `nans`, `short`."""

    def __init__(self, rows: Mapping[str, bytes], inner: Embedder | None = None) -> None:
        super().__init__(inner)
        self._rows = rows

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """What the inner one gives, except for the texts named."""
        return tuple(self._rows.get(text, each) for text, each in zip(texts, super().embed(texts), strict=True))


def zeros(dimension: int) -> bytes:
    """A vector without direction."""
    return row([0.0] * dimension)


def nans(dimension: int) -> bytes:
    """A vector with one number that is none."""
    return row([math.nan, *[0.5] * (dimension - 1)])


def short(dimension: int) -> bytes:
    """A vector one number too short."""
    return row([1.0, *[0.0] * (dimension - 2)])


class SlowEmbedder(Wrapped):
    """Waits before each call."""

    def __init__(
        self, seconds: float, inner: Embedder | None = None, wait: Callable[[float], None] = time.sleep
    ) -> None:
        super().__init__(inner)
        self._seconds = seconds
        self._wait = wait

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """What the inner one gives, later."""
        self._wait(self._seconds)
        return super().embed(texts)


class OverlapReranker:
    """Scores by the share of the query's words that a text has."""

    version = "overlap"

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """0 to 1."""
        wanted = set(_WORD.findall(query.lower()))
        return tuple(len(wanted & set(_WORD.findall(text.lower()))) / max(1, len(wanted)) for text in texts)


class ReversingReranker:
    """Scores so that the order given is turned around. Source: swarm-memory seed, its own reranking test."""

    version = "reversing"

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The place."""
        return tuple(float(place) for place in range(len(texts)))


class FailingReranker:
    """Raises."""

    version = "failing"

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Never returns."""
        raise RerankerError(code="unreachable", retryable=True)
