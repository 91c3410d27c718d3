"""After a start one worker learns from sessions, where there may be something to learn."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.interfaces.hook.end import LOCKS
from learnt.interfaces.hook.owed import EVERY_S, KINDS, LOCK
from learnt.model.instant import from_epoch
from learnt.model.job import JobRequest
from learnt.model.thread import CONSOLIDATE, EXTRACT, JOBS
from learnt.testing import samples
from tests.hook.test_process import _capturing, _end, _eventually

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.model.thread import Thread
    from tests.hook.conftest import Machine

SEEN = "(echo $*; env; pwd) > TARGET.new; mv TARGET.new TARGET; sleep 5"


def _thread(machine: Machine, hours_ago: float = 13, **given: str) -> Thread:
    """A session of this repository, registered."""
    at = from_epoch(time.time() - hours_ago * 3_600)
    thread = replace(samples.thread(machine.repository, "t-1", updated_at=at), **given)  # type: ignore[arg-type]
    with machine.store.transaction():
        machine.store.threads.put(thread)
    return thread


def _started(machine: Machine, target: Path) -> bool:
    """Whether a start began a worker."""
    machine.hook("session-start", source="startup")
    time.sleep(0.3)
    return target.exists()


def test_a_start_that_owes_something_begins_one_worker(machine: Machine) -> None:
    """Once, for these two kinds of jobs alone, with the recorded places, and never from a child.

    It is told which session that is: a resumed one may be old, and is not to be read.
    """
    target = _capturing(machine, SEEN)
    _thread(machine)
    machine.hook("session-start", source="startup")
    assert _eventually(target.exists)
    text = target.read_text()
    assert "-I -m learnt.interfaces.cli.entry worker --once --json" in text
    assert all(f"--kind {kind}" in text for kind in KINDS)
    assert "LEARNT_CHILD=1" in text
    assert f"LEARNT_HOME={machine.home}" in text
    assert "LEARNT_SESSION=s-1" in text
    target.unlink()
    assert not _started(machine, target)
    _end(machine)
    assert KINDS == JOBS == (EXTRACT, CONSOLIDATE)


def test_a_worker_is_begun_again_after_a_while(machine: Machine) -> None:
    """Not while the last one is young."""
    target = _capturing(machine, "echo x > TARGET")
    _thread(machine)
    assert _started(machine, target)
    target.unlink()
    lock = machine.home / LOCKS / LOCK
    os.utime(lock, (time.time() - EVERY_S - 5,) * 2)
    assert _started(machine, target)


@pytest.mark.parametrize(
    "given",
    [
        {"hours_ago": 11},
        {"hours_ago": 31 * 24},
        {"mode": "polluted"},
        {"mode": "disabled"},
        {"source": "program"},
        {"extracted": "2999-01-01T00:00:00.000Z"},
    ],
)
def test_a_start_that_owes_nothing_begins_none(machine: Machine, given: dict[str, object]) -> None:
    """Too fresh, too old, set aside, of a program, or read already."""
    target = _capturing(machine, "echo x > TARGET")
    _thread(machine, **given)  # type: ignore[arg-type]
    assert not _started(machine, target)


def test_settings_say_how_idle_a_session_has_to_be(machine: Machine) -> None:
    """The user's own file counts."""
    target = _capturing(machine, "echo x > TARGET")
    _thread(machine, hours_ago=2)
    machine.config.parent.mkdir(exist_ok=True)
    machine.config.write_text("[sessions]\nmin_idle_hours = 1\n")
    assert _started(machine, target)


def test_documents_that_wait_are_owed(machine: Machine) -> None:
    """Also where no session waits; not before they are due."""
    target = _capturing(machine, "echo x > TARGET")
    machine.keep("Anything at all.", kind="repo_convention")
    key = machine.repository.repo_id
    with machine.store.transaction():
        scope_key, years_s = machine.repository.key, 5 * 365 * 86_400
        request = JobRequest(id="job_1", kind=CONSOLIDATE, key=key, scope_key=scope_key, wait_s=years_s)
        machine.store.queue.enqueue(request)
    assert not _started(machine, target)
    with machine.store.transaction():
        machine.store.queue.enqueue(replace(request, watermark=2, wait_s=0))
    assert _started(machine, target)
