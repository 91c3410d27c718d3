"""How a store keeps work that waits, and whose write it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import StoreError, UsageError
from learnt.model.job import (
    MAX_KEY_CHARS,
    MAX_PAYLOAD_BYTES,
    MAX_REASON_CHARS,
    Done,
    Failed,
    JobFilter,
    JobRequest,
    Released,
)
from learnt.model.scope import Sight
from learnt.testing.base import Base, OnPurposeError, undone

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.job import Ending, Job, Lease
    from learnt.model.scope import Scope
    from learnt.ports.store import Store
    from learnt.testing.fakes import FixedClock

TERM_S = 120.0


def asked(store: Store, kind: str, key: str = "one", **fields: object) -> Job:
    """Ask for a job in a transaction of its own."""
    request = JobRequest(id=f"job_{kind}_{key}", kind=kind, key=key, **fields)  # type: ignore[arg-type]
    with store.transaction():
        return store.queue.enqueue(request)


def leased(store: Store, kind: str, owner: str = "ann", term_s: float = TERM_S, job_id: str = "") -> Lease | None:
    """Ask for work in a transaction of its own."""
    with store.transaction():
        return store.queue.lease(owner, (kind,), term_s, job_id)


def got(store: Store, kind: str, owner: str = "ann", term_s: float = TERM_S) -> Lease:
    """The same, where there is work."""
    lease = leased(store, kind, owner, term_s)
    assert lease is not None
    return lease


def settled(store: Store, lease: Lease, ending: Ending) -> bool:
    """End a lease in a transaction of its own."""
    with store.transaction():
        return store.queue.settle(lease, ending)


def held(store: Store, lease: Lease) -> bool:
    """Show a sign of life in a transaction of its own."""
    with store.transaction():
        return store.queue.hold(lease)


def job_of(store: Store, sight: Sight, kind: str, key: str = "one") -> Job:
    """The job as it is stored."""
    (job,) = store.queue.page(sight, JobFilter(kinds=(kind,), key=key)).values
    return job


class JobsSuite(Base):
    """What becomes of a request."""

    @pytest.fixture
    def kind(self, scope: Scope) -> str:
        """A kind of work nobody asked for before."""
        return f"work-{scope.repo_id}"

    def test_a_request_becomes_a_job(self, store: Store, scope: Scope, sight: Sight, kind: str) -> None:
        """A new job is pending, due at once, and comes back equal."""
        job = asked(store, kind, scope_key=scope.key, payload='{"n": 1, "ü": "é"}', watermark=7, max_attempts=5)
        assert (job.status, job.attempts, job.fence, job.watermark, job.done_watermark) == ("pending", 0, 0, 7, 0)
        assert job.due_at == job.created_at == job.updated_at
        assert job_of(store, sight, kind) == job

    def test_a_request_counts_once(self, store: Store, kind: str) -> None:
        """The same again, under another id, or an older one, changes nothing."""
        first = asked(store, kind, watermark=5)
        with store.transaction():
            again = store.queue.enqueue(JobRequest(id="job_other", kind=kind, key="one", watermark=5))
            older = store.queue.enqueue(JobRequest(id="job_older", kind=kind, key="one", watermark=4))
        assert again == older == first

    def test_a_further_input_makes_a_done_job_due(self, store: Store, kind: str) -> None:
        """Done stays done until the watermark rises."""
        asked(store, kind, watermark=5)
        assert settled(store, got(store, kind), Done())
        assert asked(store, kind, watermark=5).status == "done"
        assert leased(store, kind) is None
        job = asked(store, kind, watermark=6)
        assert (job.status, job.attempts, job.done_watermark) == ("pending", 0, 5)
        assert got(store, kind).job.watermark == 6

    def test_a_further_input_ends_a_pause(self, store: Store, kind: str) -> None:
        """A job that waits for its next attempt, or was given up, starts afresh."""
        asked(store, kind)
        assert settled(store, got(store, kind), Failed("timeout", 3_600))
        assert leased(store, kind) is None
        asked(store, kind, watermark=2)
        assert settled(store, got(store, kind), Failed("refused"))
        assert leased(store, kind) is None
        assert asked(store, kind, watermark=3).attempts == 0
        assert got(store, kind).job.attempts == 1

    @pytest.mark.parametrize("ending", [Done(), Failed("refused"), Failed("timeout", 3_600), Released()])
    def test_a_further_input_meanwhile_is_not_lost(self, store: Store, sight: Sight, kind: str, ending: Ending) -> None:
        """What came in while the job ran is due as soon as its lease ends, however it ended."""
        asked(store, kind, watermark=1)
        lease = got(store, kind)
        assert asked(store, kind, watermark=2).status == "running"
        assert settled(store, lease, ending)
        assert job_of(store, sight, kind).done_watermark == (1 if ending == Done() else 0)
        assert got(store, kind).job.watermark == 2

    def test_a_pause_before_the_first_attempt(self, store: Store, clock: FixedClock, kind: str) -> None:
        """Not due before its time."""
        asked(store, kind, wait_s=10)
        assert leased(store, kind) is None
        clock.advance(10.001)
        assert leased(store, kind) is not None

    def test_what_is_no_request_is_refused(self, store: Store, scope: Scope, kind: str) -> None:
        """Too long, without a name, with characters a database does not keep, or no JSON object."""
        for fields in (
            {"key": "x" * (MAX_KEY_CHARS + 1)},
            {"payload": '{"a": "' + "x" * MAX_PAYLOAD_BYTES + '"}'},
            {"key": ""},
            {"key": "a\0b"},
            {"payload": "[1]"},
            {"payload": "{"},
            {"watermark": 0},
            {"max_attempts": 0},
            {"key": "\ud800"},
        ):
            with pytest.raises(UsageError):
                asked(store, kind, **{"key": "one", **fields})  # type: ignore[arg-type]

    def test_all_or_nothing(self, store: Store, sight: Sight, kind: str) -> None:
        """A request, a lease and an ending are undone with their transaction, and refused outside of one."""
        request = JobRequest(id="job_undone", kind=kind, key="one")
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.queue.enqueue(request))
        assert store.queue.page(sight, JobFilter(kinds=(kind,))).total == 0
        job = asked(store, kind)
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.queue.lease("ann", (kind,), TERM_S))
        assert job_of(store, sight, kind) == job
        lease = got(store, kind)
        with pytest.raises(OnPurposeError):
            undone(store, lambda: store.queue.settle(lease, Done()))
        assert held(store, lease)
        request = replace(request, watermark=2)
        for write in (lambda: store.queue.enqueue(request), lambda: store.queue.settle(lease, Done())):
            with pytest.raises(StoreError) as caught:
                write()
            assert caught.value.error_code == "no_transaction"

    def test_a_listing(self, store: Store, scope: Scope, foreign: Scope, clock: FixedClock, kind: str) -> None:
        """Latest change first; narrowed by status, kind and key; another scope's are not seen, the store's own are."""
        mine = asked(store, kind, "mine", scope_key=scope.key)
        clock.advance(1)
        whole = asked(store, kind, "whole")
        clock.advance(1)
        theirs = asked(store, kind, "theirs", scope_key=foreign.key)
        sight = Sight((scope,))
        page = store.queue.page(sight, JobFilter(kinds=(kind,)))
        assert (page.values, page.total) == ((whole, mine), 2)
        assert store.queue.page(sight, JobFilter(kinds=(kind,), limit=1)).values == (whole,)
        assert store.queue.page(sight, JobFilter(kinds=(kind,), statuses=("dead", "done"))).total == 0
        assert store.queue.page(sight, JobFilter(kinds=(kind,), key="theirs")).total == 0
        with store.transaction():
            assert store.queue.retry(sight, theirs.id) is None

    def test_a_backlog_counts(self, store: Store, clock: FixedClock, kind: str) -> None:
        """By kind and status, with what was lost and since when the oldest waits."""
        due, *_ = [asked(store, kind, str(n)).due_at for n in range(4)]
        assert settled(store, got(store, kind), Done())
        assert settled(store, got(store, kind), Failed("refused"))
        got(store, kind, "bob", 10)
        clock.advance(11)
        found = store.queue.backlog()
        counts = {status: number for held, status, number in found if held == kind}
        assert counts == {"pending": 1, "running": 1, "done": 1, "dead": 1}
        assert found.now == clock.at
        assert found.lost >= 1
        assert found.due_since <= due

    def test_waiting_ends(self, store: Store) -> None:
        """With the time given, where nothing comes."""
        store.queue.wait(0.01)
        assert not store.queue.wait(0.01)


class LeasesSuite(Base):
    """Who may take a job, and whose write counts."""

    @pytest.fixture
    def kind(self, scope: Scope) -> str:
        """A kind of work nobody asked for before."""
        return f"lease-{scope.repo_id}"

    def test_one_worker_holds_a_job(self, reopen: Callable[[], Store], sight: Sight, kind: str) -> None:
        """Another gets the next, or nothing; each its own kinds only."""
        store, other = reopen(), reopen()
        asked(store, kind, "one")
        asked(store, kind, "two")
        first, second = got(store, kind, "ann"), got(other, kind, "bob")
        assert {first.job.key, second.job.key} == {"one", "two"}
        assert leased(other, kind, "cid") is None
        assert leased(other, kind + "-other", "cid") is None
        assert (first.owner, first.fence, first.job.attempts) == ("ann", 1, 1)
        assert held(store, first)
        assert held(other, second)
        store.close()
        other.close()

    def test_the_longest_due_comes_first(self, store: Store, clock: FixedClock, kind: str) -> None:
        """Whether it waits or its lease ran out; then by id."""
        for key in ("c", "a", "b"):
            asked(store, kind, key, wait_s=0 if key != "c" else 5)
        clock.advance(1)
        assert [got(store, kind, term_s=2).job.key for _ in range(2)] == ["a", "b"]
        clock.advance(10)
        assert [got(store, kind).job.key for _ in range(3)] == ["a", "b", "c"]
        asked(store, kind, "d")
        assert leased(store, kind, job_id=f"job_{kind}_a") is None
        found = leased(store, kind, job_id=f"job_{kind}_d")
        assert found is not None
        assert found.job.key == "d"

    def test_nobody_takes_it_before_its_lease_ran_out(self, store: Store, clock: FixedClock, kind: str) -> None:
        """A sign of life counts a whole term from then on."""
        asked(store, kind)
        lease = got(store, kind)
        clock.advance(TERM_S - 1)
        assert leased(store, kind, "bob") is None
        assert held(store, lease)
        clock.advance(TERM_S - 1)
        assert leased(store, kind, "bob") is None
        assert settled(store, lease, Done())

    def test_a_late_result_is_taken_if_nobody_took_over(self, store: Store, clock: FixedClock, kind: str) -> None:
        """The lease ran out, but the fence is still the last one."""
        asked(store, kind)
        lease = got(store, kind)
        clock.advance(TERM_S * 10)
        assert held(store, lease)
        clock.advance(TERM_S * 10)
        assert settled(store, lease, Done())
        assert leased(store, kind) is None

    def test_an_old_token_changes_nothing(self, store: Store, sight: Sight, clock: FixedClock, kind: str) -> None:
        """After a takeover the first worker can neither hold, nor end, nor fail the job, even under its own name."""
        asked(store, kind)
        old = got(store, kind)
        clock.advance(TERM_S)
        new = got(store, kind, "ann")
        assert (new.fence, new.job.takeovers, new.job.attempts) == (2, 1, 2)
        before = job_of(store, sight, kind)
        for ending in (Done(), Failed("x"), Failed("x", 1), Released()):
            assert not settled(store, old, ending)
        assert not held(store, old)
        assert job_of(store, sight, kind) == before
        assert settled(store, new, Done())
        assert not settled(store, new, Done())
        assert not held(store, new)

    def test_a_worker_may_read_another_s_lease_and_not_use_it(self, store: Store, sight: Sight, kind: str) -> None:
        """Owner and fence are compared both."""
        asked(store, kind)
        lease = got(store, kind)
        stranger = replace(lease, job=replace(lease.job, owner="bob"))
        ahead = replace(lease, job=replace(lease.job, fence=2))
        assert not held(store, stranger)
        assert not settled(store, ahead, Done())
        assert settled(store, lease, Done())

    def test_failures_wait_and_end(self, store: Store, sight: Sight, clock: FixedClock, kind: str) -> None:
        """A failed attempt comes again after its pause; a job given up stays, with its reason, until it is retried."""
        asked(store, kind)
        assert settled(store, got(store, kind), Failed("timeout: no answer", 30))
        waiting = job_of(store, sight, kind)
        assert (waiting.status, waiting.error, waiting.attempts) == ("pending", "timeout: no answer", 1)
        clock.advance(29)
        assert leased(store, kind) is None
        clock.advance(1.001)
        assert settled(store, got(store, kind), Failed("refused: " + "é" * 1_000))
        dead = job_of(store, sight, kind)
        assert (dead.status, dead.attempts, len(dead.error)) == ("dead", 2, MAX_REASON_CHARS)
        assert leased(store, kind) is None
        with store.transaction():
            again = store.queue.retry(sight, dead.id)
            assert store.queue.retry(sight, "job_unknown") is None
        assert again == job_of(store, sight, kind)
        assert again is not None
        assert (again.status, again.attempts, again.error) == ("pending", 0, dead.error)
        assert settled(store, got(store, kind), Done())
        assert job_of(store, sight, kind).error == ""

    def test_only_what_waits_is_retried(self, store: Store, sight: Sight, kind: str) -> None:
        """A running or a done job stays what it is."""
        job = asked(store, kind)
        lease = got(store, kind)
        for _ in range(2):
            before = job_of(store, sight, kind)
            with store.transaction():
                assert store.queue.retry(sight, job.id) == before
            settled(store, lease, Done())
        asked(store, kind, watermark=2)
        assert settled(store, got(store, kind), Failed("x", 3_600))
        with store.transaction():
            store.queue.retry(sight, job.id)
        assert leased(store, kind) is not None

    def test_given_back_it_is_due_at_once(self, store: Store, kind: str) -> None:
        """And the attempt does not count."""
        asked(store, kind)
        assert settled(store, got(store, kind), Released())
        assert got(store, kind, "bob").job.attempts == 1

    def test_what_kills_its_workers_is_given_up(self, store: Store, sight: Sight, clock: FixedClock, kind: str) -> None:
        """After the last attempt ran out the job is dead, and says why; a further input makes it due."""
        asked(store, kind, max_attempts=2)
        for _ in range(2):
            assert got(store, kind).job.key == "one"
            clock.advance(TERM_S)
        asked(store, kind, "two")
        assert got(store, kind).job.key == "two"
        dead = job_of(store, sight, kind)
        assert (dead.status, dead.owner, dead.takeovers) == ("dead", "", 1)
        assert dead.error.startswith("lease_expired")
        asked(store, kind, watermark=2, max_attempts=2)
        assert got(store, kind).job.key == "one"

    def test_held_within_a_transaction(self, store: Store, kind: str, scope: Scope) -> None:
        """What is written beside `hold` is kept with it; a worker that lost its lease leaves nothing."""
        asked(store, kind)
        lease = got(store, kind)
        with store.transaction():
            assert store.queue.hold(lease)
            store.meta.put(f"written-{kind}", "yes")
        assert store.meta.get(f"written-{kind}") == "yes"

    def test_the_clock_is_set_back(self, store: Store, sight: Sight, clock: FixedClock, kind: str) -> None:
        """No lease and no pause lasts longer for it than its own time."""
        asked(store, kind, "a held")
        asked(store, kind, "b failed")
        got(store, kind)
        settled(store, got(store, kind), Failed("timeout", 60))
        clock.advance(-3_600)
        assert leased(store, kind, "bob") is None
        assert job_of(store, sight, kind, "a held").updated_at == clock.at
        clock.advance(61)
        assert got(store, kind, "bob").job.key == "b failed"
        clock.advance(60)
        taken = got(store, kind, "bob")
        assert (taken.job.key, taken.job.takeovers) == ("a held", 1)

    def test_the_clock_is_set_forward(self, store: Store, clock: FixedClock, kind: str) -> None:
        """A lease that looks run out may be taken, and then the first worker's result is refused at the write."""
        asked(store, kind)
        lease = got(store, kind)
        clock.advance(2 * 86_400)
        other = got(store, kind, "bob")
        assert not settled(store, lease, Done())
        clock.advance(-2 * 86_400)
        assert leased(store, kind, "cid") is None
        assert settled(store, other, Done())
