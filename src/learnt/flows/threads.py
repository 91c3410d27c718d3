"""The registry of sessions: filled by whoever reads one, asked by whoever learns from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import NotFoundError
from learnt.flows.decide import person_required
from learnt.flows.phases import ask
from learnt.flows.reading import sought
from learnt.jobs.eligible import Terms, eligible, is_own
from learnt.model.filter import MOST_PAST, ProposalFilter
from learnt.model.scope import Sight, scope_of
from learnt.model.thread import Thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.means import Means
    from learnt.jobs.eligible import Verdict
    from learnt.model.answer import Refusal
    from learnt.model.evidence import SessionRecord
    from learnt.model.proposal import Proposal
    from learnt.model.thread import ThreadMode, ThreadSource

APPS: Final = frozenset({"cursor", "cline", "roo", "specstory"})
"""Hosts that are editors, or parts of one."""
_ASIDE: Final = "its session is not learnt from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """What became of a session: whether it is learnt from, and whether the artifacts are made anew without it."""

    thread: Thread
    mode: ThreadMode | None
    consolidates: bool


def thread_of(record: SessionRecord, *, subagent: bool = False, external: bool = False) -> Thread:
    """A session as the registry has it.

    Args:
        subagent: Whether another session started it. `external`: whether it is set aside for what it looked up.
    """
    source: ThreadSource = "app" if record.host in APPS else "cli"
    source = "own" if is_own(record.cwd) else "subagent" if subagent else source
    return Thread(
        id=record.id,
        scope_key=record.scope.key,
        session_id=record.session_id,
        updated_at=min(record.ended_at or record.read_at, record.read_at),  # a clock that was ahead is not believed
        path=str(Path(record.path).absolute()),  # a worker stands elsewhere
        cwd=record.cwd,
        host=record.host,
        source=source,
        mode="polluted" if external else "enabled",
    )


def register(means: Means, record: SessionRecord, *, subagent: bool = False, external: bool = False) -> None:
    """Write a session down that was read, inside the caller's transaction."""
    thread, sight = thread_of(record, subagent=subagent, external=external), Sight((record.scope,))
    means.store.threads.put(thread)
    held = means.store.threads.get(sight, thread.id)
    mode: ThreadMode = "polluted" if external else held.mode if held else "enabled"
    if mode != "enabled":  # what it shows from here on is set aside, too
        marked(means, sight, thread, mode)


def verdicts(
    means: Means, *, waits: Callable[[Thread], bool] = lambda _: False, running: int = 0, hurried: bool = False
) -> tuple[Verdict, ...]:
    """What is to become of the newest sessions of this repository; the present one is left out.

    Args:
        waits: Whether a session's job has its turn later, or had it. `running`: how many are being read.
        hurried: A person wants all of them now: neither age nor idleness nor the cap counts.
    """
    wanted = means.settings.sessions
    terms = Terms(
        now=means.clock.now(),
        max_age_days=None if hurried else wanted.max_age_days,
        min_idle_hours=0 if hurried else wanted.min_idle_hours,
        scan_limit=MOST_PAST if hurried else wanted.scan_limit,
        most=MOST_PAST if hurried else wanted.max_per_start,
        running=0 if hurried else running,
    )
    threads = means.store.threads.latest(here(means), terms.scan_limit)
    mine = {means.context.session_id} - {""}
    return eligible(
        threads, terms, live=lambda each: means.transcripts.live(each.session_id), waits=waits, excluded=mine
    )


def here(means: Means) -> Sight:
    """The repository alone: what its sessions taught is nobody else's."""
    return Sight((means.context.sight.one("repository"),))


def mark(means: Means, name: str, mode: ThreadMode) -> Marked | Refusal:
    """Say whether a session is learnt from. One that is not, and was, is consolidated away.

    Args:
        name: Its id, or the host's.

    Raises:
        NotFoundError: Unknown here.
    """
    if refused := person_required(means, "memory mark"):
        return refused
    thread = _found(means, name)
    with means.store.transaction():
        consolidates = marked(means, here(means), thread, mode)
        means.name_place()
        means.store.events.append(means.event("session_mode", thread.id, means.clock.now(), {"mode": mode}))
    return Marked(thread=replace(thread, mode=mode), mode=mode, consolidates=consolidates)


