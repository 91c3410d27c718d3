"""What models were asked to do, what it cost, and how much more may be spent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Window = Literal["start", "day", "month"]
Unit = Literal["usd", "tokens"]
ChargeStatus = Literal["reserved", "settled"]

WINDOWS: Final[tuple[Window, ...]] = ("start", "day", "month")
NANOS: Final = 1_000_000_000
"""Billionths of a dollar in one: a token of a model at $0.02 a million costs 20 of them, so whole numbers are exact."""

_BYTES_A_TOKEN = 3
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """One request to a model, and what it costs.

    Attributes:
        user_id: Who pays. `repository_id`: for whose sessions or memories.
        start: The process that asked: one start.
        purpose: `extraction`, `consolidation`, `embedding`, `reranking` or `trial`.
        role: By which the model was chosen.
        status: `reserved` until the answer is there; what a crash leaves so counts as if it had been spent.
        input_tokens, output_tokens, cost_nano_usd: While reserved the most it may come to; then what it came to.
        fault: Why nothing came of it, as an error code; "" for an answer.
        remaining_percent: What the provider said is left of its narrowest rate limit, and until when that counts.
    """

    id: str
    user_id: str
    repository_id: str
    start: str
    purpose: str
    role: str
    provider: str
    model: str
    at: str
    status: ChargeStatus = "reserved"
    input_tokens: int = 0
    output_tokens: int = 0
    cost_nano_usd: int = 0
    settled_at: str = ""
    fault: str = ""
    remaining_percent: float | None = None
    resets_at: str = ""

    @property
    def tokens(self) -> int:
        """Read and written together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Dollars for a million tokens; 0 for a model that costs nothing, or whose price is not known."""

    input_usd: float = 0.0
    output_usd: float = 0.0

    @property
    def free(self) -> bool:
        """Whether no price is known."""
        return not (self.input_usd or self.output_usd)

    def cost_nano_usd(self, input_tokens: int, output_tokens: int) -> int:
        """What so many tokens cost, rounded up."""
        exact = Fraction(str(self.input_usd)) * input_tokens + Fraction(str(self.output_usd)) * output_tokens
        nanos = exact * NANOS / _MILLION
        return -(-nanos.numerator // nanos.denominator)


@dataclass(frozen=True, slots=True)
class Spent:
    """What some charges came to, reserved ones included."""

    charges: int = 0
    tokens: int = 0
    cost_nano_usd: int = 0

    def of(self, unit: Unit) -> int:
        """Tokens, or billionths of a dollar."""
        return self.tokens if unit == "tokens" else self.cost_nano_usd

    def plus(self, charge: Charge) -> Spent:
        """With one more."""
        return Spent(self.charges + 1, self.tokens + charge.tokens, self.cost_nano_usd + charge.cost_nano_usd)


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be spent in a window: tokens, or billionths of a dollar."""

    window: Window
    unit: Unit
    limit: int

    @property
    def name(self) -> str:
        """As it stands in the settings."""
        return f"{self.window}_{self.unit}"


def binding(caps: tuple[Cap, ...], prices: Prices, *, external: bool) -> tuple[Cap, ...] | Unit:
    """The caps that a model's charges are held to; or in which unit a person has to set them first.

    Nothing passes a cap of 0, and one nobody set is 0 until any of its unit is: so a priced model needs one in dollars,
    and one elsewhere without a known price needs one in tokens. A model here that costs nothing needs none. Source:
    sessions issue, models.
    """
    needed: Unit | None = "usd" if not prices.free else "tokens" if external else None
    if needed and not any(cap.unit == needed for cap in caps):
        return needed
    units = {"tokens"} if prices.free else {"usd", "tokens"}
    return next((cap.unit for cap in caps if not cap.limit and cap.unit in units), caps)


def over(caps: tuple[Cap, ...], spent: Mapping[Window, Spent], charge: Charge) -> Cap | None:
    """The first cap that a charge would go beyond, or None. A cap of 0 lets nothing through, free charges aside."""
    for cap in caps:
        held = spent[cap.window]
        asked = held.plus(charge).of(cap.unit) - held.of(cap.unit)
        if asked and held.of(cap.unit) + asked > cap.limit:
            return cap
    return None


def since(window: Window, now: str) -> str:
    """When the present day or month began, UTC; "" for a start, which is known by its name."""
    starts = {"start": "", "day": f"{now[:10]}T00:00:00.000Z", "month": f"{now[:7]}-01T00:00:00.000Z"}
    return starts[window]


def estimated_tokens(*texts: str) -> int:
    """At least as many tokens as texts come to, mostly: a third of their bytes.

    Source: our choice; English has four bytes a token, code a little more than three, Chinese three a character.
    """
    return sum(-(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN) for text in texts)


def settled(
    charge: Charge,
    now: str,
    *,
    input_tokens: int,
    output_tokens: int,
    cost_nano_usd: int,
    fault: str = "",
    remaining_percent: float | None = None,
    resets_at: str = "",
) -> Charge:
    """A charge as it ended."""
    return replace(
        charge,
        status="settled",
        settled_at=now,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost_nano_usd=cost_nano_usd,
        fault=fault,
        remaining_percent=remaining_percent,
        resets_at=resets_at,
    )


def is_short(charge: Charge | None, least_percent: float, now: str) -> bool:
    """Whether a provider said that too little is left of a rate limit, and that still counts.

    Exactly `least_percent` is enough. Source: codex, rate guard: 10.1 % left is enough at 10, not at 11.
    """
    if charge is None or charge.remaining_percent is None:
        return False
    return charge.remaining_percent < least_percent and charge.resets_at > now
