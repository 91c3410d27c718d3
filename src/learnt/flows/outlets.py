"""Every file beside the documents that says what a repository remembers: brought up to date, or taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.errors import LearntError
from learnt.flows import learned, skills, views
from learnt.ports.views import Wish

if TYPE_CHECKING:
    from learnt.flows.asked import Asked
    from learnt.flows.means import Means


def renew(means: Means) -> tuple[str, ...]:
    """Bring `learned.md`, regions and copied skills up to date; gives why some could not be. Never fails."""
    try:
        learned.refresh(means)
        return (*views.renew(means).faults, *skills.renew(means).faults)
    except LearntError as error:
        return (error.message,)


def withdraw(means: Means, given: Asked) -> tuple[str, ...]:
    """Take out what was put into other files; gives why some could not be: a person has to look at those.

    Args:
        given: What was asked for, read before the list of it went.
    """
    if means.views is None:
        return ()
    wishes = [Wish(path=path, of="view", text=None) for path in sorted(given.views)]
    wishes += [Wish(path=path, of="skill", text=None) for each in given.skills.values() for path in sorted(each.files)]
    faults = []
    for wish in wishes:
        try:
            means.views.draw(wish)
        except LearntError as error:
            faults.append(error.message)
    return tuple(faults)
