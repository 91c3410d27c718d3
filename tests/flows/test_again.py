"""Several runs of one task: what each teaches again is one memory or proposal with more evidence."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.flows.capture import ingest
from learnt.flows.decide import decide
from learnt.flows.queue import pending
from learnt.model.filter import MemoryFilter
from learnt.model.proposal import Decision
from learnt.stores.sqlite.store import SqliteStore
from tests.flows.transcripts import Session
from tests.hosts.ground import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.flows.means import Means

RUNS = sorted((SHARED / "data" / "swe-agent-trajs").glob("*marshmallow-1867.traj"))
REFUSED = (
    "Your proposed edit has introduced new syntax error(s).\n\nERRORS:\n- E999 IndentationError: unexpected indent"
)


@pytest.fixture(params=["ephemeral", "sqlite"])
def means(means: Means, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Means]:
    """The means over either store."""
    if request.param == "ephemeral":
        yield means
        return
    store = SqliteStore.open(tmp_path / "store" / "memory.db", now=means.clock.now)
    yield replace(means, store=store)
    store.close()


def churned(path: Path, session: str, edits: int, got: int) -> Path:
    """A session in which a file is edited until its check passes; counts and values are its own."""
    told = Session(path, session).says("Fix the rounding.")
    told.runs("pytest -q", f"src/ledger.py:{got}: error: total {got} is not {got + 1}", 1)
    for number in range(edits):
        told.uses("Edit", {"file_path": "/srv/app/src/ledger.py", "new_string": f"v{number}"}, "done")
    told.runs("pytest -q", "3 passed")
    return path


def sessions_of(means: Means, text: str) -> set[str]:
    """The sessions that the one waiting proposal, which says this, rests on."""
    (proposal,) = pending(means).proposals.values
    assert text in proposal.text
    return {reference.ref.partition("#")[0] for reference in proposal.evidence}


def test_a_lesson_told_with_other_numbers_joins_the_first(means: Means, tmp_path: Path) -> None:
    """Four edits or seven, 12 or 99: one proposal, whose evidence is of every session."""
    paths = [churned(tmp_path / f"s{n}.jsonl", f"s{n}", 3 + n, 1_000 + n) for n in range(4)]
    ingest(means, [str(path) for path in paths])
    assert sessions_of(means, "was edited 3 times") == {f"session:s{n}" for n in range(4)}


def test_a_lesson_that_is_memory_by_now_gains_evidence(means: Means, tmp_path: Path) -> None:
    """Accepted after the first run, told again by the second: nothing new waits, and the memory cites both."""
    ingest(means, [str(churned(tmp_path / "a.jsonl", "a", 3, 10))])
    (proposal,) = pending(means).proposals.values
    decide(means, Decision(proposal_id=proposal.id, action="accept"))
    ingest(means, [str(churned(tmp_path / "b.jsonl", "b", 5, 20))])
    assert pending(means).proposals.values == ()
    (memory,) = means.store.memories.page(means.context.sight, MemoryFilter(), means.clock.now()).values
    refs = {reference.ref.partition("#")[0] for reference in memory.evidence}
    assert {"session:a", "session:b"} <= refs


def test_a_lesson_that_a_person_rejected_is_not_asked_again_in_other_numbers(means: Means, tmp_path: Path) -> None:
    """No is no for every run of the task."""
    ingest(means, [str(churned(tmp_path / "a.jsonl", "a", 3, 10))])
    (proposal,) = pending(means).proposals.values
    decide(means, Decision(proposal_id=proposal.id, action="reject"))
    ingest(means, [str(churned(tmp_path / "b.jsonl", "b", 5, 20))])
    assert pending(means).proposals.values == ()


def test_another_complaint_is_another_lesson(means: Means, tmp_path: Path) -> None:
    """Only what every run has of its own is left out of the comparison."""
    ingest(means, [str(churned(tmp_path / "a.jsonl", "a", 3, 10))])
    told = Session(tmp_path / "b.jsonl", "b").says("Fix it.")
    told.runs("pytest -q", "src/ledger.py:7: error: no currency", 1)
    for number in range(3):
        told.uses("Edit", {"file_path": "/srv/app/src/ledger.py", "new_string": f"v{number}"}, "done")
    told.runs("pytest -q", "3 passed")
    ingest(means, [str(told.path)])
    assert len(pending(means).proposals.values) == 2


def trajectory(path: Path, folder: str, *, first: str = "") -> Path:
    """A run of SWE-agent whose edit is refused once."""
    state = json.dumps({"open_file": f"{folder}/src/fields.py", "working_dir": folder})

    def step(action: str, observation: str) -> dict[str, str]:
        return {"action": action, "observation": observation, "thought": "", "response": "", "state": state}

    steps = [
        step(first or "ls -F", "src/"),
        step("edit 4:4\nreturn round(x)\nend_of_edit", REFUSED),
        step("edit 4:4\n        return round(x)\nend_of_edit", "[File: src/fields.py (9 lines total)]"),
    ]
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"environment": "main", "trajectory": steps, "history": [], "info": {}}))
    return path


def test_runs_of_one_task_elsewhere(means: Means, tmp_path: Path) -> None:
    """The same file name, another folder and container: every run counts, and they say one thing together."""
    places = [("a", "/testbed"), ("b", "/repo"), ("c", "/testbed")]
    paths = [trajectory(tmp_path / name / "task.traj", folder) for name, folder in places]
    ingest(means, [str(path) for path in paths])
    assert len(sessions_of(means, "`src/fields.py`")) == 3


@pytest.mark.skipif(not RUNS, reason="the trajectories are not at hand (LEARNT_SHARED)")
def test_the_shared_runs_of_one_task(means: Means) -> None:
    """Every run of the task is evidence of the one lesson."""
    ingest(means, [str(path) for path in RUNS])
    assert len(sessions_of(means, "IndentationError")) == len(RUNS)
    (proposal,) = pending(means).proposals.values
    assert all(reference.verified for reference in proposal.evidence)
