"""A repository's skills, copied to where a host looks for them because a person asked, and kept current there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.errors import ConfigError, NotFoundError, UsageError
from learnt.flows.artifacts import binder_of
from learnt.flows.asked import Copied, asked, change
from learnt.flows.decide import person_required
from learnt.flows.regions import Redrawn, drawer
from learnt.flows.switch import off
from learnt.ports.outlets import Wish

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.artifacts import Binder
    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.ports.outlets import Drawn

PREFIX: Final = "skill:"
"""What stands before a skill's name where an id is asked for."""


def copy(
    means: Means, host: str, names: Sequence[str] = (), *, remove: bool = False, dry_run: bool = False
) -> Redrawn | Refusal:
    """Give a host these skills from now on, all there are where none is named; or take them out again.

    Raises:
        UsageError: `no_skills`: the host has no place for them.
        NotFoundError: There is no skill of that name.
        ConfigError: A file there is somebody else's, or was changed; nothing of it was touched.
    """
    refused = (None if dry_run else person_required(means, "memory skills")) or (None if remove else off(means))
    if refused:
        return refused
    before = asked(means).skills.get(host, Copied())
    if unknown := sorted(set(names) - {*_there(means), *before.names}):
        raise NotFoundError(f"There is no skill {unknown[0]} here.", hint="`learnt memory view` names them.")
    chosen = frozenset(before.names or _there(means)) - set(names) if remove else frozenset(names)
    wishes = _wishes(means, host, before, None if remove and (not names or not chosen) else chosen)
    planned = tuple(drawer(means).drawn(each) for each in wishes)
    if dry_run:
        return Redrawn(drawn=planned)
    files = before.files | {each.path for each in wishes if each.text is not None}
    if files:  # before they are there, so that they are found whoever dies in between
        given = Copied(names=chosen, files=files)
        change(means, lambda held: replace(held, skills={**held.skills, host: given}))
    drawn = tuple(drawer(means).draw(each) for each in wishes)
    _noted(means, host, chosen, wishes)
    return Redrawn(drawn=tuple(each for each in drawn if each.differs), written=True)


def renew(means: Means) -> Redrawn:
    """Bring the copies up to date; one that somebody changed is told of and left."""
    drawn: list[Drawn] = []
    faults: list[str] = []
    for host, held in asked(means).skills.items():
        if means.outlets is None:
            break
        done = []
        for wish in _wishes(means, host, held, held.names):
            try:
                drawn.append(means.outlets.draw(wish))
                done.append(wish)
            except ConfigError as error:
                faults.append(error.message)
        _noted(means, host, held.names, done)
    return Redrawn(drawn=tuple(each for each in drawn if each.differs or each.left), written=True, faults=tuple(faults))


def current(means: Means) -> dict[str, str]:
    """The files of all skills there are, by name."""
    binder = binder_of(means)
    return dict(_files(binder, frozenset())) if binder else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A skill as it stands in its file.

    Attributes:
        files: Paths of what belongs to it, `SKILL.md` first. `edited`: whether somebody changed it by hand.
    """

    name: str
    text: str
    files: tuple[str, ...]
    edited: bool = False


def read(means: Means, name: str) -> Held:
    """A skill, by its name with or without `skill:`.

    Raises:
        NotFoundError: There is no such skill here.
    """
    name = name.removeprefix(PREFIX)
    binder = binder_of(means)
    main = f"skills/{name}/SKILL.md"
    held = binder.read(main) if binder and name in binder.skills() else None
    if binder is None or held is None:
        raise NotFoundError(f"There is no skill {name} here.", hint="`learnt memory view` names them.")
    rest = [each for each in binder.files(f"skills/{name}/") if each != main]
    return Held(
        name=name,
        text=means.gate.redact(held.decode("utf-8", "replace")),
        files=(main, *rest),
        edited=any(each.name == main for each in binder.touched()),
    )


def _there(means: Means) -> tuple[str, ...]:
    binder = binder_of(means)
    return binder.skills() if binder else ()


def _wishes(means: Means, host: str, before: Copied, names: frozenset[str] | None) -> list[Wish]:
    """What the files are to be: of these skills, all where empty, none for None; what was written before goes."""
    folder, binder = drawer(means).skills_folder(host), binder_of(means)
    if not folder or binder is None:
        hint = "Copy the folder of a skill by hand; `learnt memory skills --help` names the hosts that have one."
        raise UsageError(f"{host} has no place for a repository's skills.", code="no_skills", hint=hint)
    base = f"{means.place.root}/{folder}"
    files = {} if names is None else {f"{base}/{name}": text for name, text in _files(binder, names)}
    gone = sorted(before.files - files.keys())
    kept = [Wish(path=path, of="skill", text=text) for path, text in sorted(files.items())]
    return [*kept, *(Wish(path=path, of="skill", text=None) for path in gone)]


def _files(binder: Binder, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    for skill in binder.skills():
        for name in binder.files(f"skills/{skill}/") if not names or skill in names else ():
            held = binder.read(name)
            if held is not None:
                yield name.removeprefix("skills/"), held.decode("utf-8", "replace")


def _noted(means: Means, host: str, names: frozenset[str], wishes: Sequence[Wish]) -> None:
    """What lies there now; a host that was given nothing is off the list."""
    files = frozenset(each.path for each in wishes if each.text is not None)
    rest = {each: held for each, held in asked(means).skills.items() if each != host}
    given = {**rest, host: Copied(names=names, files=files)} if files else rest
    change(means, lambda held: replace(held, skills=given))
