"""A memory forgotten through every copy: shown first, then gone in one transaction, then kept away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError, RefusedError, UsageError
from learnt.flows import sweep
from learnt.flows.alike import Likeness
from learnt.flows.bar import bar, barred
from learnt.flows.decide import person_required
from learnt.flows.receipt import is_genuine, signed
from learnt.flows.reflect import purge
from learnt.flows.search import search
from learnt.flows.sweep import Gone, swept
from learnt.forget.closure import closure
from learnt.forget.digest import plain
from learnt.forget.requests import goes, marked, restored, struck
from learnt.forget.restatement import says_the_same
from learnt.model.filter import MOST_PAST, ProposalFilter
from learnt.model.forget import Closure, Elsewhere, Forgotten, kin_of
from learnt.model.search import SearchHit, SearchQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle

MAX_AT_ONCE = 1_000
_DEPTH = 50
_SPANS = {"transcript", "evidence"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """What is to go: memories with their closure, evidence and requests.

    Attributes:
        memories: Everything in `closure.deleted`, as it is. `refs`: evidence to blank.
        same: Memories and evidence that say the same, by id and reference.
    """

    closure: Closure
    memories: tuple[Memory, ...]
    refs: tuple[str, ...]
    same: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()


def forget(
    means: Means, ids: Sequence[str], *, reason: str = "", restatements: bool = False, dry_run: bool = False
) -> Forgotten | Refusal:
    """Forget memories, what was made of them, and what they rest on.

    Args:
        reason: For the event; left out where it repeats what is forgotten.
        restatements: Also what says the same in other words.

    Raises:
        NotFoundError: One of them is unknown here; nothing was forgotten.
        RefusedError: `forgotten`: one was forgotten before.
        UsageError: None, or more than 1,000.
    """
    if refused := person_required(means, "forget"):
        return refused
    if not ids or len(ids) > MAX_AT_ONCE:
        raise UsageError(f"Name 1 to {MAX_AT_ONCE} memories to forget.", code="ids")
    found = _restating(means, _named(means, ids)) if restatements else ((), ())
    if dry_run:
        return foreseen(means, doomed(means, ids, *found))
    now = means.clock.now()
    with means.store.transaction():
        going = doomed(means, ids, *found)
        done = removed(means, going, now, operation="forget", reason=reason)
        wide = any(memory.scope.type != "repository" for memory in going.memories)
        sweep.strike(means, gone_of(going), shared=wide)
    purge(means)
    left = sweep.purge(means, gone_of(going))
    return sweep.tidied(means, replace(done, elsewhere=(*done.elsewhere, *left)))


def _sayings(memories: Iterable[Memory]) -> Gone:
    return Gone(tuple(memory.text for memory in memories), frozenset())


def gone_of(going: Doomed, named: Callable[[str], bool] | None = None) -> Gone:
    """What is looked for in what sessions taught."""
    texts = (*(memory.text for memory in going.memories), *(each.text for each in going.proposals if each.text))
    gone = Gone(tuple(dict.fromkeys(texts)), frozenset(going.refs))
    return replace(gone, named=named) if named else gone


def doomed(means: Means, ids: Sequence[str], same: Sequence[str] = (), spans: Sequence[str] = ()) -> Doomed:
    """Everything that goes with some memories.

    Args:
        same: Other memories that are to go with them. `spans`: evidence that is to be blanked with them.
    """
    sight = means.context.sight
    targets = _named(means, tuple(dict.fromkeys((*ids, *same))))
    family = {kin.id: kin for kin in (*map(kin_of, targets), *means.store.erasure.linked(sight))}
    going = closure([memory.id for memory in targets], family)
    memories = means.store.memories.many(sight, going.deleted)
    refs = {each.ref for memory in memories for each in memory.evidence if each.type in _SPANS} | set(spans)
    return Doomed(
        closure=replace(going, deleted=tuple(memory.id for memory in memories)),
        memories=memories,
        refs=tuple(sorted(refs)),
        same=(*same, *spans),
        proposals=_requests(means, memories, refs, restated=bool(same or spans)),
    )


def removed(
    means: Means,
    going: Doomed,
    now: str,
    *,
    operation: str,
    reason: str = "",
    detail: Mapping[str, object] | None = None,
    named: Callable[[str], bool] | None = None,
) -> Forgotten:
    """Take all of it away, inside the caller's transaction, and tell of it in one event.

    Args:
        detail: What else the event tells. `named`: whether a text speaks of whoever is erased.
    """
    store, sight = means.store, means.context.sight
    gone = going.closure.deleted
    store.memories.remove(sight, gone)
    for memory in store.memories.many(sight, going.closure.restored):
        store.memories.put(restored(memory, now))
    others = store.memories.many(sight, store.erasure.citing(sight, going.refs))
    cited = [memory for memory in others if any(each.ref in going.refs for each in memory.evidence)]
    for memory in cited:
        store.memories.put(marked(memory, going.refs, now))
    withdrawn = store.erasure.withdraw(sight, [each.id for each in going.proposals])
    for proposal in store.erasure.speaking(sight, going.refs) if going.refs else ():
        store.proposals.put(struck(proposal, going.refs))
    elsewhere = _elsewhere(means, going)
    blanked = store.erasure.blank(sight, going.refs) if going.refs else ()
    swept(means, gone_of(going, named))
    store.erasure.relist(gone, lambda bundle: _without(means, bundle, gone))
    done = Forgotten(
        deleted=gone,
        restored=going.closure.restored,
        restatements=going.same,
        proposals=withdrawn,
        blanked=blanked,
        marked=tuple(memory.id for memory in cited),
        elsewhere=elsewhere,
        digests=_barred(means, going, now),
    )
    return replace(done, event=_tell(means, done, now, operation, _harmless(reason, going.memories), detail or {}))


def _named(means: Means, ids: Iterable[str]) -> tuple[Memory, ...]:
    wanted = tuple(ids)
    found = means.store.memories.many(means.context.sight, wanted)
    missing = [name for name in wanted if name not in {memory.id for memory in found}]
    if missing and (known := sorted(barred(means, (), missing))):
        raise RefusedError(f"{known[0]} was forgotten already.", code="forgotten", details={"forgotten": known})
    if missing:
        raise NotFoundError(
            f"There is no memory {missing[0]} here; nothing was forgotten.",
            hint=_instead(missing[0]),
            details={"unknown": missing},
        )
    return found


def _instead(name: str) -> str:
    """What takes away what is no memory."""
    if name.startswith("prop_"):
        return f"A proposal goes with `learnt decide {name} reject`."
    if name.startswith("session:"):
        return "Take the line out of MEMORY.md and accept what `learnt pending` says of it, or drop the session."
    return "`learnt list --status all` shows what there is."


def _restating(means: Means, memories: Sequence[Memory]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Memories and evidence that say what one of these says, by id and by reference."""
    mine = {memory.id for memory in memories}
    ids: dict[str, None] = {}
    refs: dict[str, None] = {}
    least = means.settings.lessons.supersede_threshold
    for memory in memories:
        hits = search(means, SearchQuery(text=memory.text[:2000], k=_DEPTH)).hits
        target = SearchHit(score=1.0, memory=memory)
        likeness = Likeness(means, (target, *hits))
        for hit in hits:
            if says_the_same(memory.text, _text(hit), likeness.between(target, hit), least_cosine=least):
                if hit.memory is not None and hit.memory.id not in mine:
                    ids[hit.memory.id] = None
                elif hit.unit is not None:
                    refs[hit.unit.ref] = None
    return tuple(ids), tuple(refs)


