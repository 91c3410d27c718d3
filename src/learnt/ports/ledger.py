"""What models were asked to do, what it cost, and who may ask once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from learnt.model.ledger import Charge, Spent


class Ledger(Protocol):
    """Charges of models: numbers and names, never text. Of a person's own charges; whose a store is does not matter."""

    def hold(self, user_id: str) -> None:
        """From here to the end of this transaction nobody else reserves for this person: what is read stays so."""
        ...

    def put(self, charge: Charge) -> None:
        """Write a charge down, or what became of one, by id."""
        ...

    def spent(self, user_id: str, *, since: str = "", start: str = "") -> Spent:
        """What the charges of a person came to: since a moment, or of one start; what is reserved counts as it is."""
        ...

    def last(self, user_id: str, provider: str, model: str) -> Charge | None:
        """The latest charge of a model whose answer told what is left of a rate limit."""
        ...

    def page(self, user_id: str, limit: int) -> tuple[Charge, ...]:
        """The latest charges, newest first, then by id."""
        ...


class Meter(Protocol):
    """What a provider asks before it sends something, and tells when an answer is there."""

    def reserve(self, input_tokens: int, output_tokens: int) -> Charge:
        """Room for a charge of at most so many tokens.

        Raises:
            ProviderError: `cap`: it would go beyond a cap; its details name that.
        """
        ...

    def settle(
        self,
        charge: Charge,
        *,
        input_tokens: int,
        output_tokens: int,
        cost_usd: float | None = None,
        fault: str = "",
        remaining_percent: float | None = None,
        resets_in_s: float = 0.0,
    ) -> Charge:
        """Write down what a charge came to; `cost_usd` where the provider told it."""
        ...
