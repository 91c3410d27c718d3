"""Who may take a job, and whose write a store takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.job import MAX_REASON_CHARS, Done, Failed, Released
from learnt.testing.base import Base
from learnt.testing.jobs import TERM_S, asked, got, held, job_of, leased, settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Store
    from learnt.testing.fakes import FixedClock


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
