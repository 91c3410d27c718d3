"""The model of the client that `learnt mcp` serves, where that client lends it (MCP: sampling)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.errors import ProviderError
from learnt.providers.writers.openai import with_schema
from learnt.providers.writers.turn import Said

if TYPE_CHECKING:
    from learnt.ports.writer import Sampler
    from learnt.providers.writers.turn import Turn


class Sampling:
    """See `learnt.providers.writers.turn.Model`. It takes no schema: that stands in the prompt."""

    provider = "mcp-client"

    def __init__(self, sampler: Sampler, model: str) -> None:
        self._sampler = sampler
        self.model = model

    def ask(self, turn: Turn) -> Said:
        """One answer."""
        text, stop = self._sampler.sample(with_schema(turn), turn.said, turn.max_output_tokens)
        if not isinstance(text, str):
            raise ProviderError("The client's answer holds no text.", code="bad_response")
        return Said(text=text, stop="truncated" if stop == "maxTokens" else "")

    def check(self) -> str:
        """Which client lends it."""
        return self._sampler.name
