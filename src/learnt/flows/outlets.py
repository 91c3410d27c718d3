"""Every file beside the artifacts that says what a repository remembers: brought up to date, or taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from learnt.errors import LearntError
from learnt.flows import learned, regions, skills
from learnt.flows.artifacts import binder_of
from learnt.flows.asked import Asked, Copied, asked
from learnt.flows.regions import Redrawn
from learnt.ports.outlets import Wish

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.artifacts import Binder
    from learnt.flows.means import Means
    from learnt.ports.outlets import Drawn

_AGAIN: Final = 5


def renew(means: Means) -> Redrawn:
    """Bring `learned.md`, regions and copied skills up to date; gives faults and what people changed. Never fails.

    Of the files only those are given that were to go and stay, because somebody had changed them.

    Once more when what they are made from was changed meanwhile: two may do this at once, and whoever stood still in
    between, while something was forgotten, has written what is out of date.
    """
    faults: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    left: tuple[Drawn, ...] = ()
    try:
        learned.refresh(means)
        for _ in range(_AGAIN):
            before = _sources(means)
            done = regions.renew(means)
            offered += done.proposals
            copied = skills.renew(means)
            faults = (*done.faults, *copied.faults)
            left += tuple(each for each in copied.drawn if each.left)
            if _sources(means) == before:
                break
    except LearntError as error:
        faults = (error.message,)
    return Redrawn(drawn=left, faults=faults, proposals=offered)


def _sources(means: Means) -> tuple[str, dict[str, str]]:
    """What regions and copied skills say as it is now, where there are any."""
    given = asked(means)
    return regions.region(means)[0] if given.regions else "", skills.current(means) if given.skills else {}


def blot(means: Means, repository_id: str, is_gone: Callable[[str], bool]) -> tuple[str, ...]:
    """Take what was forgotten out of the files of another repository; gives why some could not be.

    A region stays, empty: its repository's next consolidation fills it. A copied skill goes whose source went.
    """
    there = replace(means, identity=replace(means.identity, repository_id=repository_id))
    given, binder = asked(there), binder_of(there)
    if means.outlets is None or binder is None:
        return ()
    faults: list[str] = []
    for path in sorted(given.regions):
        try:
            if is_gone(means.outlets.region(path) or ""):
                regions.empty(there, path)
        except LearntError as error:
            faults.append(error.message)
    sources = frozenset(path for each in given.skills.values() for path in each.files if _is_lost(binder, path))
    lost = Asked(skills={"": Copied(files=sources)})
    return (*faults, *withdraw(means, lost))


def _is_lost(binder: Binder, path: str) -> bool:
    """Whether the file of a skill that was copied there is gone."""
    return binder.read("skills/" + "/".join(path.rsplit("/", 2)[1:])) is None


def withdraw(means: Means, given: Asked) -> tuple[str, ...]:
    """Take out what was put into other files; gives why some could not be: a person has to look at those.

    Args:
        given: What was asked for, read before the list of it went.
    """
    if means.outlets is None:
        return ()
    wishes = [Wish(path=path, of="region", text=None) for path in sorted(given.regions)]
    wishes += [Wish(path=path, of="skill", text=None) for each in given.skills.values() for path in sorted(each.files)]
    faults = []
    for wish in wishes:
        try:
            if means.outlets.draw(wish).left:
                faults.append(f"{wish.path} was changed by somebody; it was left there.")
        except LearntError as error:
            faults.append(error.message)
    return tuple(faults)
