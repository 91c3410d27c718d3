"""Which model writes here, whether it may, and what that costs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from learnt.errors import ProviderError, StoreBusyError
from learnt.model.instant import from_epoch, to_epoch
from learnt.model.ledger import NANOS, WINDOWS, Cap, Charge, Prices, binding, is_short, over, settled, since
from learnt.model.writer import is_here
from learnt.ports.writer import LONGEST_TOKENS, Unwritten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.model.ledger import Spent, Window
    from learnt.model.writer import NamedModel, WriterChoice
    from learnt.ports.clock import Clock, Ids
    from learnt.ports.ledger import Meter
    from learnt.ports.store import Store
    from learnt.ports.writer import Fulfilled, Purpose, Writer

    Make = Callable[[NamedModel, Meter], Writer | Unwritten]

NOT_ENABLED: Final = Unwritten("not enabled")
NO_WRITER: Final = Unwritten("no writer")
OFF: Final = Unwritten("off")
RATE_LIMIT: Final = Unwritten("rate limit")
_LOCAL: Final = ("local", "onnx")
_CAP_HINT: Final = "`learnt status` shows what was spent; `[models.caps]` in your configuration sets how much may be."


@dataclass(frozen=True, slots=True, kw_only=True)
class Purse:
    """Who pays, into which ledger, and how much that may come to.

    Attributes:
        start: Of this process.
    """

    store: Store
    clock: Clock
    ids: Ids
    user_id: str
    start: str
    caps: tuple[Cap, ...] = ()

    def spent(self, now: str) -> Mapping[Window, Spent]:
        """What was spent in the windows that run at `now`, what is reserved included."""
        ledger = self.store.ledger
        return {
            window: ledger.spent(self.user_id, since=since(window, now), start=self.start if window == "start" else "")
            for window in WINDOWS
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerMeter:
    """See `learnt.ports.ledger.Meter`: one model's charges for one purpose.

    A charge is reserved in a transaction of its own before it is sent, and settled in another. What is never settled,
    because a process died, goes on counting as it was reserved.
    """

    purse: Purse
    repository_id: str
    purpose: str
    role: str
    provider: str
    model: str
    prices: Prices
    caps: tuple[Cap, ...]

    def reserve(self, input_tokens: int, output_tokens: int) -> Charge:
        """Room for a charge, or an error that names the cap in the way."""
        purse, now = self.purse, self.purse.clock.now()
        charge = Charge(
            id=purse.ids.new("charge"),
            user_id=purse.user_id,
            repository_id=self.repository_id,
            start=purse.start,
            purpose=self.purpose,
            role=self.role,
            provider=self.provider,
            model=self.model,
            at=now,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_nano_usd=self.prices.cost_nano_usd(input_tokens, output_tokens),
        )
        try:
            with purse.store.transaction():
                purse.store.ledger.hold(purse.user_id)
                cap = over(self.caps, purse.spent(now), charge) if self.caps else None
                if cap is None:
                    purse.store.ledger.put(charge)
                    return charge
        except StoreBusyError as error:  # a question is answered without its vector then
            raise ProviderError("The ledger is busy; nothing was sent.", code="busy", retryable=True) from error
        message = f"The charge would go beyond the cap {cap.name}; nothing was sent."
        raise ProviderError(message, code="cap", hint=_CAP_HINT, details={"cap": cap.name})

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
        """Write down what it came to: the provider's own price where it told one, else by the person's.

        In a store that is busy beyond its wait the charge stays as it was reserved: an answer that is paid is not lost.
        """
        now = self.purse.clock.now()
        priced = self.prices.cost_nano_usd(input_tokens, output_tokens)
        end = settled(
            charge,
            now,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_nano_usd=priced if cost_usd is None else round(cost_usd * NANOS),
            fault=fault,
            remaining_percent=remaining_percent,
            resets_at="" if remaining_percent is None else from_epoch(to_epoch(now) + resets_in_s),
        )
        with suppress(StoreBusyError), self.purse.store.transaction():
            self.purse.store.ledger.put(end)
        return end


def reading(
    purse: Purse, purpose: str, provider: str, model: str, price_usd: float, url: str = ""
) -> LedgerMeter | None:
    """The meter of an embedder or a reranker; None for one on this machine without a price.

    One with a price is let through under a cap in dollars only; one elsewhere without counts its tokens, and is held to
    the caps in tokens that there are.
    """
    external = provider not in _LOCAL and bool(url) and not is_here(url)
    if not (price_usd or external):
        return None
    prices = Prices(input_usd=price_usd)
    caps = binding(purse.caps, prices, external=False)
    return LedgerMeter(
        purse=purse,
        repository_id="",
        purpose=purpose,
        role="",
        provider=provider,
        model=model,
        prices=prices,
        caps=(Cap("day", caps, 0),) if isinstance(caps, str) else caps,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Enabled:
    """See `learnt.ports.writer.Writers`: the models of a person's configuration, for one repository.

    Attributes:
        on: `[models] enabled`, which a repository may turn off.
        make: Gives the writer of a named model, or why there is none. `look`: what answers there, without asking it.
        trial: Asks it the smallest thing there is.
        least_percent: How much of a rate limit must be left for background work.
    """

    choice: WriterChoice
    purse: Purse
    repository_id: str
    make: Make
    look: Callable[[NamedModel], str]
    trial: Callable[[NamedModel, Meter], Fulfilled]
    on: bool = True
    least_percent: float = 25.0
    made: dict[str, Writer | Unwritten] = field(default_factory=dict, compare=False)

    def of(self, purpose: Purpose) -> Writer | Unwritten:
        """Who writes, or why nobody does; nothing is sent to find out."""
        if not self.on:
            return OFF
        if purpose not in self.choice.purposes:
            return NOT_ENABLED if self.choice.models else NO_WRITER
        found = self.choice.of(purpose)
        if found is None:
            return NO_WRITER
        role, named = found
        caps = binding(self.choice.caps, named.prices, external=named.external)
        if isinstance(caps, str):
            return Unwritten(f"no cap: {caps}")
        return self._barred(named, caps, purpose) or self._writer(purpose, role, named, caps)

    def _barred(self, named: NamedModel, caps: tuple[Cap, ...], purpose: Purpose) -> Unwritten | None:
        """Why nothing is sent now: a cap without room for an answer, or a rate limit of which too little is left."""
        purse, now = self.purse, self.purse.clock.now()
        spent = purse.spent(now)
        longest = named.max_output_tokens or LONGEST_TOKENS[purpose]
        for cap in caps:
            least = longest if cap.unit == "tokens" else named.prices.cost_nano_usd(1, longest)
            if named.prices.free and cap.unit == "usd":
                continue
            if least > cap.limit:
                return Unwritten(f"small cap: {cap.name}")
            if spent[cap.window].of(cap.unit) + least > cap.limit:
                return Unwritten(f"cap: {cap.name}")
        last = purse.store.ledger.last(purse.user_id, named.provider, named.model)
        return RATE_LIMIT if is_short(last, self.least_percent, now) else None

    def _writer(self, purpose: Purpose, role: str, named: NamedModel, caps: tuple[Cap, ...]) -> Writer | Unwritten:
        if purpose not in self.made:
            self.made[purpose] = self.make(named, self.meter(purpose, role, named, caps))
        return self.made[purpose]

    def meter(self, purpose: str, role: str, named: NamedModel, caps: tuple[Cap, ...]) -> LedgerMeter:
        """Where a model's charges for a purpose go."""
        return LedgerMeter(
            purse=self.purse,
            repository_id=self.repository_id,
            purpose=purpose,
            role=role,
            provider=named.provider,
            model=named.model,
            prices=named.prices,
            caps=caps,
        )
