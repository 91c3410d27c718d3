"""Phase 2: what all sessions of a repository come to, in files and in the text that a session is told at its start.

Made from rows: chosen extractions, active memories, observations. A model or the offline writer composes; every line
passes the gate again, and nothing that was forgotten stands in it, for the rows hold it no more. Files are made ready
beside their places, and take them in the transaction that writes the rows, while the lease is held: who lost it, or
made them of what was forgotten since, changes none. Whoever takes over from a process that died writes the same bytes.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.distil.compose import compose
from learnt.distil.material import consolidation_task
from learnt.distil.names import SUMMARY
from learnt.distil.render import artifacts
from learnt.distil.schema import Unusable, composed
from learnt.distil.written import judged as composition
from learnt.errors import ProviderError, StoreBusyError
from learnt.flows import outlets
from learnt.flows.artifacts import Filed, Note, binder_of
from learnt.flows.gather import gathered, stands
from learnt.flows.offer import offer
from learnt.flows.phases import writer
from learnt.flows.rescan import rescan
from learnt.flows.threads import here
from learnt.gate.clearance import PATTERN_SET
from learnt.jobs.select import prunable
from learnt.model.extraction import OFFLINE, Playbook
from learnt.model.instant import plus_days
from learnt.model.keys import sha256_hex
from learnt.model.thread import Summary
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from learnt.flows.artifacts import Binder
    from learnt.flows.gather import Inputs
    from learnt.flows.means import Means
    from learnt.model.extraction import Entry, Skill
    from learnt.ports.writer import Writer

SUMMARY_DAYS: Final = 30
"""How long a text stays that running sessions were given."""
_AGAIN: Final = 5
"""How often it begins anew because something was forgotten meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What a consolidation came to.

    Attributes:
        taken: `source_updated_at` by session, as they were read.
        dropped: Lines of a model that were not kept, by reason.
        kept: Where copies of files lie that a person had changed. `proposals`: what was offered of those
            changes, and of such in a file of somebody else's that a region of ours is kept in.
        faults: Why files of somebody else's, which a person asked for, could not be brought up to date.
        pruned: Sessions whose extractions left.
    """

    writer: str = OFFLINE
    taken: Mapping[str, str] = field(default_factory=dict)
    entries: int = 0
    skills: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()
    summary_tokens: int = 0
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """The files as they are to be, and what is told of them."""

    writer: str
    files: Mapping[str, str]
    skills: tuple[str, ...]
    note: Note
    dropped: Mapping[str, int] = field(default_factory=dict)


def _nothing() -> None:
    """Nobody guards what is written."""


def consolidate(
    means: Means,
    *,
    hold: Callable[[], None] = _nothing,
    going: Callable[[], bool] = lambda: True,
    offline: bool = False,
) -> Consolidated:
    """Make a repository's files and its summary anew.

    Args:
        means: Of the repository.
        hold: Stands first in each transaction that writes. `going`: whether the work is still ours.
        offline: Ask no model, whatever is enabled: it cannot wait for one.

    Raises:
        ProviderError: The model did not answer, or not with what was asked for; nothing was changed.
        ArtifactError: A file cannot be written.
    """
    rescan(means)  # after an upgrade nothing is cleared, and nothing would stand anywhere until it is
    for _ in range(_AGAIN):
        now = means.clock.now()  # before anything is read: what is written from here on is newer than the artifacts
        done = _once(means, gathered(means), now, hold, offline=offline)
        if done is not None:
            return _renewed(means, done) if going() else done
        offline = True  # what was forgotten does not wait for a model
    raise StoreBusyError


def _renewed(means: Means, done: Consolidated) -> Consolidated:
    """With what became of the files beside the artifacts."""
    beside = outlets.renew(means)
    return replace(done, faults=beside.faults, proposals=(*done.proposals, *beside.proposals))


def _once(means: Means, inputs: Inputs, now: str, hold: Callable[[], None], *, offline: bool) -> Consolidated | None:
    """One run; None when something it was made from was forgotten before it was done."""
    model = None if offline or not inputs.extractions else writer(means, "consolidation")
    binder = binder_of(means)
    draft = _draft(means, inputs, model, binder)
    proposals = offer(means, binder.touched()) if binder else ()
    ready = binder.ready(draft.files, now, draft.note) if binder else nullcontext(Filed)
    with ready as finish, means.store.transaction():
        if not stands(means, inputs):  # first the repository is locked, then the job: whoever asks for one does so too
            return None
        hold()  # whoever lost the lease changes no file and no row
        filed = finish()
        pruned = _kept(means, inputs, draft.files.get(SUMMARY, ""), now)
    return _told(draft, inputs, filed, proposals, pruned)


def _draft(means: Means, inputs: Inputs, model: Writer | None, binder: Binder | None) -> _Draft:
    """What the files are to be; as they are, where a model made them of the same and nobody changed one."""
    of = _digest(means, inputs, model) if model and binder else ""
    if model and binder and of and (held := binder.made(of)):
        return _Draft(writer=model.name, files=held[0], skills=binder.skills(), note=held[1])
    playbook, dropped = _composed(inputs, model)
    playbook = _harmless(means, playbook)
    return _Draft(
        writer=playbook.writer,
        files=_files(means, playbook, inputs),
        skills=tuple(each.name for each in playbook.skills),
        dropped=dropped,
        note=Note(of=of, entries=len(playbook.entries)),
    )


def _digest(means: Means, inputs: Inputs, model: Writer) -> str:
    """Of everything a model is given, and everything its answer is held against."""
    rest = (inputs.memories, inputs.observations)
    task = consolidation_task(inputs.extractions, *rest, context_tokens=model.context_tokens)
    plain = compose(inputs.extractions, *rest, inputs.rejected)
    told = (model.name, PATTERN_SET, task.system, task.material, inputs.rejected, _files(means, plain, inputs))
    return sha256_hex(json.dumps(told, sort_keys=True))


def _composed(inputs: Inputs, model: Writer | None) -> tuple[Playbook, Mapping[str, int]]:
    rest = (inputs.memories, inputs.observations)
    if model is None:
        return compose(inputs.extractions, *rest, inputs.rejected), {}
    task = consolidation_task(inputs.extractions, *rest, context_tokens=model.context_tokens)
    answer = composed(model.write(task).value)
    if isinstance(answer, Unusable):
        raise ProviderError("The model did not answer in the form asked for.", details={"reason": answer.reason})
    made = composition(answer, inputs.extractions, *rest, inputs.rejected, writer=model.name)
    if isinstance(made, Unusable):
        raise ProviderError("The model named none of what it was given.", details={"reason": made.reason})
    return made.playbook, made.dropped


def _harmless(means: Means, playbook: Playbook) -> Playbook:
    """The playbook without lines that hold a secret or would instruct; an active memory passed the gate before."""
    return replace(
        playbook,
        entries=tuple(each for each in playbook.entries if _passes(means, each)),
        summary=tuple(each for each in playbook.summary if _passes(means, each)),
        skills=tuple(each for each in playbook.skills if _is_safe(means, each)),
    )


def _passes(means: Means, entry: Entry) -> bool:
    if entry.standing == "active":
        return True
    return means.gate.scan((Passage(field="text", text=entry.text), *_named(entry.refs))).outcome == "allow"


def _is_safe(means: Means, skill: Skill) -> bool:
    told = (skill.name, skill.description, skill.body, *skill.files, *skill.files.values())
    return means.gate.scan([Passage(field="skill", text=text) for text in told]).outcome == "allow"


def _named(refs: Iterable[str]) -> Iterator[Passage]:
    return (Passage(field="evidenceRefs", text=ref) for ref in refs)


def _files(means: Means, playbook: Playbook, inputs: Inputs) -> dict[str, str]:
    """Every file; none at all where there is nothing to tell. Secrets are looked for once more in what is written."""
    if inputs.is_empty:
        return {}
    made = artifacts(playbook, inputs.extractions, summary_tokens=means.settings.sessions.summary_tokens)
    return {name: means.gate.redact(text) for name, text in made.items()}


def _kept(means: Means, inputs: Inputs, summary: str, now: str) -> tuple[str, ...]:
    """The rows: what starting sessions are told, what was taken, and what leaves; gives the last."""
    store, sight, wanted = means.store, here(means), means.settings.sessions
    sure = now if "queue" in store.lacks else min(now, store.queue.backlog().now)  # a clock set forward removes nothing
    if summary:
        scope_key, digest = means.context.sight.one("repository").key, sha256_hex(summary)
        store.summaries.put(
            Summary(scope_key=scope_key, digest=digest, text=summary, clearance=PATTERN_SET, made_at=now)
        )
        store.summaries.prune(sight, plus_days(sure, -SUMMARY_DAYS))
    else:
        store.summaries.clear(sight)
    store.extractions.select(sight, inputs.taken)
    ranks = [each for each in store.extractions.ranks(sight) if each.session_id in inputs.seen]  # others come next time
    stale = prunable(ranks, max_unused_days=wanted.max_unused_days, now=sure)
    gone = store.extractions.remove(sight, stale) if stale else ()
    means.name_place()
    detail = {"sessions": len(inputs.taken), "memories": len(inputs.memories), "pruned": len(gone)}
    store.events.append(means.event("session_memory", means.identity.repository_id, now, detail))
    return gone


def _told(
    draft: _Draft,
    inputs: Inputs,
    filed: Filed,
    proposals: tuple[str, ...],
    pruned: tuple[str, ...],
) -> Consolidated:
    return Consolidated(
        writer=draft.writer,
        taken=inputs.taken,
        entries=draft.note.entries,
        skills=draft.skills,
        dropped=draft.dropped,
        written=filed.written,
        removed=filed.removed,
        kept=filed.kept,
        proposals=proposals,
        pruned=pruned,
        summary_tokens=-(-len(draft.files.get(SUMMARY, "")) // 4),
    )
