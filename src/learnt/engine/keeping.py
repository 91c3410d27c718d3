"""The verbs that keep a store in order."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs
from learnt.model.backlog import JobFilter

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from learnt.errors import StoreError
    from learnt.flows.moved import Moved, Step
    from learnt.flows.work import Jobs, Outcome, Worked
    from learnt.model.answer import Refusal
    from learnt.model.job import Job, JobStatus


class Keeping(Verbs):
    """A store, kept in order."""

    def stale(self, *, check: bool = False, limit: int = 20) -> flows.stale.Staleness:
        """What could be cleared away; with `check` also what the work tree no longer bears out. Changes nothing.

        Args:
            limit: Most memories in one list of the report.
        """
        return flows.stale.stale(self._means, check=check, limit=limit)

    def compact(self, *, confirm: bool = False) -> flows.compact.Compacted | Refusal:
        """Count the deleted and superseded memories and the expired scratch, or take them away for good.

        Args:
            confirm: Take them away; only a person may.
        """
        return self._followed(flows.compact.compact(self._means, confirm=confirm))

    def decay(self) -> flows.decay.Decayed:
        """Give todos, patterns, findings and evidence the expiry of their kind, where they have no earlier one."""
        return self._followed(flows.decay.decay(self._means))

    def reembed(
        self, *, dry_run: bool = False, tell: Callable[[flows.reembed.Progress], None] | None = None
    ) -> flows.reembed.Reembedded | Refusal:
        """Give a vector of the present model to everything that has none; resumes where an earlier run stopped.

        Args:
            dry_run: Only count.
            tell: Called after each batch, for progress.

        Raises:
            EmbedderError: There is no embedder.
        """
        return flows.reembed.reembed(self._means, dry_run=dry_run, tell=tell)

    def work(
        self,
        *,
        once: bool = False,
        kinds: Sequence[str] = (),
        stop: Callable[[], bool] = flows.lease.never,
        began: Callable[[Job], None] = flows.lease.silent,
        went: Callable[[int, int], None] = flows.lease.quiet,
        ended: Callable[[Outcome], None] = flows.lease.silent,
        waits: Callable[[StoreError], None] = flows.lease.silent,
    ) -> Worked:
        """Do the jobs there are, as one of any number of workers.

        Args:
            once: End when nothing is due any more; else go on until `stop`.
            kinds: Only these kinds of jobs; empty for all.
            stop: Whether to end; a job in hand is then given back at the next good place.
            began: Told of each job that is taken up. `went`: of what is done, of how much. `ended`: of its outcome.
            waits: Told why the store does not answer; a worker without `once` waits for it.
        """
        watch = flows.work.Watch(stop=stop, began=began, went=went, ended=ended, waits=waits)
        trades = tuple(each for each in flows.work.TRADES if not kinds or each.kind in kinds)
        return flows.work.work(self._means, once=once, watch=watch, trades=trades)

    def jobs(
        self,
        *,
        statuses: Sequence[JobStatus] = (),
        kinds: Sequence[str] = (),
        limit: int = 50,
        retry: Sequence[str] = (),
        retry_all: bool = False,
    ) -> Jobs:
        """The table of jobs, after some that wait or were given up were made due again.

        Args:
            limit: 1 to 1,000.
            retry: Ids. `retry_all`: all that were given up.
        """
        wanted = JobFilter(statuses=tuple(statuses), kinds=tuple(kinds), limit=limit)
        return flows.work.jobs(self._means, wanted, retry, retry_all=retry_all)

    def migrate(self, to: str, *, tell: Callable[[Step], None] | None = None) -> Moved | Refusal:
        """Move everything in this store into the empty one that a URL names; resumes where an earlier run stopped.

        Args:
            to: `sqlite:///PATH` or `postgresql://USER@HOST/DATABASE`.
            tell: Called after each stretch, for progress.

        Raises:
            ConfigError: The URL names no store.
            UsageError: `same_store`: it names this one.
            StoreError: One of the two does not answer.
        """
        from learnt.bootstrap import way

        return flows.migrate.migrate(self._means, way(self._assembly.home, to), tell)

    def disagreements(self) -> Mapping[str, int]:
        """What is missing, or does not agree with the rows it was made of, by name; reads the whole store."""
        return flows.upkeep.disagreements(self._means)

    def repair(self) -> flows.upkeep.Repaired:
        """Make full text, counters, anchors and codes of vectors anew from the rows; no text is touched."""
        return flows.upkeep.repair(self._means)

    def backup(self, path: str | os.PathLike[str]) -> int | Refusal:
        """Copy the whole store into a new file, for this user alone; gives its size in bytes.

        Raises:
            UsageError: There is such a file, or this store is not copied like that.
        """
        return flows.upkeep.backup(self._means, fspath(path))
