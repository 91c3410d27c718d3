"""The commands of workers."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from learnt.model.job import Failed, JobRequest
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.embedders import HashEmbedder, SilentEmbedder
from tests.cli.shell import COMMAND, Shell

if TYPE_CHECKING:
    from learnt.ports.embedder import Embedder

NOW = "2026-05-24T12:00:00.000Z"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> list[Embedder]:
    """The embedder that the next engine gets is the last of this list."""
    chosen: list[Embedder] = [HashEmbedder()]
    monkeypatch.setattr("learnt.bootstrap.models.embedder_of", lambda settings, environment: chosen[-1])
    return chosen


def dead(learnt: Shell, key: str = "a", kind: str = "digging") -> str:
    """A job that was given up; gives its id."""
    store = SqliteStore.open(learnt.home / "memory.db", now=lambda: NOW)
    with store.transaction():
        job = store.queue.enqueue(JobRequest(id=f"job_{key}", kind=kind, key=key))
        lease = store.queue.lease("ann", (kind,), 60, job.id)
        assert lease is not None
        store.queue.settle(lease, Failed("refused: \x1b[31mno"))
    store.close()
    return job.id


def test_a_new_model_is_worked_off(learnt: Shell, model: list[Embedder]) -> None:
    """The worker finds what there is to do and does it; a second time there is nothing."""
    learnt.remember()
    model.append(HashEmbedder(name="other"))
    found = learnt.json("worker", "--once")
    assert found["totals"] == {"done": 2, "failed": 0, "dead": 0, "released": 0, "lost": 0}
    assert {each["kind"] for each in found["outcomes"]} == {"reembed", "prune"}
    assert learnt.json("status")["arms"]["dense"] == "ran"
    assert learnt.json("worker", "--once")["totals"]["done"] == 0
    assert learnt("worker", "--once").out == "Nothing was due.\n"


def test_a_failed_attempt_is_told(learnt: Shell, model: list[Embedder]) -> None:
    """Exit 1, the reason on standard error and in the table, and when it comes again."""
    learnt.remember()
    model.append(SilentEmbedder(1, HashEmbedder(name="other")))
    answer = learnt("worker", "--once")
    assert answer.code == 1
    assert "attempt 1 of 10 failed: embedding: 1 texts got no vector" in answer.err
    (job, _) = sorted(learnt.json("jobs")["jobs"], key=lambda each: each["kind"], reverse=True)
    assert (job["kind"], job["status"], job["attempts"], job["max_attempts"]) == ("reembed", "pending", 1, 10)
    assert job["due_at"] > learnt.json("jobs")["now"]
    assert "in 2 m" in learnt("jobs").out or "in 1" in learnt("jobs").out


def test_the_table_is_narrowed(learnt: Shell) -> None:
    """By status and kind; what is shown is one line a job, without control characters."""
    learnt.remember()
    dead(learnt)
    dead(learnt, "b", "digging")
    dead(learnt, "c", "baking")
    assert learnt.json("jobs", "--status", "pending")["jobs"] == []
    assert learnt.json("jobs", "--status", "dead", "--kind", "baking")["total"] == 1
    found = learnt.json("jobs", "--limit", "1")
    assert (len(found["jobs"]), found["total"], found["counts"]["dead"]) == (1, 3, 3)
    shown = learnt("jobs").out
    assert "\x1b" not in shown
    assert shown.count("job_") == 3
    assert learnt("jobs", "--status", "lost").code == 2


def test_what_was_given_up_is_retried(learnt: Shell) -> None:
    """One by id, or all; what cannot be retried is refused, or told of where several were named."""
    learnt.remember()
    first, second = dead(learnt), dead(learnt, "b")
    assert learnt.json("status")["jobs"]["dead"] == 2
    assert any("given up" in gap for gap in learnt.json("status")["gaps"])
    assert learnt.json("jobs", "--retry", first)["retried"] == [first]
    assert learnt.json("jobs", "--retry-all")["retried"] == [second]
    assert learnt.json("status")["jobs"]["pending"] == 2
    assert learnt.json("jobs", "--retry", "job_no", code=1)["error"]["code"] == "not_found"
    both = learnt.json("jobs", "--retry", first, "--retry", "job_no", code=1)
    assert (both["retried"], both["refused"]) == ([first], [{"id": "job_no", "reason": "not_found"}])
    learnt.json("worker", "--once")
    done = next(each["id"] for each in learnt.json("jobs", "--kind", "prune")["jobs"])
    assert learnt.json("jobs", "--retry", done, code=3)["error"]["code"] == "conflict"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_ends_when_it_is_told(learnt: Shell, number: signal.Signals) -> None:
    """It waits for more work; a signal ends it in order, with its account."""
    learnt.remember()
    process = subprocess.Popen([*COMMAND, "worker", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr
    assert b"prune evidence: done" in process.stderr.readline()
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b'"done": 1' in out


def test_a_worker_heeds_a_configuration_that_changes(learnt: Shell) -> None:
    """What a person turns off is off from the next job on; the account is one."""
    learnt.remember("Mend the slow test.", "todo")
    config = learnt.config
    config.write_text("[consolidation]\ndecay = false\n", encoding="utf-8")
    process = subprocess.Popen([*COMMAND, "worker", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr
    assert b"prune evidence: done" in process.stderr.readline()
    config.write_text("", encoding="utf-8")
    assert b"decay" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert b'"done": 2' in out


def test_progress_is_for_a_terminal(learnt: Shell) -> None:
    """On one, the job that is taken up and how far it is; not into a file."""
    learnt.remember()
    ours, theirs = pty.openpty()
    done = subprocess.run([*COMMAND, "worker", "--once"], stdout=subprocess.PIPE, stderr=theirs, timeout=60, check=True)
    os.close(theirs)
    shown = os.read(ours, 4_096).decode()
    os.close(ours)
    assert "learnt worker: prune evidence" in shown
    assert "\x1b[K" in shown
    assert b"1 attempt: 1 done." in done.stdout


def test_a_killed_worker_is_taken_over(learnt: Shell) -> None:
    """The job row names the dead one until its lease ran out."""
    learnt.remember()
    store = SqliteStore.open(learnt.home / "memory.db", now=lambda: NOW)
    with store.transaction():
        store.queue.enqueue(JobRequest(id="job_a", kind="prune", key="evidence", watermark=1))
        store.queue.lease("dead", ("prune",), 60)
    store.close()
    assert learnt.json("jobs")["jobs"][0]["worker"] == "dead"
    assert any("does not answer" in gap for gap in learnt.json("status")["gaps"])
    assert learnt.json("worker", "--once")["totals"]["done"] == 1
    (job,) = learnt.json("jobs")["jobs"]
    assert (job["takeovers"], job["status"]) == (1, "done")
