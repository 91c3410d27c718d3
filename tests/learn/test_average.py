"""The moving average: the seed's numbers, and what order has to do with it."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.learn.average import after, folded, mean, moved, shared
from learnt.learn.belief import posterior
from learnt.learn.explore import is_due
from learnt.model.reward import Step, is_promotable

APPROVALS = (0.55, 0.595, 0.6355, 0.67195, 0.704755, 0.734279, 0.760852, 0.784766, 0.80629, 0.825661)
REJECTIONS = (0.35, 0.215, 0.0935, 0.0, 0.0)

signals = st.sampled_from((1.0, 0.0, -1.0, 0.65, 0.35))
steps = st.lists(
    st.builds(
        lambda at, key, signal: Step(at=f"2026-01-{at:02}", key=f"k{key}", signal=signal, rate=0.1),
        st.integers(1, 28),
        st.integers(0, 9),
        signals,
    ),
    max_size=12,
    unique_by=lambda step: (step.at, step.key),
)


@pytest.mark.parametrize(("signal", "expected"), [(1.0, 0.55), (0.0, 0.45), (-1.0, 0.35)])
def test_one_verdict(signal: float, expected: float) -> None:
    """From neutral: APPROVE .55, CONCERNS .45, REJECT .35."""
    assert moved(0.5, signal, 0.1) == expected


@pytest.mark.parametrize(("signal", "expected"), [(1.0, APPROVALS), (-1.0, REJECTIONS)])
def test_a_row_of_verdicts(signal: float, expected: tuple[float, ...]) -> None:
    """Ten approvals and five rejections, as the seed counts them; never outside of 0 to 1."""
    value = 0.5
    for wanted in expected:
        value = moved(value, signal, 0.1)
        assert value == pytest.approx(wanted, abs=5e-7)


def test_a_share_of_a_reward() -> None:
    """An approval pulls a neighbour to .65, and so from .5 to .515; the factor is moved into 0..1."""
    assert shared(1.0, 0.3) == 0.65
    assert moved(0.5, shared(1.0, 0.3), 0.1) == 0.515
    assert shared(1.0, 7) == 1.0
    assert shared(-1.0, -3) == 0.5


@pytest.mark.parametrize("wrong", [nan, inf, -inf])
def test_what_is_no_number_is_neutral(wrong: float) -> None:
    """In a stored value, a reward, a rate or a factor."""
    assert moved(wrong, 1.0, 0.1) == 0.55
    assert moved(0.5, 1.0, wrong) == 0.55
    assert moved(0.5, wrong, 0.1) == 0.5
    assert shared(1.0, wrong) == 0.65


@given(steps, st.randoms(use_true_random=False))
def test_the_order_of_verdicts_does_not_matter(made: list[Step], random: object) -> None:
    """However verdicts come in, each applied as it comes: the value is that of all of them."""
    shuffled = list(made)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for order in (made, shuffled):
        value, held = 0.5, list[Step]()
        for step in order:
            value = after(value, 0.5, held, step)
            held.append(step)
        assert value == folded(0.5, made)
        assert 0.0 <= value <= 1.0


@given(steps)
def test_a_step_counts_once(made: list[Step]) -> None:
    """The same step twice is one step."""
    assert folded(0.5, [*made, *made]) == folded(0.5, made)


@given(steps, signals)
def test_a_better_verdict_never_lowers(made: list[Step], signal: float) -> None:
    """With a higher signal in the place of a lower one the value is at least as high."""
    last = Step(at="2026-02-01", key="k", signal=signal, rate=0.1)
    better = Step(at="2026-02-01", key="k", signal=1.0, rate=0.1)
    assert folded(0.5, [*made, better]) >= folded(0.5, [*made, last])


def test_promotion_is_strict() -> None:
    """.85 with nine recalls is none, .86 with five is none, .86 with six is one."""
    assert not is_promotable(0.85, 9, 0.85)
    assert not is_promotable(0.86, 5, 0.85)
    assert is_promotable(0.86, 6, 0.85)


def test_the_value_of_a_receipt_is_a_mean() -> None:
    """Of its memories'; neutral without any."""
    assert mean({"a": 0.55, "b": 0.35}) == 0.45
    assert mean({}) == 0.5


def test_without_outcomes_the_grade_stands() -> None:
    """A belief is the writer's grade until something became of it."""
    assert posterior(0.9, ()) == 0.9
    assert posterior(0.5, (1.0, 1.0)) == pytest.approx(4 / 6)
    assert posterior(0.9, (-1.0,) * 20) < 0.2


@given(st.floats(0, 1), st.lists(st.sampled_from((1.0, 0.0, -1.0)), max_size=30))
def test_a_belief_is_a_chance(confidence: float, told: list[float]) -> None:
    """Between 0 and 1; another approval never lowers it, another rejection never raises it; order is nothing."""
    held = posterior(confidence, told)
    assert 0.0 <= held <= 1.0
    assert posterior(confidence, [*told, 1.0]) >= held - 1e-6
    assert posterior(confidence, [*told, -1.0]) <= held + 1e-6
    assert posterior(confidence, sorted(told)) == pytest.approx(held, abs=1e-6)


@given(st.floats(0, 1), st.integers(1, 400))
def test_exploration_keeps_its_rate(rate: float, recalls: int) -> None:
    """Of n recalls that hid something a share of the rate explores, none at 0 and all at 1."""
    due = sum(is_due(number, rate) for number in range(1, recalls + 1))
    assert abs(due - rate * recalls) <= 1.0
    assert not any(is_due(number, 0.0) for number in range(1, 50))
    assert all(is_due(number, 1.0) for number in range(1, 50))


def test_the_twentieth_explores() -> None:
    """At the default rate."""
    assert [number for number in range(1, 61) if is_due(number, 0.05)] == [20, 40, 60]
