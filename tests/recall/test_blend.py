"""The default's fusion: likeness leads, words count as much as they tell."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.recall.blend import NEIGHBOURS_SHARE, Given, blended, likeness, sharpness

SCORES = st.floats(0, 30, allow_nan=False)
COSINES = st.floats(-1, 1, allow_nan=False)


def candidates(words: list[float], cosines: list[float | None]) -> list[Given]:
    """One candidate for each pair, named by its place."""
    return [Given(f"{at:02}", word, cos) for at, (word, cos) in enumerate(zip(words, cosines, strict=True))]


def order(given_: list[Given]) -> list[str]:
    """The ids, best first."""
    return [name for name, _ in blended(given_)]


def test_words_that_do_not_tell_change_nothing() -> None:
    """Where ten hits match equally well, the order is that of likeness."""
    cosines: list[float | None] = [0.1 * (at % 7) for at in range(12)]
    flat = candidates([4.0] * 12, cosines)
    assert order(flat) == order(candidates([0.0] * 12, cosines))


def test_without_vectors_the_words_decide() -> None:
    """No dense arm: the lexical order, and the best hit at the same height whatever the scale of the words."""
    plain = candidates([1.0, 3.0, 2.0], [None] * 3)
    assert order(plain) == ["01", "02", "00"]
    assert [score for _, score in blended(plain)] == pytest.approx(
        [score for _, score in blended(candidates([10.0, 30.0, 20.0], [None] * 3))]
    )


def test_without_words_likeness_decides() -> None:
    """No lexical match at all: the dense order."""
    assert order(candidates([0.0, 0.0], [0.2, 0.4])) == ["01", "00"]


def test_sharp_words_outweigh_likeness() -> None:
    """One exact match stands above what is merely alike."""
    found = candidates([9.0, *[1.0] * 11], [0.2, *[0.5] * 11])
    assert order(found)[0] == "00"


def test_a_hit_of_one_arm_takes_part() -> None:
    """A candidate without a vector counts as the least like, and is not lost."""
    found = candidates([9.0, *[1.0] * 11], [None, *[0.5] * 11])
    assert "00" in order(found)


def test_what_a_person_always_wants_counts_in_a_task_only() -> None:
    """A standing instruction rises when something is to be done."""
    rule, other = Given("rule", 0.0, 0.4, person=True, standing=True), Given("other", 0.0, 0.45, person=True)
    assert [name for name, _ in blended([rule, other], task=True)] == ["rule", "other"]
    assert [name for name, _ in blended([rule, other])] == ["other", "rule"]


def test_what_is_of_the_period_asked_for_rises() -> None:
    """Of two like hits the one from that time stands first."""
    assert order([Given("a", 1.0, 0.5), Given("b", 1.0, 0.45, dated=True)]) == ["b", "a"]


def test_a_question_without_names_weighs_words_less() -> None:
    """What names something is decided by words, what does not by likeness."""
    found = candidates([9.0, *[1.0] * 11], [0.2, 0.6, *[0.5] * 10])
    assert [blended(found, named=named)[0][0] for named in (True, False)] == ["00", "01"]


def test_sharpness_has_bounds() -> None:
    """Flat is 0, few matches are 1, none is 0."""
    assert sharpness([2.0] * 20) == 0
    assert sharpness([2.0, 1.0]) == 1
    assert sharpness([]) == sharpness([0.0] * 30) == 0
    assert sharpness([4.0] + [1.0] * 20) == 0.75


def test_a_short_turn_leans_on_its_neighbours() -> None:
    """A quarter at most, less for a longer text, nothing without neighbours; one neighbour counts with the text."""
    assert likeness(0.2, [0.6, 0.6], 100) == pytest.approx(0.2 + NEIGHBOURS_SHARE * 0.4)
    assert likeness(0.2, [0.6, 0.6], 1_500) == pytest.approx(0.2 + NEIGHBOURS_SHARE * 0.04)
    assert likeness(0.2, [0.6], 100) == pytest.approx(0.2 + NEIGHBOURS_SHARE * 0.2)
    assert likeness(0.2, [], 100) == 0.2


@given(st.lists(st.tuples(SCORES, st.none() | COSINES, st.booleans()), max_size=30), st.booleans())
def test_scores_are_bounded_and_in_order(rows: list[tuple[float, float | None, bool]], task: bool) -> None:
    """Every candidate comes back once, between 0 and 1, best first."""
    given_ = [Given(f"{at:02}", word, cos, standing=rule) for at, (word, cos, rule) in enumerate(rows)]
    answer = blended(given_, task=task)
    assert sorted(name for name, _ in answer) == [each.id for each in given_]
    scores = [score for _, score in answer]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert all(one >= other - 1e-8 for one, other in pairwise(scores))


@given(st.lists(st.tuples(SCORES, COSINES), min_size=2, max_size=30), st.floats(0, 1))
def test_more_likeness_never_lowers_a_hit(rows: list[tuple[float, float]], more: float) -> None:
    """Raising the cosine of one candidate does not move it down."""
    before = [Given(f"{at:02}", word, cos) for at, (word, cos) in enumerate(rows)]
    after = [Given("00", rows[0][0], rows[0][1] + more), *before[1:]]
    assert order(after).index("00") <= order(before).index("00")


@given(st.lists(st.tuples(SCORES, COSINES), min_size=1, max_size=30))
def test_what_both_arms_prefer_stays_first(rows: list[tuple[float, float]]) -> None:
    """A candidate that is best in words and in likeness is first: fusion adds no third opinion."""
    words, cosines = max(word for word, _ in rows) + 1, max(cos for _, cos in rows) + 0.1
    given_ = [Given("best", words, cosines), *(Given(f"{at:02}", *row) for at, row in enumerate(rows))]
    assert order(given_)[0] == "best"


def test_the_highest_score_is_one() -> None:
    """All parts at their most make 1, so that thresholds mean the same for every question."""
    ((name, score),) = blended([Given("a", 5.0, 1.0, person=True, standing=True, dated=True)], task=True)
    assert name == "a"
    assert score == pytest.approx(1.0)
