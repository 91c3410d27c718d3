"""A generation of vectors built beside the one that is searched, resumed where it stopped, and put in its place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.errors import EmbedderError
from learnt.flows.embed import FORMS, embedded, tell_hooks
from learnt.flows.lease import Grip, begin, silent
from learnt.flows.shelve import indexed
from learnt.flows.trade import spread
from learnt.jobs.backoff import failed
from learnt.model.answer import Refusal
from learnt.model.job import Done, JobRequest, Released
from learnt.model.vector import Embedded, Generation
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from learnt.flows.means import Means
    from learnt.model.job import Ending, Job
    from learnt.model.vector import Target, Unembedded
    from learnt.ports.embedder import Embedder

ATTEMPTS = 10
"""A model's server may be off for hours: with the pauses between, ten attempts are most of a working day."""

BATCH = 32
"""Texts embedded and committed together: a second of a local model at most, lost when the process is killed."""

MOST_CAUGHT = 512
"""Texts of each target that a capture embeds at its end: some seconds of a local model."""

_PAGE = 2_000
_SWEPT = 2_000
_PATIENCE = 3
"""So many failures in a row that waiting might have cured, or before anything worked, mean that it is not the texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one target is.

    Attributes:
        wanted: How many lacked a vector. `done`: how many have one now. `failed`: how many were tried in vain.
        current: Whether this model's vectors are searched.
        removed: Vectors of retired generations that were removed.
    """

    target: Target
    version: str
    wanted: int
    done: int = 0
    failed: int = 0
    current: bool = False
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded:
    """What a run did. `stopped` is the code of what ended it early, "" when it went to its end."""

    targets: tuple[Progress, ...]
    dry_run: bool = False
    stopped: str = ""


@dataclass(slots=True)
class _Run:
    """One run: its means, its embedder, its lease, and what goes wrong on the way."""

    means: Means
    embedder: Embedder
    tell: Callable[[Progress], None]
    grip: Grip
    stopped: str = ""
    misses: int = 0
    succeeded: bool = False

    def heard(self) -> None:
        """The embedder answered."""
        self.misses, self.succeeded = 0, True

    def missed(self, error: EmbedderError) -> None:
        """It did not; after too many in a row the run ends, because it is not the texts."""
        self.misses += 1
        alone = error.may_retry or not self.succeeded
        if self.misses >= (_PATIENCE if alone else BATCH):
            self.stopped = error.error_code


def reembed(
    means: Means, *, dry_run: bool = False, tell: Callable[[Progress], None] | None = None
) -> Reembedded | Refusal:
    """Embed everything that lacks a vector of the present model, over all scopes, and switch when nothing is missing.

    One that fails is counted and comes again in the next run. Killed at any point, the next run goes on there.

    Args:
        dry_run: Only count.
        tell: Called after each batch.

    Raises:
        EmbedderError: There is no embedder, or it does not say what model it is.
    """
    embedder = means.embedder
    if isinstance(embedder, Absent):
        code = "unsupported" if "dense" in means.store.lacks else "no_embedder"
        raise EmbedderError("There is no embedder.", code=code, hint=embedder.hint)
    version = embedder.version
    if dry_run:
        return Reembedded(targets=tuple(_counted(means, target, version) for target in FORMS), dry_run=True)
    request = JobRequest(id=means.ids.new("job"), kind="reembed", key=version, max_attempts=ATTEMPTS)
    grip = begin(means, request)
    if not isinstance(grip, Grip):
        return _taken(grip)
    return _under(grip, embedder, tell or silent)


def _taken(job: Job) -> Refusal:
    return Refusal(
        code="conflict",
        message=f"Another re-embedding runs: {job.owner}.",
        hint=f"Wait for it; if it died, it gives way at {job.lease_until}.",
        details={"owner": job.owner, "until": job.lease_until},
    )


def _under(grip: Grip, embedder: Embedder, tell: Callable[[Progress], None]) -> Reembedded:
    """A whole run under a lease, which ends as the run does."""
    ending: Ending = Released()
    try:
        with grip.alive():
            answer, ending = built(grip, embedder, tell)
        return answer
    finally:
        grip.settle(ending)


def built(grip: Grip, embedder: Embedder, tell: Callable[[Progress], None]) -> tuple[Reembedded, Ending]:
    """What a run under a lease did, and how the lease is to end."""
    run = _Run(grip.means, embedder, tell, grip)
    answer = Reembedded(targets=tuple(_built(run, target) for target in FORMS), stopped=run.stopped)
    if answer.stopped:
        return answer, failed(grip.job, f"{answer.stopped}: the embedder gives no vectors", spread(grip.means))
    if lacking := sum(each.failed for each in answer.targets):
        return answer, failed(grip.job, f"embedding: {lacking:,} texts got no vector", spread(grip.means))
    return answer, Done() if indexed(grip) else Released()


