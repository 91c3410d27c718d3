"""An embedder that has a price: every request has its place in the ledger before it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.errors import EmbedderError
from learnt.model.ledger import estimated_tokens
from learnt.providers.faults import told_as

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from learnt.ports.embedder import Embedder
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
            self._version = self._metered(_PROBE_TOKENS, lambda: self._inner.version)
        return self._version

    @property
    def dimension(self) -> int:
        """The inner one's."""
        return self._inner.dimension if self.version else 0

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """The inner one's; nothing is sent beyond a cap: `EmbedderError`, code `cap`."""
        return self._metered(estimated_tokens(*texts), lambda: self._inner.embed(texts))

    def _metered(self, tokens: int, ask: Callable[[], T]) -> T:
        with told_as(EmbedderError):
            charge = self._meter.reserve(tokens, 0)
        try:
            found = ask()
        except EmbedderError as error:
            free = error.error_code in _UNPAID
            self._meter.settle(charge, input_tokens=0 if free else tokens, output_tokens=0, fault=error.error_code)
            raise
        self._meter.settle(charge, input_tokens=tokens, output_tokens=0)
        return found
