"""A whole store moved into another: chapter by chapter, each stretch committed together with how far it is.

The source is read as of one moment and never written. A marker in the target says that it is not whole yet; nobody
opens it until every chapter was read back and is equal. An interrupted move goes on: what was carried before is read
again at the source, which costs a fraction of carrying it, and carried again only where it is no longer the same.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.errors import StoreError, UsageError
from learnt.flows.audit import alone
from learnt.flows.decide import person_required
from learnt.flows.marker import Marker, marked, turn
from learnt.flows.moved import Account, Moved, Step
from learnt.model.answer import Refusal
from learnt.model.cargo import CHAPTERS, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.flows.means import Means
    from learnt.flows.moved import Way
    from learnt.model.cargo import Chapter, Load
    from learnt.ports.store import Store

STRETCH: Final = 500
"""Rows read and written at once: some 2 MB of long evidence. Vectors come by fewer: one may have 64 pieces of 6 KB."""
_VECTORS: Final = 100

_AGAIN: Final = "Name a store that is not there yet, or one that an interrupted move of this store left behind."


@dataclass(slots=True)
class _Run:
    """One move while it goes on."""

    source: Store
    target: Store
    name: str
    marker: Marker
    tell: Callable[[Step], None]
    chapters: tuple[Chapter, ...]
    total: int = 0
    done: int = 0
    tallies: dict[Chapter, Tally] = field(default_factory=dict)
    damaged: dict[tuple[Chapter, str], None] = field(default_factory=dict)

    def note(self, phase: str, chapter: Chapter, rows: int) -> None:
        """Tell how far it is."""
        self.done += rows
        self.tell(Step(phase=phase, chapter=chapter, done=min(self.done, self.total), total=self.total))


def migrate(means: Means, way: Way, tell: Callable[[Step], None] | None = None) -> Moved | Refusal:
    """Move everything in this store into an empty one.

    Args:
        tell: Called after each stretch, for progress.

    Raises:
        UsageError: `same_store`.
        StoreError: A store does not answer; what was carried so far is kept, and the next run goes on.
    """
    if refused := person_required(means, "migrate"):
        return refused
    if way.source == way.target:
        raise UsageError("A store cannot be moved onto itself.", code="same_store", hint=_AGAIN)
    with closing(way.open()) as target:
        found = marked(target)
        if refused := _occupied(target, found, way.origin):
            return refused
        marker = found or Marker(origin=way.origin)
        kept = tuple(each for each in means.store.cargo.chapters if each in target.cargo.chapters)
        run = _Run(means.store, target, means.ids.new("move"), marker, tell or _silent, kept)
        moved = _moved(run, way, means.clock.now())
        if way.person and moved.verified:  # who moved it is there by name who they were here
            with target.transaction():
                target.meta.put(way.person, means.context.user_id)
        return moved


def _silent(step: Step) -> None:
    """Nobody listens."""
    del step


def _occupied(target: Store, marker: Marker | None, origin: str) -> Refusal | None:
    """Why nothing may be moved into this store."""
    if marker is None:
        held: dict[str, object] = {name: rows for name in target.cargo.chapters if (rows := target.cargo.count(name))}
        return _conflict("The target is not empty.", held) if held else None
    if marker.origin != origin:
        return _conflict("The target is what a move of another store made.", {"as_of": marker.as_of})
    changed = _changed(target, marker) if marker.state == "complete" else []
    if changed:
        told = {"as_of": marker.as_of, "chapters": changed}
        return _conflict("A move into this target was completed before, and it was worked on since.", told)
    return None


def _changed(target: Store, marker: Marker) -> list[Chapter]:
    """What in a target is no longer as it was moved."""
    left = {name: marker.held.get(name, ("", 0, ""))[1:] for name in target.cargo.chapters}
    return [name for name, was in left.items() if _sum(_tally(target, name)) != was]


def _sum(tally: Tally) -> tuple[int, str]:
    return tally.count, tally.digest


def _tally(target: Store, chapter: Chapter, note: Callable[[int], None] | None = None) -> Tally:
    """How much of a chapter the target holds."""
    tally, after, more = Tally(chapter), "", True
    while more:
        load = target.cargo.load(chapter, after, _stretch(chapter))
        tally.add(load.values)
        if note:
            note(len(load.values))
        after, more = load.after, bool(load.after)
    return tally


def _conflict(message: str, details: Mapping[str, object]) -> Refusal:
    return Refusal(code="conflict", message=message, hint=_AGAIN, details=dict(details))


def _moved(run: _Run, way: Way, now: str) -> Moved:
    with run.source.cargo.moment():
        before = _state(run.source)
        resumed, restarted = _begin(run, now)
        accounts = _carried(run)
        if resumed and not restarted and not all(each.equal for each in accounts):
            restarted = True
            with turn(run.target, run.name):
                _emptied(run)
            accounts = _carried(run)
    moved = Moved(
        source=way.source,
        target=way.target,
        as_of=now,
        chapters=accounts,
        chain=alone(run.target),
        resumed=resumed and not restarted,
        restarted=restarted,
        changed=_state(run.source) != before,
        damaged=tuple(run.damaged),
        left=tuple((name, many) for name in CHAPTERS if name not in run.chapters and (many := _rows(run, name))),
    )
    with turn(run.target, run.name):
        run.marker.state = "complete" if moved.verified else "failed"
        run.marker.put(run.target)
    return moved


def _rows(run: _Run, chapter: Chapter) -> int:
    """How much the source has of what the target does not keep."""
    return run.source.cargo.count(chapter) if chapter in run.source.cargo.chapters else 0


def _state(source: Store) -> object:
    """What tells that somebody wrote: every change has its event, every recall its receipt."""
    return source.events.head(), [source.cargo.count(chapter) for chapter in source.cargo.chapters]


def _begin(run: _Run, now: str) -> tuple[bool, bool]:
    """Take the move over; whether it was begun before, and whether what it carried is removed first."""
    with turn(run.target, run.name, first=True) as held:
        if held is not None and (held.run, held.state) != (run.marker.run, run.marker.state):
            raise StoreError("Another move into this target began at the same moment.", code="lease_lost", hint=_AGAIN)
        run.marker = held or run.marker
        resumed, restarted = bool(run.marker.held), run.marker.state == "failed"
        run.marker.run, run.marker.state, run.marker.as_of = run.name, "moving", now
        if restarted:
            _emptied(run)
        run.marker.put(run.target)
    run.total = 2 * sum(run.source.cargo.count(chapter) for chapter in run.chapters)
    return resumed, restarted


def _emptied(run: _Run) -> None:
    run.target.cargo.clear()
    run.marker.held.clear()
    run.marker.put(run.target)
    run.done = 0


def _carried(run: _Run) -> tuple[Account, ...]:
    """Carry every chapter, then read every chapter back."""
    for chapter in run.chapters:
        _carry(run, chapter, _passed(run, chapter))
    run.target.cargo.finish()
    with run.target.cargo.moment():
        return tuple(_account(run, chapter) for chapter in run.chapters)


def _passed(run: _Run, chapter: Chapter) -> str:
    """Where to go on: after what was carried before, if the source still gives the same; else at the beginning."""
    place, rows, digest = run.marker.held.get(chapter, ("", 0, ""))
    tally = run.tallies[chapter] = Tally(chapter)
    load = _load(run, chapter, "", rows) if place else None
    while load is not None:
        tally.add(load.values)
        run.note("moving", chapter, len(load.values))
        if load.place == place and tally.digest == digest:
            return place
        if not load.after or tally.count > rows:
            break
        load = _load(run, chapter, load.after, rows - tally.count)
    run.done -= tally.count
    run.tallies[chapter] = Tally(chapter)
    return ""


def _carry(run: _Run, chapter: Chapter, after: str) -> None:
    tally, more = run.tallies[chapter], True
    while more:
        load = _load(run, chapter, after)
        tally.add(load.values)
        with turn(run.target, run.name):
            if load.values:
                run.target.cargo.accept(chapter, load.values)
            run.marker.held[chapter] = (load.place, tally.count, tally.digest)
            run.marker.put(run.target)
        run.note("moving", chapter, len(load.values))
        after, more = load.after, bool(load.after)


def _load(run: _Run, chapter: Chapter, after: str, limit: int = STRETCH) -> Load:
    """The next stretch of the source, without vectors of what could not be read."""
    load = run.source.cargo.load(chapter, after, max(1, min(_stretch(chapter), limit)))
    run.damaged.update(dict.fromkeys((chapter, name) for name in load.damaged))
    if run.damaged and chapter in {"vectors", "failures"}:
        bare = {name for _, name in run.damaged}
        return replace(load, values=tuple(each for each in load.values if getattr(each, "id", "") not in bare))
    return load


def _stretch(chapter: Chapter) -> int:
    return _VECTORS if chapter == "vectors" else STRETCH


def _account(run: _Run, chapter: Chapter) -> Account:
    gave = run.tallies[chapter]
    arrived = _tally(run.target, chapter, lambda rows: run.note("checking", chapter, rows))
    return Account(
        chapter=chapter,
        rows=gave.count,
        digest=gave.digest,
        arrived=arrived.count,
        arrived_digest=arrived.digest,
    )