def is_complete(means: Means, version: str) -> bool:
    """Whether everything has a vector of this model; looks at one that has none, not at all."""
    vectors = means.store.vectors
    held = {target: vectors.generation(target, version, FORMS[target]) for target in FORMS}
    return not any(vectors.missing(each or _none(target, version), 1) for target, each in held.items())


def catch_up(means: Means, most: int = MOST_CAUGHT) -> int:
    """Embed at most `most` of each target that lack a vector of the model that is searched; gives how many.

    For the end of a capture, where nobody waits. A failing embedder ends it.
    """
    embedder, done = means.embedder, 0
    if isinstance(embedder, Absent):
        return 0
    try:
        for target in FORMS:
            held = _searched(means, embedder, target)
            if held is None:
                continue
            for batch in _batches(iter(means.store.vectors.missing(held, most))):
                given = embedded(embedder, batch)
                with means.store.transaction():
                    means.store.vectors.put(held, given, means.clock.now())
                done += sum(not each.failure for each in given)
    except EmbedderError:
        return done
    return done


def _searched(means: Means, embedder: Embedder, target: Target) -> Generation | None:
    """The generation of this model if it is the one searched, begun where there is none at all."""
    vectors, form = means.store.vectors, FORMS[target]
    current = vectors.generation(target)
    if current is None:
        with means.store.transaction():
            return vectors.begin(target, embedder.version, form, embedder.dimension, means.clock.now())
    return current if (current.version, current.form) == (embedder.version, form) else None


def _hold(run: _Run) -> str:
    """The lease held, inside a transaction; gives the present."""
    run.grip.hold()
    return run.means.clock.now()


def _counted(means: Means, target: Target, version: str) -> Progress:
    vectors = means.store.vectors
    held = vectors.generation(target, version, FORMS[target])
    wanted = sum(1 for _ in _missing(means, held or _none(target, version)))
    current = held is not None and held.status == "current"
    return Progress(target=target, version=version, wanted=wanted, current=current)


def _none(target: Target, version: str) -> Generation:
    """A generation nobody began."""
    return Generation(number=0, target=target, version=version, form=FORMS[target], dimension=0, status="building")


def _missing(means: Means, generation: Generation) -> Iterator[Unembedded]:
    """Everything without a vector, each once, however the pages change under it."""
    after = 0
    while page := means.store.vectors.missing(generation, _PAGE, after):
        yield from page
        after = page[-1].place


def _built(run: _Run, target: Target) -> Progress:
    means = run.means
    progress = _counted(means, target, run.embedder.version)
    if not progress.wanted and means.store.vectors.generation(target) is None:
        return progress
    with means.store.transaction():
        now = _hold(run)
        generation = means.store.vectors.begin(target, run.embedder.version, FORMS[target], run.embedder.dimension, now)
    for batch in _batches(_missing(means, generation)):
        if run.stopped or run.grip.ends:
            break
        progress = _kept(run, generation, batch, progress)
        run.tell(progress)
    return _finished(run, generation, progress)


def _batches(wanted: Iterator[Unembedded]) -> Iterator[list[Unembedded]]:
    batch: list[Unembedded] = []
    for each in wanted:
        batch.append(each)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _kept(run: _Run, generation: Generation, batch: Sequence[Unembedded], progress: Progress) -> Progress:
    given = _tried(run, batch)
    with run.means.store.transaction():
        now = _hold(run)
        run.means.store.vectors.put(generation, given, now)
    failed = sum(bool(each.failure) for each in given)
    return replace(progress, done=progress.done + len(given) - failed, failed=progress.failed + failed)


def _tried(run: _Run, batch: Sequence[Unembedded]) -> list[Embedded]:
    """The batch together; where that fails, one by one, so that one text does not fail the others."""
    try:
        found = list(embedded(run.embedder, batch))
    except EmbedderError:
        return [each for one in batch if (each := _one(run, one)) is not None]
    run.heard()
    return found


def _one(run: _Run, wanted: Unembedded) -> Embedded | None:
    if run.stopped:
        return None
    try:
        (found,) = embedded(run.embedder, [wanted])
    except EmbedderError as error:
        run.missed(error)
        return Embedded(id=wanted.id, failure=error.error_code)
    run.heard()
    return found


def _finished(run: _Run, generation: Generation, progress: Progress) -> Progress:
    """Switched when nothing is missing; then what is no longer searched is removed, a little at a time."""
    store = run.means.store
    with store.transaction():
        now = _hold(run)
        if current := store.vectors.finish(generation, now):
            tell_hooks(run.means, generation)
        if progress.wanted:
            counts = {"done": progress.done, "failed": progress.failed, "current": current}
            name = f"{generation.target}:{generation.version}"
            store.events.append(run.means.event("reembed", name, now, counts))
    return replace(progress, current=current, removed=_swept(run) if current else 0)


def _swept(run: _Run) -> int:
    removed = 0
    while True:
        with run.means.store.transaction():
            _hold(run)
            gone = run.means.store.vectors.sweep(_SWEPT)
        removed += gone
        if gone < _SWEPT:
            return removed
