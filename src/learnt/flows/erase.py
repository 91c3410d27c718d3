"""A person, or a whole repository, erased: shown first, then gone in one transaction, proved by one event."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from learnt.errors import ArtifactError, NotFoundError, StoreError, UsageError
from learnt.flows import sweep
from learnt.flows.artifacts import Binder
from learnt.flows.asked import asked
from learnt.flows.decide import person_required
from learnt.flows.forget import doomed, foreseen, gone_of, removed
from learnt.flows.outlets import withdraw
from learnt.flows.reflect import purge
from learnt.forget.person import asked_by, person, share_of, without
from learnt.model.evidence import is_persons
from learnt.model.forget import Ended, Erased, Forgotten
from learnt.model.keys import keyed_hash
from learnt.model.memory import Memory
from learnt.model.proposal import Proposal
from learnt.model.scope import Sight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.forget import Doomed
    from learnt.flows.means import Means
    from learnt.forget.person import Person
    from learnt.model.answer import Refusal
    from learnt.model.cargo import Chapter
    from learnt.model.forget import Elsewhere

T = TypeVar("T")

_STRETCH = 500


class _Back(Exception):  # noqa: N818 - no error: a dry run leaves its transaction by it
    """What was done is undone."""


def erase_person(
    means: Means, name: str, *, also: Sequence[str] = (), reason: str = "", dry_run: bool = False
) -> Erased | Refusal:
    """Erase what a person wrote, what was said to them, and what is about them, in every repository of the store.

    A memory that others stand for too lives on without them.

    Args:
        name: An id (`person:ID`) or a name. `also`: other names and addresses of theirs.

    Raises:
        UsageError: No name.
    """
    if refused := person_required(means, "erase"):
        return refused
    if not name.strip():
        raise UsageError("Name the person to erase.", code="person")
    everywhere = _everywhere(means)
    who = person(name.strip(), also)
    if dry_run:
        going, mine, _ = _of_person(everywhere, who)
        return Erased(forgotten=foreseen(everywhere, going), kept=tuple(memory.id for memory in mine))
    now = everywhere.clock.now()
    with everywhere.store.transaction():
        going, mine, writers = _of_person(everywhere, who)
        for memory in mine:
            everywhere.store.memories.put(without(memory, who, now))
        unsaid = everywhere.store.leavers.unsay(everywhere.context.sight, writers)
        detail = {"of": "person", "who": keyed_hash(means.key, name), "kept": len(mine), "unsaid": unsaid}
        if _is_nothing(going, mine):
            done = foreseen(everywhere, going)
            sweep.swept(everywhere, gone_of(going, who.is_named_in))
        else:
            done = removed(
                everywhere, going, now, operation="erase", reason=reason, detail=detail, named=who.is_named_in
            )
        sweep.strike(means, gone_of(going, who.is_named_in), shared=True, everywhere=True)
    done = _swept(everywhere, going, done, who)
    return Erased(forgotten=done, kept=tuple(memory.id for memory in mine), unsaid=unsaid)


def erase_repository(means: Means, name: str, *, reason: str = "", dry_run: bool = False) -> Ended | Refusal:
    """End a repository: everything of it and of its runs and agents goes; what was forgotten before stays away.

    Args:
        name: Its id, its address, its folder, or `.` for this one.

    Raises:
        NotFoundError: Nothing is known of it.
    """
    if refused := person_required(means, "erase"):
        return refused
    repository = _repository(means, name)
    scopes = means.store.leavers.scopes(repository)
    if not scopes:
        raise NotFoundError("Nothing is known of this repository.", hint="`learnt status` shows the one you are in.")
    counts: dict[str, int] = {}
    event = ""
    elsewhere: tuple[Elsewhere, ...] = ()
    given = asked(means, repository)
    with suppress(_Back), means.store.transaction():
        counts = dict(means.store.leavers.end(Sight(scopes)))
        if dry_run:
            raise _Back
        told = means.event(
            "erase", repository, means.clock.now(), {"of": "repository", **counts}, means.gate.redact(reason)
        )
        means.store.events.append(told)
        event = told.id
        means.attic.clear((), shared=True)  # files before the rows are gone: whoever dies here can erase once more
        means.attic.end(repository)
        elsewhere = (*sweep.left(withdraw(means, given)), *_emptied(means, repository))
    if not dry_run:
        purge(means)
        _emptied(means, repository)  # what a worker was about to write
        with suppress(StoreError):  # it is gone all the same; its free space is cleared with the next compaction
            means.store.upkeep.shrink(whole=False)
    return Ended(repository=repository, removed=counts, elsewhere=elsewhere, event=event, dry_run=dry_run)


def _emptied(means: Means, repository: str) -> tuple[Elsewhere, ...]:
    """Empty the folder of its files; gives what is not searched, and what cannot be taken away: the rows are gone."""
    found = sweep.unsearched(means)
    try:
        if means.artifacts is not None:
            Binder(means.artifacts, repository).clear()
    except ArtifactError as error:
        return found if means.attic.links() else (*found, *sweep.left([error.message]))
    return found


def _repository(means: Means, name: str) -> str:
    """The id that a name means."""
    here = means.identity.repository_id
    if name in {".", here, means.place.value, means.place.root}:
        return here
    return means.store.meta.alias(name) or name


def _everywhere(means: Means) -> Means:
    """The same means with every scope of the store in sight, this repository's first."""
    scopes = dict.fromkeys((*means.context.scopes, *means.store.leavers.scopes("")))
    return replace(means, context=replace(means.context, scopes=tuple(scopes)))


