"""How a store keeps work that waits, and whose write it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import StoreError, UsageError
from learnt.model.backlog import JobFilter
from learnt.model.job import MAX_KEY_CHARS, MAX_PAYLOAD_BYTES, Done, Failed, JobRequest, Released
from learnt.model.scope import Sight
from learnt.testing.base import Base, OnPurposeError, undone

if TYPE_CHECKING:
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
