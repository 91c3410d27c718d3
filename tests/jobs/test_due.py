"""Whether a session may be read, and under which watermark work is asked for again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from learnt.jobs.due import (
    Due,
    Readiness,
    SkippedRetryBackoff,
    SkippedRetryExhausted,
    SkippedRunning,
    SkippedUpToDate,
    advanced,
    cooling_s,
    readiness,
    watermark_of,
)
from learnt.model.job import Done, Failed, Job, JobRequest, created, later
from learnt.testing.fakes import NOON

HOUR_S = 3_600.0


def job(watermark: int = 100) -> Job:
    """A job as it is first asked for."""
    return created(JobRequest(id="job_1", kind="memory_stage1", key="t-1", watermark=watermark), NOON)


def failed(times: int, wait_s: float | None = 120.0) -> Job:
    """The same after so many attempts that failed."""
    held = job()
    for _ in range(times):
        held = held.taken("w", 120, NOON).ended(100, Failed("no answer", wait_s), NOON)
    return held


def done(watermark: int = 100) -> Job:
    """The same, done."""
    return job(watermark).taken("w", 120, NOON).ended(watermark, Done(), NOON)


@pytest.mark.parametrize(
    ("held", "watermark", "expected"),
    [
        (None, 100, Due(100)),
        (job(), 100, Due(100)),
        (done(), 100, SkippedUpToDate()),
        (done(), 99, SkippedUpToDate()),
        (done(), 101, Due(101)),
        (job().taken("w", 120, NOON), 100, SkippedRunning(later(NOON, 120))),
        (job().taken("w", 120, later(NOON, -120)), 100, Due(100)),
        (failed(1), 100, SkippedRetryBackoff(later(NOON, 120))),
        (failed(1), 101, Due(101)),
        (failed(3, None), 100, SkippedRetryExhausted()),
        (failed(3, None), 101, Due(101)),
    ],
)
def test_a_claim_on_a_session(held: Job | None, watermark: int, expected: Readiness) -> None:
    """A newer state passes over pauses and used-up attempts; an expired lease is free (T120, T122)."""
    assert readiness(held, watermark, NOON) == expected


def test_asking_again_begins_anew() -> None:
    """Done at 100, attempts used up, asked again at 80: 101, with all attempts and no pause (T124)."""
    held = replace(done(), attempts=3, due_at=later(NOON, 999))
    watermark = advanced(held, 80)
    assert watermark == 101
    asked = held.asked(JobRequest(id="job_2", kind=held.kind, key=held.key, watermark=watermark), NOON)
    assert (asked.watermark, asked.attempts, asked.due_at, asked.status) == (101, 0, NOON, "pending")
    assert advanced(None, 0) == 1
    assert advanced(held, 500) == 500


def test_documents_rest_after_they_were_made() -> None:
    """For what is left of the pause; a failure or a pause of 0 leaves nothing to wait for."""
    assert cooling_s(done(), 6 * HOUR_S, later(NOON, HOUR_S)) == pytest.approx(5 * HOUR_S)
    assert cooling_s(done(), 6 * HOUR_S, later(NOON, 7 * HOUR_S)) == 0
    waiting = replace(done(), status="pending", due_at=later(NOON, HOUR_S), attempts=0)
    assert cooling_s(waiting, 6 * HOUR_S, NOON) == pytest.approx(HOUR_S)
    assert cooling_s(failed(1), 6 * HOUR_S, NOON) == 0
    assert cooling_s(None, 6 * HOUR_S, NOON) == 0
    assert cooling_s(done(), 0, NOON) == 0


def test_watermarks_rise_with_time() -> None:
    """Milliseconds, at least 1."""
    assert watermark_of("1970-01-01T00:00:00.000Z") == 1
    assert watermark_of("1970-01-01T00:00:02.500Z") == 2_500
