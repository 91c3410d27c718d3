"""Both phases on a server: processes that begin at once learn once; who takes over loses and doubles nothing."""

from __future__ import annotations

import os
import signal
import time
from functools import partial

import pytest

from faults.__main__ import lines
from faults.phases import at_once
from faults.sessions import alone, apart, ended, files, place, taken_in, unfinished, worker
from faults.stalled import stalling

PROCESSES = 8
TERM_S = 2.0
STEPS = (2, 7, 12, 17, 22, 27, 32)


def test_workers_that_begin_at_once_learn_once(database: str) -> None:
    """Each session once, the artifacts once, no error."""
    verdict = at_once(PROCESSES, database)
    assert verdict.met, "\n".join(lines(verdict))


@pytest.mark.parametrize("goes_on", [False, True], ids=["dies", "stands still"])
def test_another_takes_over_within_two_terms(database: str, *, goes_on: bool) -> None:
    """From one that dies at any step, and from one that goes on afterwards: nothing is lost, doubled or damaged."""
    with place() as folder:
        for number, at in enumerate(STEPS, 1):
            about = f"Deploys of region {number} wait for gate {number * 7}"
            taken_in(folder, f"s{number}", url=database, about=about)
            pid = apart(partial(stalling, folder, at, database, TERM_S))
            if not os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]):
                continue
            if not goes_on:
                os.kill(pid, signal.SIGKILL)
                assert ended(pid) == -signal.SIGKILL
            time.sleep(TERM_S)
            left = partial(unfinished, folder, number, url=database, runs=number, most=2 * number)
            took_over, held = alone(partial(worker, folder, url=database)) == 0 and not list(left()), files(folder)
            if goes_on:
                os.kill(pid, signal.SIGCONT)
                assert ended(pid) == 0, at
            assert took_over or goes_on, at
            if took_over:
                assert files(folder) == held, at
            elif list(left()):  # it stood still in a transaction, and somebody comes after it
                assert alone(partial(worker, folder, url=database)) == 0, at
            assert not list(left()), at
