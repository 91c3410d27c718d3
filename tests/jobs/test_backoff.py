"""Pauses between attempts, and the periods of work that comes again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import UsageError
from learnt.jobs.backoff import FIRST_S, LAST_S, failed, pause_s
from learnt.jobs.schedule import period, period_s
from learnt.model.instant import from_epoch
from learnt.model.job import MAX_REASON_CHARS, JobRequest, created
from learnt.testing.fakes import NOON

DAY_S = 86_400


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_a_pause_is_bounded(attempts: int, spread: float) -> None:
    """Never shorter than the seed's two minutes, never longer than an hour and a quarter, longer with each failure."""
    assert FIRST_S <= pause_s(attempts, spread) <= LAST_S * 1.25
    assert pause_s(attempts, spread) <= pause_s(attempts + 1, spread)
    assert pause_s(attempts, 0) <= pause_s(attempts, spread)


def test_the_first_pauses() -> None:
    """Two minutes, doubled; by chance up to a quarter more."""
    assert [pause_s(n, 0) for n in (1, 2, 3, 6)] == [120, 240, 480, 3_600]
    assert pause_s(1, 1) == 150


def test_an_attempt_ends_in_a_pause_or_for_good() -> None:
    """The last attempt, and what no waiting helps, give the job up; the reason is one bounded line."""
    from dataclasses import replace

    job = replace(created(JobRequest(id="j", kind="k", key="x", max_attempts=3), NOON), attempts=2)
    assert failed(job, "timeout:\n no answer", 0).reason == "timeout: no answer"
    assert failed(job, "timeout", 0).wait_s == 240
    assert failed(job, "refused", 0, may_retry=False).wait_s is None
    assert failed(replace(job, attempts=3), "timeout", 0).wait_s is None
    assert len(failed(job, "x" * 10_000, 0).reason) == MAX_REASON_CHARS


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("hourly", 3_600), ("Daily", DAY_S), ("weekly", 7 * DAY_S), ("90m", 5_400), (" 2w ", 14 * DAY_S), ("30s", 30)],
)
def test_a_schedule_is_a_length(text: str, seconds: int) -> None:
    """Three names, or a number and a unit."""
    assert period_s(text) == seconds


@pytest.mark.parametrize("text", ["", "often", "0h", "-1d", "1.5h", "h", "0 3 * * 0", "9999999d"])
def test_what_is_no_schedule_is_refused(text: str) -> None:
    """With the code `schedule`."""
    with pytest.raises(UsageError) as caught:
        period_s(text)
    assert caught.value.error_code == "schedule"


def test_a_week_begins_with_its_monday() -> None:
    """2026-05-24 is a Sunday: the next number comes at midnight."""
    week = period_s("weekly")
    assert period(week, "2026-05-24T23:59:59.999Z") + 1 == period(week, "2026-05-25T00:00:00.000Z")
    assert period(week, "2026-05-25T00:00:00.000Z") == period(week, "2026-05-31T23:59:59.999Z")


@given(st.integers(0, 4_000_000_000), st.integers(0, 1_000_000), st.sampled_from(["30s", "6h", "weekly"]))
def test_numbers_of_periods_only_rise(start_s: int, more_s: int, text: str) -> None:
    """By one for each length of time, and never below one."""
    length_s = period_s(text)
    before, after = period(length_s, from_epoch(start_s)), period(length_s, from_epoch(start_s + more_s))
    assert 1 <= before <= after <= before + more_s // length_s + 1
