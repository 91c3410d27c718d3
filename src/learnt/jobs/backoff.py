"""How an attempt that failed ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.job import MAX_REASON_CHARS, Failed

if TYPE_CHECKING:
    from learnt.model.job import Job

FIRST_S = 120.0
"""Source: swarm-memory seed, session jobs: retry after 120 s."""
LAST_S = 3_600.0
_SPREAD = 0.25


def pause_s(attempts: int, spread: float, first_s: float = FIRST_S) -> float:
    """Seconds before the next attempt: 120, doubled with each failure up to an hour, and up to a quarter more.

    Args:
        attempts: How many failed, at least 1.
        spread: A number from 0 to 1 by chance, so that those that failed together come back apart.
        first_s: Of this kind of work.
    """
    doubled = first_s * 2.0 ** min(attempts - 1, 16)
    return min(LAST_S, doubled) * (1 + _SPREAD * spread)


def failed(job: Job, reason: str, spread: float, *, may_retry: bool = True, first_s: float = FIRST_S) -> Failed:
    """The end of an attempt: a pause, or giving the job up when that was its last or waiting helps nothing."""
    short = " ".join(reason.split())[:MAX_REASON_CHARS]
    if not may_retry or job.attempts >= job.max_attempts:
        return Failed(short)
    return Failed(short, pause_s(job.attempts, spread, first_s))