def marked(means: Means, sight: Sight, thread: Thread, mode: ThreadMode) -> bool:
    """Set a session's mode inside the caller's transaction; whether the artifacts are to be made anew.

    Each time it is set aside while they hold something of it, they are asked for again. Source: codex, pollution.
    """
    means.store.threads.mark(sight, thread.id, mode)
    held = means.store.extractions.get(sight, thread.id)
    changes = held is not None and (mode == "enabled" or held.selected_source is not None)
    changes = bool(_observations(means, sight, thread, mode)) or changes
    if changes:
        ask(means, scope_of(thread.scope_key), thread.updated_at, now=True)
    return changes


def _observations(means: Means, sight: Sight, thread: Thread, mode: ThreadMode) -> int:
    """Take back what only sessions showed that are set aside, or let it wait again; gives how many proposals."""
    changed = _waiting_again(means, sight, thread) if mode == "enabled" else _taken_back(means, sight, thread)
    for each in changed:
        means.store.proposals.put(each)
    return len(changed)


def _taken_back(means: Means, sight: Sight, thread: Thread) -> list[Proposal]:
    wanted = ProposalFilter(observations_only=True, limit=MOST_PAST)
    found = [each for each in means.store.proposals.page(sight, wanted).values if _rests_on(each, thread)]
    alone = [each for each in found if all(_is_aside(means, sight, ref.ref) for ref in each.evidence)]
    out: dict[str, Any] = {"status": "rejected", "reviewer": "auto_policy", "rejection_reason": _ASIDE}
    return [replace(each, **out, reviewed_at=means.clock.now()) for each in alone]


def _waiting_again(means: Means, sight: Sight, thread: Thread) -> list[Proposal]:
    """The latest of each statement, unless the same waits already: the session was given anew meanwhile."""
    wanted = ProposalFilter(statuses=("rejected", "pending"), newest_first=True, limit=MOST_PAST)
    found = [each for each in means.store.proposals.page(sight, wanted).values if each.observation]
    waiting = {each.text for each in found if each.status == "pending"}
    back: dict[str, Proposal] = {}
    for each in found:
        if each.rejection_reason == _ASIDE and each.text not in waiting and _rests_on(each, thread):
            back.setdefault(each.text, each)
    none: dict[str, Any] = {"reviewer": None, "reviewed_at": None, "rejection_reason": ""}
    return [replace(each, status="pending", **none) for each in back.values()]


def _rests_on(proposal: Proposal, thread: Thread) -> bool:
    return any(each.ref.startswith(f"session:{thread.session_id}#") for each in proposal.evidence)


def _is_aside(means: Means, sight: Sight, ref: str) -> bool:
    """Whether a reference leads into a session that is not learnt from."""
    record = means.store.archive.session(sight, ref.removeprefix("session:").rpartition("#")[0])
    if record is None:
        return False
    held = means.store.threads.get(sight, record.id)
    return held.mode != "enabled" if held else bool(record.cleared)


def drop(means: Means, name: str) -> Marked | Refusal:
    """Take a session off the registry with what it taught; if a consolidation took it, the next one is asked for.

    It counts as read: only what is new in it, or a person who gives it anew, brings it back.

    Raises:
        NotFoundError: Unknown here.
    """
    if refused := person_required(means, "memory drop"):
        return refused
    thread = _found(means, name)
    with means.store.transaction():
        held = means.store.extractions.get(here(means), thread.id)
        means.store.threads.remove(here(means), [thread.id])
        if record := means.store.archive.session(here(means), thread.id):  # else whoever looks for sessions finds it
            means.store.archive.put_session(replace(record, cleared=record.number))
        taken_back = _observations(means, here(means), thread, "disabled")
        consolidates = bool(taken_back) or (held is not None and held.selected_source is not None)
        if consolidates:
            ask(means, scope_of(thread.scope_key), thread.updated_at, now=True)
        means.name_place()
        means.store.events.append(means.event("session_dropped", thread.id, means.clock.now()))
    return Marked(thread=thread, mode=None, consolidates=consolidates)


def _found(means: Means, name: str) -> Thread:
    record = sought(means, here(means), name)
    thread = means.store.threads.get(here(means), record.id if record else name)
    if thread is None:
        raise NotFoundError(
            f"There is no session {name[:80]} here.", hint="`learnt sessions list` shows what was read."
        )
    return thread
