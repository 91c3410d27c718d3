"""What models were asked to do, what it cost, and who may ask once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from learnt.model.ledger import Call, Spent


class Ledger(Protocol):
    """Calls of models: numbers and names, never text. Of a person's own calls; whose a store is does not matter."""

    def hold(self, user_id: str) -> None:
        """From here to the end of this transaction nobody else reserves for this person: what is read stays so."""
        ...

    def put(self, call: Call) -> None:
        """Write a call down, or what became of one, by id."""
        ...

    def spent(self, user_id: str, *, since: str = "", start: str = "") -> Spent:
        """What the calls of a person came to: since a moment, or of one start; reserved ones as they were reserved."""
        ...

    def last(self, user_id: str, provider: str, model: str) -> Call | None:
        """The latest call of a model whose answer told what is left of a rate limit."""
        ...

    def page(self, user_id: str, limit: int) -> tuple[Call, ...]:
        """The latest calls, newest first, then by id."""
        ...


class Meter(Protocol):
    """What a provider asks before it sends something, and tells when an answer is there."""

    def reserve(self, input_tokens: int, output_tokens: int) -> Call:
        """Room for a call of at most so many tokens.

        Raises:
            ProviderError: `cap`: it would go beyond a cap; its details name that.
        """
        ...

    def settle(
        self,
        call: Call,
        *,
        input_tokens: int,
        output_tokens: int,
        cost_usd: float | None = None,
        fault: str = "",
        remaining_percent: float | None = None,
        resets_in_s: float = 0.0,
    ) -> Call:
        """Write down what a call came to; `cost_usd` where the provider told it."""
        ...
