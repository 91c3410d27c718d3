"""A session's score from its units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.recall.session import UNIT_WEIGHTS, session_score

SCORES = st.lists(st.floats(0, 1), max_size=8).map(lambda found: sorted(found, reverse=True))
SHARES = st.floats(0, 1)


@given(SCORES, SHARES, st.none() | st.floats(0, 1e6))
def test_it_is_bounded(best: list[float], share: float, age_days: float | None) -> None:
    """Whatever goes in, the score is between 0 and 1."""
    assert 0.0 <= session_score(best, share, age_days) <= 1.0 + 1e-9


@given(SCORES, SHARES)
def test_a_further_unit_never_lowers(best: list[float], share: float) -> None:
    """A session does not lose by a unit more, and what is beyond those that count adds nothing."""
    assert session_score([*best, 0.0], share) >= session_score(best, share) - 1e-12
    assert session_score(best[: len(UNIT_WEIGHTS)], share) == session_score(best, share)


def test_all_of_a_question_counts() -> None:
    """Of two sessions with like turns the one that holds more of the question stands first."""
    assert session_score([0.5], 0.9) > session_score([0.5], 0.4)


def test_recency_counts_for_work_only() -> None:
    """For a work prompt the later session stands first, and the bonus fades within days; a question knows no age."""
    today, week = session_score([0.5], 0.5, 0.0), session_score([0.5], 0.5, 7.0)
    assert today > week > session_score([0.5], 0.5)
    assert session_score([0.5], 0.5, 60.0) == pytest.approx(session_score([0.5], 0.5))
    assert session_score([0.5], 0.5, -3.0) == today
