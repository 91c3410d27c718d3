"""What turns text into vectors, and what reads a query and a text together.

Vectors cross these ports as bytes, so that ports, model and rooms need only the standard library: little-endian
float32, `4 * dimension` bytes a row, L2-normalised. Who calculates with them makes arrays of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Embedder(Protocol):
    """Gives vectors. Made cheaply; what it needs is loaded or asked for on first use, and that may fail."""

    @property
    def version(self) -> str:
        """`model:dimension`. Vectors of two versions are never compared.

        Raises:
            EmbedderError: It takes loading the model or asking the server to know, and that failed.
        """
        ...

    @property
    def dimension(self) -> int:
        """Numbers in one vector. Raises as `version` does."""
        ...

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """One vector a text, in the order of the texts.

        None stands for a text that has no vector: a blank one, one the model refused, one whose vector came back
        as zeros, with NaN, or in another length. One such text never takes the others with it. A text longer than
        the model reads is cut; who needs all of it passes it in parts. Vectors do not depend on the other texts.

        Raises:
            EmbedderError: Nothing could be embedded; `error_code` says why, `may_retry` whether waiting may help.
        """
        ...


class Reranker(Protocol):
    """Gives the likeness of a query and a text read together. Made cheaply, like an `Embedder`."""

    @property
    def version(self) -> str:
        """Name of the model; scores of two versions are never compared."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """One score a text, finite, in the order of the texts, higher is better; no text gives no score.

        Raises:
            RerankerError: No scores; a caller keeps the order it had.
        """
        ...


@dataclass(frozen=True, slots=True)
class Absent:
    """Why there is no embedder, or no reranker: `off`, `no embedder`, `failed: CODE`, as an answer's arms say it.

    `hint` tells a person what would change that.
    """

    reason: str
    hint: str = ""