def _text(hit: SearchHit) -> str:
    return hit.memory.text if hit.memory is not None else hit.unit.text if hit.unit is not None else ""


def _requests(means: Means, memories: Sequence[Memory], refs: set[str], *, restated: bool) -> tuple[Proposal, ...]:
    """Proposals that go: they asked for one of these, speak of one, or say the same.

    Of what waits as an observation also what says it in nearly the same words: agents are told that as it is.
    """
    sight, gone = means.context.sight, {memory.id for memory in memories}
    said, says = {plain(memory.text) for memory in memories}, _sayings(memories).says
    wanted = ProposalFilter(observations_only=True, limit=MOST_PAST)
    told = {each.id for each in means.store.proposals.page(sight, wanted).values}
    named = {
        name
        for name, text in means.store.erasure.wordings(sight)
        if plain(text) in said or ((restated or name in told) and says(text))
    }
    speaking = means.store.erasure.speaking(sight, (*gone, *refs))
    asked = [each for each in speaking if goes(each, gone, refs)]
    others = [means.store.proposals.get(sight, name) for name in sorted(named - {each.id for each in asked})]
    return (*asked, *(each for each in others if each is not None))


def _without(means: Means, bundle: Bundle, gone: Sequence[str]) -> Bundle:
    """A receipt without these memories, sealed again where it was genuine."""
    pairs = [(name, score) for name, score in zip(bundle.memory_ids, bundle.scores, strict=True) if name not in gone]
    left = replace(bundle, memory_ids=tuple(name for name, _ in pairs), scores=tuple(score for _, score in pairs))
    return signed(means, left) if bundle.signature and is_genuine(means, bundle) else left


