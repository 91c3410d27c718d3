"""Times as people and programs write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import UsageError
from learnt.wire.moment import instant


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2026-05-01T00:30:00+02:00", "2026-04-30T22:30:00.000Z"),
        ("2026-04-30T23:00:00Z", "2026-04-30T23:00:00.000Z"),
        ("2026-05-01", "2026-05-01T00:00:00.000Z"),
        (" 2026-05-01 09:30:00.123456-05:30 ", "2026-05-01T15:00:00.123Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_becomes_the_instant_it_means(text: str, canonical: str) -> None:
    """Any offset gives the same canonical UTC text; a date alone means its midnight in UTC."""
    assert instant(text) == canonical


def test_a_validity_that_ended_is_over_whatever_its_offset() -> None:
    """Half past midnight in the east is before eleven in the evening in UTC, as text too."""
    assert instant("2026-05-01T00:30:00+02:00") < instant("2026-04-30T23:00:00Z")


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "tomorrow", "2026", "2026-13-01", "2026-02-30", "20260501", "2026-W18-5", "1780000000"),
        *("2026-05-01T09:30:00", "2026-05-01 09:30", "2026-05-01T25:00:00Z", "2026-05-01T09:30:00+99:00"),
        *("0001-01-01T00:00:00+05:00", "9999-12-31T23:00:00-05:00", "٢٠٢٦-05-01", "2026-05-01\x00", "9" * 5000),
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    """Naive times, coarse dates, other forms and what no calendar holds are refused with the rule."""
    with pytest.raises(UsageError) as refused:
        instant(text)
    assert refused.value.error_code == "invalid_time"
    assert "offset" in refused.value.advice
    assert len(refused.value.message) < 120


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001 - zones are drawn apart
    st.integers(-14 * 60, 14 * 60),
)
def test_an_instant_is_the_same_in_every_zone(moment: datetime, minutes: int) -> None:
    """The canonical text depends on the instant alone, and its order is the order of instants."""
    utc = moment.replace(tzinfo=UTC)
    moved = utc.astimezone(timezone(timedelta(minutes=minutes)))
    assert instant(moved.isoformat()) == instant(utc.isoformat())
    later = utc + timedelta(milliseconds=1)
    assert instant(later.isoformat()) > instant(utc.isoformat())
