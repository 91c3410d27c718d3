"""An embedder and a reranker that have a price: every request has its place in the ledger before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.errors import EmbedderError, ProviderError, RerankerError
from learnt.model.ledger import estimated_tokens
from learnt.providers.faults import told_as

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from learnt.ports.embedder import Embedder, Reranker
    from learnt.ports.ledger import Meter

    T = TypeVar("T")

_PROBE_TOKENS = 8
"""What finding out the length of vectors takes, once."""

_UNPAID = frozenset(
    ("bad_url", "unauthorized", "no_model", "redirected", "rate_limited", "unreachable", "no_key", "server_error")
)


class MeteredEmbedder:
    """See `learnt.ports.embedder.Embedder`. Servers of vectors hardly say what they counted: texts are estimated."""

    def __init__(self, inner: Embedder, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter
        self._version = ""

    @property
    def version(self) -> str:
        """The inner one's; finding it out may cost a request."""
        if not self._version:
            self._version = self._paid(_PROBE_TOKENS, lambda: self._inner.version)
        return self._version

    @property
    def dimension(self) -> int:
        """The inner one's."""
        return self._inner.dimension if self.version else 0

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """The inner one's; nothing is sent beyond a cap: `EmbedderError`, code `cap`."""
        return self._paid(estimated_tokens(*texts), lambda: self._inner.embed(texts))

    def _paid(self, tokens: int, ask: Callable[[], T]) -> T:
        with told_as(EmbedderError):
            return _metered(self._meter, tokens, ask)


class MeteredReranker:
    """See `learnt.ports.embedder.Reranker`. The query counts once a text, because that is how it is read."""

    def __init__(self, inner: Reranker, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    @property
    def version(self) -> str:
        """The inner one's."""
        return self._inner.version

    def score(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The inner one's; nothing is sent beyond a cap: `RerankerError`, code `cap`."""
        tokens = estimated_tokens(query) * len(texts) + estimated_tokens(*texts)
        with told_as(RerankerError):
            return _metered(self._meter, tokens, lambda: self._inner.score(query, texts))


def _metered(meter: Meter, tokens: int, ask: Callable[[], T]) -> T:
    """What is asked for, with its place in the ledger before and what it came to after."""
    charge = meter.reserve(tokens, 0)
    try:
        found = ask()
    except ProviderError as error:
        free = error.error_code in _UNPAID
        meter.settle(charge, input_tokens=0 if free else tokens, output_tokens=0, fault=error.error_code)
        raise
    meter.settle(charge, input_tokens=tokens, output_tokens=0)
    return found
