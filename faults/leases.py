"""C4: leases stolen, holders paused and killed, clocks set forward and back; nobody writes under an old one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from faults.verdict import Tally
from learnt.model.job import JobRequest
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.testing.fakes import FixedClock
from learnt.testing.rehearsal import Rehearsal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.verdict import Scale, Verdict

_STEPS = 40
_TERM_S = 60.0
_JUMPS_S = (-315_360_000.0, -86_400.0, -_TERM_S, 0.0, 3_600.0, 315_360_000.0)
"""Ten years, a day, a term back; not at all; an hour, ten years forward."""


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Random schedules of workers; then how soon a dead worker's job is another's."""
    yield _schedules(scale)
    yield _takeovers(scale)


def _schedules(scale: Scale) -> Verdict:
    tally = Tally("C4", "schedules of pauses, deaths, late returns, duplicates and a clock that jumps")
    writes = refused = 0
    for seed in range(scale.runs):
        clock = FixedClock()
        played = Rehearsal(EphemeralStore(clock.now), clock, seed)
        tally.tried += 1
        try:
            played.run(_STEPS)
        except AssertionError as error:
            tally.expect(False, f"schedule {seed}: {error}")
        writes, refused = writes + played.writes, refused + played.refused
    return tally.verdict(f"{writes:,} writes counted, {refused:,} under an old lease were refused")


def _takeovers(scale: Scale) -> Verdict:
    tally = Tally("C4", "a holder dies, the clock is set by up to ten years: another has the job within two terms")
    longest_s = 0.0
    for seed in range(max(20, scale.runs // 10)):
        chance, clock = random.Random(seed), FixedClock()
        store = EphemeralStore(clock.now)
        with store.transaction():
            store.queue.enqueue(JobRequest(id="job_1", kind="rescan", key="all", max_attempts=10))
            tally.expect(store.queue.lease("dead", ["rescan"], _TERM_S), f"takeover {seed}: nobody had it first")
        clock.advance(chance.choice(_JUMPS_S))
        waited_s = 0.0
        tally.tried += 1
        while not _taken(store) and waited_s <= 2 * _TERM_S:
            clock.advance(_TERM_S / 8)
            waited_s += _TERM_S / 8
        longest_s = max(longest_s, waited_s)
        tally.expect(waited_s <= 2 * _TERM_S, f"takeover {seed}: nobody took over within two terms")
    return tally.verdict(f"the longest took {longest_s / _TERM_S:.2f} terms")


def _taken(store: EphemeralStore) -> bool:
    with store.transaction():
        return store.queue.lease("heir", ["rescan"], _TERM_S) is not None
