"""Every file beside the artifacts that says what a repository remembers: brought up to date, or taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.errors import LearntError
from learnt.flows import learned, regions, skills
from learnt.flows.asked import asked
from learnt.flows.regions import Redrawn
from learnt.ports.outlets import Wish

if TYPE_CHECKING:
    from learnt.flows.asked import Asked
    from learnt.flows.means import Means

_AGAIN: Final = 5


def renew(means: Means) -> Redrawn:
    """Bring `learned.md`, regions and copied skills up to date; gives faults and what people changed. Never fails.

    Once more when what they are made from was changed meanwhile: two may do this at once, and whoever stood still in
    between, while something was forgotten, has written what is out of date.
    """
    faults: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    try:
        learned.refresh(means)
        for _ in range(_AGAIN):
            before = _sources(means)
            done = regions.renew(means)
            offered += done.proposals
            faults = (*done.faults, *skills.renew(means).faults)
            if _sources(means) == before:
                break
    except LearntError as error:
        faults = (error.message,)
    return Redrawn(faults=faults, proposals=offered)


def _sources(means: Means) -> tuple[str, dict[str, str]]:
    """What regions and copied skills say as it is now, where there are any."""
    given = asked(means)
    return regions.region(means)[0] if given.regions else "", skills.current(means) if given.skills else {}


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
