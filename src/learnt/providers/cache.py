"""The vectors of recent queries, in memory."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.ports.embedder import Embedder


class VectorCache:
    """Least recently used first out; a text's key is its model version and the text trimmed and lower-cased.

    Keys are hashed, so that a cache holds no query and a long one costs no more than a short one. Source:
    swarm-memory seed, its query-embedding cache: reading and setting both refresh, size 0 keeps nothing.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._rows: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, version: str, text: str) -> bytes | None:
        """The vector kept for a text of this model version."""
        with self._lock:
            key = _key(version, text)
            if key in self._rows:
                self._rows.move_to_end(key)
            return self._rows.get(key)

    def put(self, version: str, text: str, vector: bytes) -> None:
        """Keep one, and let go of the one longest unused."""
        with self._lock:
            key = _key(version, text)
            self._rows[key] = vector
            self._rows.move_to_end(key)
            while len(self._rows) > self._size:
                self._rows.popitem(last=False)

    def clear(self) -> None:
        """Let go of all: the model changed."""
        with self._lock:
            self._rows.clear()

    def __len__(self) -> int:
        return len(self._rows)


def _key(version: str, text: str) -> bytes:
    normal = f"{version}\0{text.strip().lower()}"
    return blake2b(normal.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class CachingEmbedder:
    """An embedder for queries: asks the inner one only for what the cache lacks. Texts without a vector are not kept.

    Two queries that differ in case or outer blanks share the vector of the first, so what is stored asks the inner one.
    """

    def __init__(self, inner: Embedder, size: int) -> None:
        self.inner = inner
        self.cache = VectorCache(size)

    @property
    def version(self) -> str:
        """The inner one's."""
        return self.inner.version

    @property
    def dimension(self) -> int:
        """The inner one's."""
        return self.inner.dimension

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """One vector a text; repeats are asked for once."""
        version = self.inner.version
        found = {text: self.cache.get(version, text) for text in texts}
        missing = [text for text, vector in found.items() if vector is None]
        if missing:
            for text, vector in zip(missing, self.inner.embed(missing), strict=True):
                found[text] = vector
                if vector is not None:
                    self.cache.put(version, text, vector)
        return tuple(found[text] for text in texts)
