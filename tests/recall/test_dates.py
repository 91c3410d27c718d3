"""The days a question means, asked on a known day."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.recall.dates import Period, periods

NOW = "2026-05-27T12:00:00.000Z"  # a Wednesday

TABLE = [
    ("what broke on 2026-04-28?", "2026-04-28", "2026-04-28", "within"),
    ("notes of 2026-04", "2026-04-01", "2026-04-30", "within"),
    ("what did we decide on 7 May 2023", "2023-05-07", "2023-05-07", "within"),
    ("what did we decide on May 7th, 2023", "2023-05-07", "2023-05-07", "within"),
    ("the meeting of June 3", "2025-06-03", "2025-06-03", "within"),
    ("the meeting of 3rd of May", "2026-05-03", "2026-05-03", "within"),
    ("the leap day Feb 29", "2024-02-29", "2024-02-29", "within"),
    ("releases in May", "2026-05-01", "2026-05-31", "within"),
    ("releases in August", "2025-08-01", "2025-08-31", "within"),
    ("releases in late March 2024", "2024-03-01", "2024-03-31", "within"),
    ("failures in Q2 2024", "2024-04-01", "2024-06-30", "within"),
    ("failures in Q4", "2025-10-01", "2025-12-31", "within"),
    ("incidents in 2023", "2023-01-01", "2023-12-31", "within"),
    ("what happened yesterday", "2026-05-26", "2026-05-26", "within"),
    ("the day before yesterday", "2026-05-25", "2026-05-25", "within"),
    ("what did I say today", "2026-05-27", "2026-05-27", "within"),
    ("three days ago", "2026-05-24", "2026-05-24", "within"),
    ("two weeks ago", "2026-05-10", "2026-05-16", "within"),
    ("a month ago", "2026-04-01", "2026-04-30", "within"),
    ("in the past 10 days", "2026-05-17", "2026-05-27", "within"),
    ("last week's decisions", "2026-05-18", "2026-05-24", "within"),
    ("this week", "2026-05-25", "2026-05-27", "within"),
    ("last weekend", "2026-05-23", "2026-05-24", "within"),
    ("last month", "2026-04-01", "2026-04-30", "within"),
    ("last year", "2025-01-01", "2025-12-31", "within"),
    ("last Wednesday", "2026-05-20", "2026-05-20", "within"),
    ("on Tuesday", "2026-05-26", "2026-05-26", "within"),
    ("where did we stand as of 2026-04-28", "2026-04-28", "2026-04-28", "until"),
    ("by May 26, 2026, is it still used", "2026-05-26", "2026-05-26", "until"),
    ("since last month", "2026-04-01", "2026-04-30", "since"),
    ("after 1 March 2026", "2026-03-01", "2026-03-01", "since"),
]


@pytest.mark.parametrize(("question", "first", "last", "side"), TABLE)
def test_what_a_question_means(question: str, first: str, last: str, side: str) -> None:
    """Each way of naming days gives these days and this side of them."""
    assert [(p.first, p.last, p.side) for p in periods(question, NOW)] == [(first, last, side)]


@pytest.mark.parametrize(
    "question",
    ["may I push to main?", "31 June 2024", "version 2023", "the march of tests", "take 5", "error 2024-13-45", ""],
)
def test_what_is_no_date(question: str) -> None:
    """A verb, a number and a day the calendar lacks name no period."""
    assert periods(question, NOW) == ()


def test_two_dates_stand_in_order() -> None:
    """A question about a span names both ends."""
    found = periods("between March 3 and April 4, 2026", NOW)
    assert [period.first for period in found] == ["2026-03-03", "2026-04-04"]


def test_sides_of_a_day() -> None:
    """Until takes what came before, since what came after, within neither; what has no time never fits."""
    within, until, since = (Period("2026-05-01", "2026-05-31", side) for side in ("within", "until", "since"))
    days = ("2026-04-30T23:59:59.999Z", "2026-05-01", "2026-05-31T23:00:00.000Z", "2026-06-01", "")
    assert [within.holds(day) for day in days] == [False, True, True, False, False]
    assert [until.holds(day) for day in days] == [True, True, True, False, False]
    assert [since.holds(day) for day in days] == [False, True, True, True, False]


@given(st.text(max_size=200))
def test_any_text_is_read(question: str) -> None:
    """No text breaks the reader, and a period never ends before it begins."""
    assert all(period.first <= period.last for period in periods(question, NOW))


def test_no_present_no_period() -> None:
    """Without a present nothing can be worked out."""
    assert periods("yesterday", "") == ()
