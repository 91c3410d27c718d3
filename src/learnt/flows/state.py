"""What is stored, what works, what is missing; and whether the audit trail is whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from learnt.errors import GateError, NotFoundError
from learnt.flows import identify
from learnt.flows.account import LOOKED_AT, Account, account, unwritten
from learnt.flows.arms import STALE, ready
from learnt.flows.compact import cleanup
from learnt.flows.decide import person_required
from learnt.flows.imports import last
from learnt.flows.pipeline import Phases, phases
from learnt.flows.waiting import WAITING
from learnt.gate.clearance import PATTERN_SET
from learnt.model.filter import ProposalFilter
from learnt.model.flag import FlagCount
from learnt.model.instant import to_epoch
from learnt.model.thread import CONSOLIDATE, EXTRACT
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.flows.compact import Cleanup
    from learnt.flows.imported import Imported
    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.backlog import Backlog
    from learnt.model.change import CopyState
    from learnt.model.vector import Generation

AUDIT = {"table": "memory_events", "order_by": "seq"}
"""Where the chain lies, for a check from outside (contract, `status`)."""

OLD_S = 86_400
"""A copy older than a day is told of; it is served all the same."""

_WAITED_S = 3_600
"""A job that is due for an hour is told of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A short account of this context.

    Attributes:
        vectors: Every generation of vectors, newest first.
        gaps: What a person should look at, one line each; empty when there is nothing.
        jobs: Work that waits: memories to rescan, writes whose scan did not finish, and how many jobs of each status.
        flags: Open flags of readers, and the memories they are on.
        imported: What the last import into this repository told; None where there was none.
        copy: What hooks read where the store is on a server; None where they read the store itself.
        account: Models that may write here, and what was spent.
        copy_age_s: Since the copy was last equal to the store here; None for never.
    """

    memories: Mapping[str, int]
    proposals: Mapping[str, int]
    arms: Mapping[str, str]
    jobs: Mapping[str, int]
    gaps: tuple[str, ...]
    store: Mapping[str, object]
    repository: Mapping[str, object]
    sessions: int
    last_session_at: str | None
    recalls: int
    cleanup: Cleanup
    flags: FlagCount = field(default_factory=FlagCount)
    imported: Imported | None = None
    vectors: tuple[Generation, ...] = ()
    copy: CopyState | None = None
    copy_age_s: float | None = None
    account: Account = field(default_factory=Account)
    phases: Phases = field(default_factory=Phases)
    pattern_set: str = PATTERN_SET
    audit: Mapping[str, str] = field(default_factory=lambda: dict(AUDIT))


def status(means: Means) -> Status:
    """The account, read in a few small queries; nothing is written."""
    sight, store = means.context.sight, means.store
    sessions = store.archive.sessions(sight, 1000)
    uncleared = len(store.memories.stale(sight, PATTERN_SET, 1000))
    waiting = store.proposals.page(sight, ProposalFilter(limit=1000)).values
    held = sum(proposal.metadata.get("waiting") == WAITING for proposal in waiting)
    backlog = store.queue.backlog()
    copy = means.copy.state(sight.one("repository")) if means.copy else None
    found = Status(
        memories=dict(store.memories.count(sight)),
        proposals=dict(store.proposals.count(sight)),
        arms=ready(means),
        jobs={"rescan": uncleared, "scan_incomplete": held, **backlog.statuses()},
        gaps=(),
        store=dict(store.meta.describe()),
        repository={"id": means.identity.repository_id, "value": means.place.value, "root": means.place.root},
        vectors=(*store.vectors.state("memory"), *store.vectors.state("evidence")),
        copy=copy,
        copy_age_s=_age_s(means, copy),
        sessions=len(sessions),
        last_session_at=max((each.ended_at for each in sessions), default=None),
        recalls=len(store.usage.page(sight, "", 1000)),
        cleanup=cleanup(means),
        flags=store.flags.count(sight),
        imported=last(means),
        account=account(means, latest=LOOKED_AT),
        phases=phases(means),
    )
    alarms = [f"session {each.session_id}: {alarm}" for each in sessions for alarm in each.alarms]
    return replace(found, gaps=(*_gaps(means, found, backlog), *alarms, *_uncleaned(means)))


def _gaps(means: Means, found: Status, backlog: Backlog) -> Iterator[str]:
    yield from _off(means)
    yield from _identity(means)
    yield from _gate(means)
    waiting = found.jobs["rescan"], found.jobs["scan_incomplete"]
    yield from _counts(*waiting, found.store, _derived(means.store.meta.gaps()))
    yield from _flagged(found.flags)
    yield from _stuck(backlog)
    yield from _failing(found.phases)
    yield from _unembedded(means, found.vectors)
    yield from _copied(found.copy, found.copy_age_s)
    yield from unwritten(found.account)


def _off(means: Means) -> list[str]:
    return [] if means.settings.memory.enabled else ["the memory is off here: `[memory] enabled = false`"]


def _gate(means: Means) -> list[str]:
    """That nothing can be looked at: then nothing is written, and nothing recalled."""
    try:
        means.gate.ready()
    except GateError as error:
        reason = error.details.get("reason", error.error_code)
        return [f"the gate's patterns cannot be used ({reason}): nothing is written or recalled; install learnt anew"]
    return []


def _uncleaned(means: Means) -> list[str]:
    failure = cleanup(means).failure
    return [f"the last compaction by itself failed: {failure}"] if failure else []


def _identity(means: Means) -> list[str]:
    if not means.identity.likeness:
        return []
    return [f"this folder looks like a known repository ({means.identity.likeness}): `learnt adopt` links them"]


def _derived(gaps: Mapping[str, int]) -> dict[str, int]:
    """Those gaps that a rebuild closes; rows that cannot be read are told of by themselves."""
    return {name: number for name, number in gaps.items() if name != "unreadable"}


def _counts(uncleared: int, held: int, described: Mapping[str, object], derived: Mapping[str, int]) -> list[str]:
    found = []
    if derived:
        told = ", ".join(f"{name} {number:,}" for name, number in derived.items())
        found.append(f"the store does not agree with its rows ({told}): `learnt doctor --repair`")
    if uncleared:
        found.append(f"{uncleared} memories wait for a scan by the present pattern set and are not injected")
    if held:
        found.append(f"{held} writes wait for a complete scan: `learnt pending`")
    unreadable = described.get("unreadable")
    if isinstance(unreadable, dict) and unreadable:
        found.append(f"{len(unreadable)} rows of the store could not be read")
    return found


def _flagged(flags: FlagCount) -> list[str]:
    if not flags.flags:
        return []
    word = "flag" if flags.flags == 1 else "flags"
    where = "1 memory" if flags.memories == 1 else f"{flags.memories:,} memories"
    return [f"{flags.flags:,} open {word} on {where}: `learnt flags` shows what readers say"]


def _stuck(backlog: Backlog) -> list[str]:
    """Jobs that do not get on by themselves."""
    found = []
    if dead := backlog.of("dead"):
        found.append(f"jobs that were given up: {dead} (`learnt jobs --status dead` says why)")
    if backlog.lost:
        found.append(f"jobs held by a worker that does not answer: {backlog.lost} (`learnt worker` takes over)")
    if backlog.due_since and to_epoch(backlog.now) - to_epoch(backlog.due_since) > _WAITED_S:
        found.append(f"jobs wait since {backlog.due_since} and no worker does them: `learnt worker`")
    return found


def _failing(learning: Phases) -> list[str]:
    """Why what sessions taught does not come: a failure that nobody sees is none that anybody mends."""
    words = {EXTRACT: "a session could not be learnt from", CONSOLIDATE: "the artifacts could not be made"}
    return [f"{words[job.kind]}: {job.error} (`learnt jobs --kind {job.kind}`)" for job in learning.faults[:2]]


def _age_s(means: Means, copy: CopyState | None) -> float | None:
    if copy is None or not copy.synced_at:
        return None
    return max(0.0, to_epoch(means.clock.now()) - to_epoch(copy.synced_at))


def _copied(copy: CopyState | None, age_s: float | None) -> list[str]:
    """What is wrong with the copy that hooks read."""
    if copy is None:
        return []
    found = []
    if copy.fault:
        found.append(f"the copy that hooks read could not be brought up to the store: {copy.fault}")
    if age_s is None:
        found.append("the copy that hooks read does not hold this repository yet")
    elif age_s > OLD_S:
        found.append(f"the copy that hooks read is {age_s / 3600:.0f} hours old")
    if copy.dropped:
        found.append(f"{copy.dropped} receipts of hooks were given up, because too many waited for the store")
    return found


def _unembedded(means: Means, vectors: Sequence[Generation]) -> list[str]:
    """What `learnt reembed` would do, where there is an embedder."""
    if isinstance(means.embedder, Absent):
        return []
    found = []
    if ready(means)["dense"] == STALE and means.store.memories.count(means.context.sight).get("active"):
        found.append("memories have no vectors of the present model and are found by words alone: `learnt reembed`")
    for each in vectors:
        if each.status != "retired" and each.missing:
            failed = f" ({each.failed} failed)" if each.failed else ""
            what = "memories" if each.target == "memory" else "pieces of evidence"
            found.append(f"{what} without a vector of {each.version}: {each.missing:,}{failed}: `learnt reembed`")
    return found


def adopt(means: Means, repository: str = "") -> str | Refusal:
    """Make this folder a known repository: a person says so, or names the one it looks like.

    Raises:
        NotFoundError: It looks like none, and none was named.
    """
    if refused := person_required(means, "adopt"):
        return refused
    wanted = repository or means.identity.likeness
    if not wanted:
        raise NotFoundError(
            "This folder looks like no known repository.",
            hint="Name one: `learnt adopt ID` (`learnt doctor` in it shows it).",
        )
    known = means.store.meta.alias(wanted) or wanted
    identify.adopt(means.store, means.place, known)
    now = means.clock.now()
    with means.store.transaction():
        means.store.events.append(means.event("adopt", known, now))
    return known


def enable(means: Means, rows: Mapping[str, str]) -> None:
    """Record what hooks may do here, and the repository's names, in one transaction."""
    with means.store.transaction():
        if means.copy is None:
            for key, value in rows.items():
                means.store.meta.put(key, value)
        means.name_place()
    if means.copy is not None:  # what hooks may do is this machine's own matter, not that of all who share the store
        means.copy.record(rows, {})
