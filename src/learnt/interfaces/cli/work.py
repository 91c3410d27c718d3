"""`learnt worker` and `learnt jobs`: work that waits, and who does it."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from learnt.errors import NotFoundError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.model.answer import Refusal
from learnt.model.instant import to_epoch
from learnt.model.job import JOB_STATUSES
from learnt.wire import jobs as wire
from learnt.wire.terminal import line as one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from learnt.flows.work import Jobs, Outcome, Worked
    from learnt.model.job import Job, JobStatus


class _Bell:
    """Whether somebody asked this process to end: once to end in order, twice to end now."""

    def __init__(self) -> None:
        self.rung = False

    def ring(self, number: int, frame: FrameType | None) -> None:
        """The handler of SIGTERM and SIGINT."""
        del number, frame
        if self.rung:
            raise KeyboardInterrupt
        self.rung = True


_ENDS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGXCPU") if hasattr(signal, name))
"""The last is what a worker that a hook started gets when it has used up its processor time."""


@command("worker", short_help="Do the jobs that wait.")
@click.option("--once", is_flag=True, help="End when nothing is due any more.")
@click.option("--kind", "kinds", metavar="K", multiple=True, help="Only these kinds of jobs.  [repeatable]")
def worker(desk: Desk, *, once: bool, kinds: tuple[str, ...]) -> None:
    """Do the jobs that wait: sessions to be learnt from, vectors of a new model, scans, what is past its time.

    Any number of workers may run, on any machine that has the store. One that is told to end (SIGTERM, Ctrl-C) gives
    its job back at the next good place. Without --once it waits for more, and heeds a configuration that changes.
    """
    bell = _Bell()
    before = {number: signal.signal(number, bell.ring) for number in _ENDS}
    shows = sys.stderr.isatty()
    seen = _configured(desk)

    def ends() -> bool:
        """Whether it is told to end, or to begin anew under another configuration."""
        return bell.rung or _configured(desk) != seen

    try:
        done = None
        while True:
            worked = desk.engine.work(
                once=once,
                kinds=kinds,
                stop=ends,
                began=lambda job: _said(f"{job.kind} {job.key}") if shows else None,
                went=lambda done, of: _went(done, of) if shows else None,
                ended=lambda outcome: _said(_ended(outcome)),
                waits=lambda error: _said(f"{error.message} Trying again."),
            )
            done = worked.after(done) if done else worked
            if bell.rung or not ends():
                break
            desk.close()  # a model that was turned off is asked nothing more
            seen = _configured(desk)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    desk.answer(wire.worked(done), lambda: _worked(done))
    if once and (done.counts.get("failed") or done.counts.get("dead")):
        raise click.exceptions.Exit(NEGATIVE)


def _configured(desk: Desk) -> tuple[tuple[int, int], ...]:
    """What the files that configure this are by now: time and size of each."""
    root = desk.engine.assembly.place.root
    return tuple(_stamp(path) for path in (desk.home.config_file, Path(root, ".learnt", "config.toml")))


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _said(text: str) -> None:
    """A line on standard error, over what progress wrote."""
    start = "\r\x1b[K" if sys.stderr.isatty() else ""
    click.echo(f"{start}learnt worker: {one_line(text)}", err=True)


def _went(done: int, of: int) -> None:
    """A line that rewrites itself, on a terminal."""
    total = f" of {of:,}" if of else ""
    click.echo(f"\r  {done:,}{total}\x1b[K", nl=False, err=True)


def _ended(outcome: Outcome) -> str:
    job = outcome.job
    words = {
        "done": "done",
        "failed": f"attempt {job.attempts} of {job.max_attempts} failed: {outcome.reason}",
        "dead": f"given up after attempt {job.attempts}: {outcome.reason}",
        "released": "given back",
        "lost": "another worker took over",
    }
    return f"{job.kind} {job.key}: {words[outcome.result]}"


def _worked(value: Worked) -> Iterator[str]:
    total = sum(value.counts.values())
    if not total:
        yield "Nothing was due."
        return
    parts = ", ".join(f"{number:,} {name}" for name, number in value.counts.items() if number)
    yield f"{screen.strong(screen.count(total, 'attempt'))}: {parts}."


@command("jobs", short_help="Work that waits.")
@click.option("--status", "statuses", type=click.Choice(JOB_STATUSES), multiple=True, help="Only these.  [repeatable]")
@click.option("--kind", "kinds", metavar="K", multiple=True, help="Only these kinds.  [repeatable]")
@click.option("--limit", type=click.IntRange(1, 1_000), metavar="N", default=50, show_default=True, help="At most.")
@click.option(
    "--retry", metavar="ID", multiple=True, help="Make this job due now, with all its attempts.  [repeatable]"
)
@click.option("--retry-all", is_flag=True, help="The same for all that were given up.")
def jobs(
    desk: Desk,
    *,
    statuses: tuple[JobStatus, ...],
    kinds: tuple[str, ...],
    limit: int,
    retry: tuple[str, ...],
    retry_all: bool,
) -> None:
    """The table of jobs, those that changed last first: what waits, what runs, what was done or given up, and why."""
    found = desk.engine.jobs(statuses=statuses, kinds=kinds, limit=limit, retry=retry, retry_all=retry_all)
    if found.refused and len(retry) == 1 and not found.retried:
        _refuse(desk, *found.refused[0])
    desk.answer(wire.jobs(found), lambda: _table(found, all_of_them=retry_all))
    if found.refused:
        raise click.exceptions.Exit(NEGATIVE)


def _refuse(desk: Desk, job_id: str, why: str) -> None:
    """One job was named, and nothing can be done about it."""
    if why == "not_found":
        raise NotFoundError(f"There is no job {job_id[:80]}.", hint="`learnt jobs` shows what there is.")
    hint = "It is being worked on." if why == "running" else "There is nothing left to do."
    desk.refuse(Refusal(code="conflict", message=f"The job {job_id} is {why}.", hint=hint))


def _table(value: Jobs, *, all_of_them: bool) -> Iterator[str]:
    for name, why in value.refused:
        yield f"! {screen.name(name)} was not made due: {why.replace('_', ' ')}"
    if value.retried:
        yield f"{screen.strong(screen.count(len(value.retried), 'job'))} due now; a worker does it: `learnt worker`."
    elif all_of_them:
        yield "No job was given up: nothing to do again."
    counts = ", ".join(f"{number:,} {name}" for name, number in value.backlog.statuses().items() if number)
    yield screen.strong(counts or "No jobs.")
    yield from screen.table([_row(job, value.backlog.now) for job in value.page.values])
    left = value.page.total - len(value.page.values)
    if left > 0:
        yield screen.faint(f"  {left:,} more (--limit)")


def _row(job: Job, now: str) -> tuple[str, ...]:
    return (job.id, job.kind, job.status, f"{job.attempts}/{job.max_attempts}", _when(job, now), job.error or job.key)


def _when(job: Job, now: str) -> str:
    """What the job waits for, or since when it is as it is."""
    if job.status == "pending":
        return f"in {_span(job.due_at, now)}" if job.due_at > now else f"due {_span(now, job.due_at)}"
    if job.status == "running":
        return f"until {_span(job.lease_until, now)}" if job.lease_until > now else "no answer"
    return f"{_span(now, job.updated_at)} ago"


def _span(later: str, earlier: str) -> str:
    seconds = max(0, int(to_epoch(later) - to_epoch(earlier)))
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
