"""What was forgotten leaves what sessions taught, too: facts that say it or rest on it, and every file made of them.

Rows go in the transaction that forgets; files right after it, made anew from the rows by the offline writer, because
nobody waits for a model while what was forgotten still stands somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.distil.synopsis import sentences
from learnt.errors import LearntError, StoreError
from learnt.flows import learned, outlets
from learnt.flows.artifacts import EDITED, PROJECTS, Binder, binder_of
from learnt.flows.bar import bar
from learnt.flows.offer import offer
from learnt.flows.phases import ask
from learnt.forget.digest import plain
from learnt.forget.restatement import says_the_same
from learnt.model.forget import Elsewhere, Forgotten
from learnt.model.scope import Sight

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from learnt.flows.means import Means
    from learnt.model.extraction import Extraction, Fact
    from learnt.ports.outlets import Drawn

_STRETCH: Final = 200
_SHOWN_CHARS: Final = 300
"""Letters of a long text that are looked for in files: its lines there are cut."""


@dataclass(frozen=True, slots=True)
class Gone:
    """What was forgotten: texts, references of evidence, and whoever is spoken of."""

    texts: tuple[str, ...]
    refs: frozenset[str]
    named: Callable[[str], bool] = lambda _: False

    def says(self, text: str) -> bool:
        """Whether a statement is one of these, in the same or in nearly the same words, or speaks of them."""
        return self.named(text) or any(says_the_same(each, text) for each in self.texts)

    def stands_in(self, text: str) -> bool:
        """Whether a file holds one of these."""
        held = plain(text.replace("&lt;", "<").replace("--&gt;", "-->"))
        said = (plain(each)[:_SHOWN_CHARS] for each in self.texts)
        return self.named(text) or any(each and each in held for each in said)


def swept(means: Means, gone: Gone) -> int:
    """Take what was forgotten out of the rows in sight, inside the caller's transaction; gives how many facts went.

    What starting sessions are told goes whole, and is asked for anew. The very words that went are kept away, too: a
    session that goes on is read whole again.
    """
    count, now = 0, means.clock.now()
    for scope in (each for each in means.context.sight if each.type == "repository"):
        sight = Sight((scope,))
        facts, told = _facts_swept(means, gone, sight)
        bar(means, scope, told, (), now)
        if means.store.summaries.clear(sight) or facts:
            ask(means, scope, now, now=True)
        count += facts
    return count


def _facts_swept(means: Means, gone: Gone, sight: Sight) -> tuple[int, dict[str, None]]:
    """How many facts went, and what was said in what went."""
    names, count = [each.session_id for each in means.store.extractions.ranks(sight)], 0
    told: dict[str, None] = {}
    for begin in range(0, len(names), _STRETCH):
        for held in means.store.extractions.many(sight, names[begin : begin + _STRETCH]):
            left = _without(means, gone, held, sight)
            if left == held:
                continue
            count += len(held.facts) - len(left.facts)
            told.update((each, None) for each in _told(held, left, gone))
            if left.facts:
                means.store.extractions.put(left)
            else:
                means.store.extractions.remove(sight, [held.session_id])
    return count, told


def _told(held: Extraction, left: Extraction, gone: Gone) -> Iterator[str]:
    """The texts of facts that went, and the sentences that say it."""
    for fact in (each for each in held.facts if each not in left.facts):
        yield fact.text
        yield from (text for quote in fact.quotes for text in sentences(quote.text) if gone.says(text))
    yield from (text for text in sentences(held.summary) if gone.says(text) or gone.stands_in(text))


def _without(means: Means, gone: Gone, held: Extraction, sight: Sight) -> Extraction:
    thread = means.store.threads.get(sight, held.session_id)
    owner = thread.session_id if thread and thread.session_id else held.session_id
    facts = tuple(fact for fact in held.facts if not _is_gone(fact, gone, owner))
    spoils = len(facts) < len(held.facts) or gone.stands_in(held.summary) or gone.says(held.summary)
    if not spoils:
        return held
    dropped = {**held.dropped, "forgotten": held.dropped.get("forgotten", 0) + len(held.facts) - len(facts)}
    return replace(held, facts=facts, summary="", slug=None, dropped=dropped)


def _is_gone(fact: Fact, gone: Gone, session_id: str) -> bool:
    if any(f"session:{session_id}#{quote.record}" in gone.refs for quote in fact.quotes):
        return True
    return any(gone.says(text) for text in (fact.text, *(quote.text for quote in fact.quotes)))


def tidied(means: Means, done: Forgotten) -> Forgotten:
    """`done`, after the store let go of its free space; where that fails it is gone all the same, and this is told."""
    try:
        means.store.upkeep.shrink(whole=False)
    except StoreError as error:
        left = Elsewhere(type="free space", place=error.error_code, hint="`learnt compact --confirm` clears it.")
        return replace(done, elsewhere=(*done.elsewhere, left))
    return done


def strike(means: Means, gone: Gone, *, shared: bool, everywhere: bool = False) -> None:
    """Take what was forgotten out of copies that nobody makes anew now, before the transaction that forgets is over.

    Whoever dies in between then leaves none behind, and where one cannot be changed nothing is forgotten yet: after it
    nobody knows the texts any more, so doing it once more would not find them.

    Args:
        shared: It was not of one repository alone. `everywhere`: look at the files of every repository.

    Raises:
        StoreError, ArtifactError: One cannot be changed.
    """
    means.attic.clear(gone.texts, shared=shared)
    if means.artifacts is None:
        return
    Binder(means.artifacts, means.identity.repository_id).blot(gone.stands_in, (), EDITED)
    if everywhere:
        _blotted(means, gone)


def purge(means: Means, gone: Gone, *, everywhere: bool = False) -> tuple[Elsewhere, ...]:
    """Take what was forgotten out of the files, and make this repository's anew from the rows.

    What else a person changed in a file that goes is offered as a proposal first. Gives what stays in files of others.

    Args:
        everywhere: Also the files of every other repository on this machine; its next consolidation makes them anew.

    Raises:
        ArtifactError: What was forgotten is still in a file.
    """
    binder = binder_of(means)
    if binder is None or means.artifacts is None:
        return ()
    learned.drop(means, gone.stands_in)
    offer(means, binder.touched())
    has_artifacts = not binder.is_empty()
    try:
        binder.blot(gone.stands_in, _LINES)  # there may be copies of what a person changed without any artifacts
    finally:
        if has_artifacts:
            _again(means)
        drawn = outlets.renew(means)
    faults = _blotted(means, gone) if everywhere else ()  # what another process wrote meanwhile
    return left((*drawn.faults, *faults), drawn.drawn)


def _blotted(means: Means, gone: Gone) -> tuple[str, ...]:
    """Take it out of the files of all other repositories; gives why some of others could not be changed."""
    faults: list[str] = []
    for other in _others(means):
        if means.artifacts is not None:
            Binder(means.artifacts, other).blot(gone.stands_in, ())
        faults += outlets.blot(means, other, gone.stands_in)
    return tuple(faults)


def unsearched(means: Means) -> tuple[Elsewhere, ...]:
    """Symbolic links among the files, what they lead to is somebody else's; and files on others' machines."""
    hint = "A symbolic link: what it leads to was not searched; look there."
    links = tuple(Elsewhere(type="link", place=path, hint=hint) for path in means.attic.links())
    return (*links, _AWAY) if means.served else links


_AWAY: Final = Elsewhere(
    type="machine",
    place="others that use this store",
    hint="MEMORY.md and what else was made there follows with `learnt memory rebuild` there.",
)


def left(faults: Iterable[str], drawn: Iterable[Drawn] = ()) -> tuple[Elsewhere, ...]:
    """Parts of ours that are still in files of others."""
    stays = (Elsewhere(type="file", place=each.path, hint=_CHANGED) for each in drawn)
    return (*stays, *(Elsewhere(type="file", place=each, hint="Look there.") for each in faults))


_CHANGED: Final = "Somebody changed it, so it was left there; it may hold what is gone."


_LINES: Final = ("learned.md",)
"""Files that lose lines instead of being removed."""


def _again(means: Means) -> None:
    """The files made anew; where that fails they are gone, which is what matters, and a job makes them later."""
    from learnt.flows.consolidate import consolidate

    try:
        consolidate(means, offline=True)
    except LearntError:
        return


def _others(means: Means) -> Collection[str]:
    """The other repositories that have files here."""
    names = means.artifacts.names(PROJECTS) if means.artifacts else ()
    return sorted({name.split("/")[1] for name in names} - {means.identity.repository_id})