def _of_person(means: Means, who: Person) -> tuple[Doomed, tuple[Memory, ...], tuple[str, ...]]:
    """What goes with a person, the memories that live on without them, and who they are as a writer."""
    shares = [(memory, share_of(memory, who)) for memory in _all(means, "memories", Memory)]
    whole = [memory.id for memory, share in shares if share == "whole"]
    asked = [each for each in _all(means, "proposals", Proposal) if asked_by(each, who)]
    going = doomed(means, whole, (), _spoken(means, who)) if whole or asked or who.names else doomed(means, ())
    known = {each.id for each in going.proposals}
    more = tuple(each for each in asked if each.id not in known)
    left = tuple(memory for memory, share in shares if share == "part" and memory.id not in going.closure.deleted)
    return replace(going, proposals=(*going.proposals, *more)), left, tuple(sorted(who.writers))


def _spoken(means: Means, who: Person) -> tuple[str, ...]:
    """Evidence they said, what was answered to it, and evidence that names them; by reference."""
    sight = means.context.sight
    said = [
        unit
        for unit in means.store.leavers.said(sight, (*who.writers, *who.names))
        if unit.who in who.writers or unit.who.casefold() in who.names or who.is_named_in(unit.text)
    ]
    mine = [unit.id for unit in said if unit.who in who.writers or unit.who.casefold() in who.names]
    after = [name for _, name in means.store.evidence.beside(sight, mine).values() if name] if mine else []
    answers = [each for each in means.store.evidence.units(sight, after) if not is_persons(each.type, each.who)]
    return tuple(dict.fromkeys(unit.ref for unit in (*said, *answers)))


def _all(means: Means, chapter: Chapter, of: type[T]) -> Iterator[T]:
    """Every row in sight of a chapter."""
    after = ""
    while True:
        load = means.store.cargo.within(means.context.sight, chapter, after, _STRETCH)
        yield from (each for each in load.values if isinstance(each, of))
        if not load.after:
            return
        after = load.after


def _is_nothing(going: Doomed, mine: Sequence[Memory]) -> bool:
    return not (going.memories or going.refs or going.proposals or mine)


def _swept(means: Means, going: Doomed, done: Forgotten, who: Person) -> Forgotten:
    purge(means)
    left = sweep.purge(means, gone_of(going, who.is_named_in), everywhere=True)
    return sweep.tidied(means, replace(done, elsewhere=(*done.elsewhere, *left)))
