"""What a request costs, and which cap is in its way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.model.ledger import (
    NANOS,
    WINDOWS,
    Cap,
    Prices,
    Spent,
    Window,
    binding,
    estimated_tokens,
    is_short,
    over,
    settled,
    since,
)
from learnt.testing import samples

DAY, MONTH = Cap("day", "usd", 100), Cap("month", "tokens", 50)
FREE, PRICED = Prices(), Prices(input_usd=0.02)


def _spent(**given: Spent) -> dict[Window, Spent]:
    return {window: given.get(window, Spent()) for window in WINDOWS}


def test_tokens_cost_exactly_what_the_price_says() -> None:
    """In billionths of a dollar, rounded up; a million tokens cost the price."""
    prices = Prices(input_usd=0.02, output_usd=0.1)
    assert prices.cost_nano_usd(1_000_000, 0) == 20_000_000
    assert prices.cost_nano_usd(1, 0) == 20
    assert prices.cost_nano_usd(1, 1) == 120
    assert Prices(input_usd=0.0001).cost_nano_usd(1, 0) == 1
    assert Prices(output_usd=75).cost_nano_usd(0, 1_000_000) == 75 * NANOS


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.floats(0, 1000), st.floats(0, 1000))
def test_a_request_in_two_parts_costs_no_less(one: int, two: int, read: float, written: float) -> None:
    """Nobody saves by asking in small pieces."""
    prices = Prices(input_usd=read, output_usd=written)
    whole = prices.cost_nano_usd(one + two, one + two)
    assert 0 <= whole <= prices.cost_nano_usd(one, one) + prices.cost_nano_usd(two, two)


def test_caps_are_nothing_until_one_is_set() -> None:
    """A price needs a cap in dollars, what is elsewhere without one a cap in tokens, what is here and free none."""
    assert binding((), PRICED, external=True) == binding((), PRICED, external=False) == "usd"
    assert binding((MONTH,), PRICED, external=True) == "usd"
    assert binding((), FREE, external=True) == "tokens"
    assert binding((DAY,), FREE, external=True) == "tokens"
    assert binding((), FREE, external=False) == ()
    assert binding((DAY,), PRICED, external=True) == (DAY,)
    assert binding((DAY, Cap("month", "usd", 0)), PRICED, external=True) == "usd"
    assert binding((Cap("month", "usd", 0),), FREE, external=False) == (Cap("month", "usd", 0),)
    assert binding((Cap("start", "tokens", 0),), FREE, external=False) == "tokens"


def test_a_cap_is_reached_and_not_passed() -> None:
    """Exactly up to it; what is reserved counts, in every window that is capped."""
    charge = samples.charge("u", 1, input_tokens=20, output_tokens=10, cost_nano_usd=40)
    caps = (DAY, MONTH)
    assert over(caps, _spent(), charge) is None
    assert over(caps, _spent(day=Spent(1, 0, 60), month=Spent(1, 20, 60)), charge) is None
    assert over(caps, _spent(day=Spent(1, 0, 61)), charge) == DAY
    assert over(caps, _spent(month=Spent(1, 21, 0)), charge) == MONTH


def test_a_cap_of_nothing_lets_only_what_is_free_through() -> None:
    """Zero dollars stop what costs dollars; tokens that cost nothing pass them."""
    nothing = (Cap("day", "usd", 0),)
    assert over(nothing, _spent(), samples.charge("u", 1, cost_nano_usd=1)) == nothing[0]
    assert over(nothing, _spent(day=Spent(1, 1, 5)), samples.charge("u", 1, input_tokens=9)) is None


def test_windows_begin_with_the_day_and_the_month() -> None:
    """In UTC."""
    now = "2026-05-24T23:59:59.999Z"
    assert [since(each, now) for each in WINDOWS] == ["", "2026-05-24T00:00:00.000Z", "2026-05-01T00:00:00.000Z"]


def test_texts_are_estimated_from_their_bytes() -> None:
    """A third, rounded up each; a character of Chinese is one."""
    assert estimated_tokens("") == 0
    assert estimated_tokens("abcd", "a") == 3
    assert estimated_tokens("日本語") == 3
    assert estimated_tokens("\ud800") == 1


def test_a_rate_limit_counts_until_it_begins_anew() -> None:
    """10.1 % left is enough at 10 and not at 11; nothing said, or its time over, is enough."""
    charge = samples.charge("u", 1)
    told = settled(
        charge, "t", input_tokens=0, output_tokens=0, cost_nano_usd=0, remaining_percent=10.1, resets_at="2026-02"
    )
    assert not is_short(told, 10, "2026-01")
    assert is_short(told, 11, "2026-01")
    assert not is_short(told, 11, "2026-02")
    assert not is_short(charge, 11, "2026-01")
    assert not is_short(None, 11, "2026-01")