def _barred(means: Means, going: Doomed, now: str) -> int:
    names = (*going.refs, *going.closure.deleted, *(proposal.id for proposal in going.proposals))
    units = means.store.evidence.units(means.context.sight, going.refs) if going.refs else ()
    count, says = 0, _sayings(going.memories).says
    owners = [*(each.scope for each in going.memories), *(each.scope for each in units)]
    for scope in dict.fromkeys((*owners, *(each.scope for each in going.proposals))):
        texts = [memory.text for memory in going.memories if memory.scope == scope]
        texts += [each.text for each in going.proposals if each.scope == scope and says(each.text)]
        count += bar(means, scope, texts, names, now)
    return count


def _elsewhere(means: Means, going: Doomed) -> tuple[Elsewhere, ...]:
    """Copies that are not ours: the hosts' own transcripts, and exports that a person took somewhere."""
    units = means.store.evidence.units(means.context.sight, going.refs) if going.refs else ()
    paths = sorted({unit.path for unit in units if unit.path})
    hint = "The host keeps this transcript; remove it there."
    given = "Remove this export, or write it anew."
    exports = (Elsewhere(type="export", place=path, hint=given) for path in means.attic.exports())
    transcripts = (Elsewhere(type="transcript", place=path, hint=hint) for path in paths)
    return (*transcripts, *exports, *sweep.unsearched(means))


def _harmless(reason: str, memories: Sequence[Memory]) -> str:
    """The reason, unless it repeats what is to be gone."""
    said = plain(reason)
    return "" if any(said and (said in plain(each.text) or plain(each.text) in said) for each in memories) else reason


def _tell(means: Means, done: Forgotten, now: str, operation: str, reason: str, more: Mapping[str, object]) -> str:
    detail = {
        **more,
        "deleted": list(done.deleted),
        "restored": list(done.restored),
        "proposals": len(done.proposals),
        "evidence": len(done.blanked),
        "marked": list(done.marked),
        "digests": done.digests,
    }
    target = done.deleted[0] if done.deleted else operation
    event = means.event(operation, target, now, detail, means.gate.redact(reason))
    means.name_place()
    means.store.events.append(event)
    return event.id


def foreseen(means: Means, going: Doomed) -> Forgotten:
    """What would go."""
    sight = means.context.sight
    cited = set(means.store.erasure.citing(sight, going.refs)) if going.refs else set()
    return Forgotten(
        deleted=going.closure.deleted,
        restored=going.closure.restored,
        restatements=going.same,
        proposals=tuple(each.id for each in going.proposals),
        blanked=going.refs,
        marked=tuple(sorted(cited - set(going.closure.deleted))),
        elsewhere=_elsewhere(means, going),
        dry_run=True,
    )
