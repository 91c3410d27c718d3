"""Which files outside of its own a person asked learnt to keep, on this machine and for this repository."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from learnt.flows.artifacts import MADE, OUTLETS, PROJECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.flows.means import Means

_MOST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The skills that one host was given: their names, empty for all there are, and the files that were written."""

    names: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Files with a region of ours, by path; copied skills, by host."""

    regions: frozenset[str] = frozenset()
    skills: Mapping[str, Copied] = field(default_factory=dict)


def folder(means: Means) -> str:
    """Where the files of this repository lie."""
    return f"{PROJECTS}/{means.identity.repository_id}"


def asked(means: Means, repository_id: str = "") -> Asked:
    """What was asked for, here or for another repository; nothing where that cannot be read."""
    name = f"{PROJECTS}/{repository_id}/{MADE}/{OUTLETS}" if repository_id else _name(means)
    held = means.artifacts.read(name, _MOST_BYTES) if means.artifacts else None
    return _parsed(held or b"")


def change(means: Means, edit: Callable[[Asked], Asked]) -> None:
    """Note what is asked for from now on.

    Raises:
        ArtifactError: It cannot be written.
    """
    if means.artifacts is not None:
        means.artifacts.change(_name(means), _MOST_BYTES, lambda held: _written(edit(_parsed(held))))


def _name(means: Means) -> str:
    return f"{folder(means)}/{MADE}/{OUTLETS}"


def _written(value: Asked) -> bytes:
    skills = {host: {"names": sorted(each.names), "files": sorted(each.files)} for host, each in value.skills.items()}
    return json.dumps({"regions": sorted(value.regions), "skills": skills}, indent=1, sort_keys=True).encode()


def _parsed(held: bytes) -> Asked:
    try:
        found: Any = json.loads(held or b"{}")
    except ValueError:
        return Asked()
    if not isinstance(found, dict):
        return Asked()
    skills = found.get("skills")
    hosts = skills.items() if isinstance(skills, dict) else ()
    return Asked(
        regions=_texts(found.get("regions")),
        skills={
            host: Copied(names=_texts(each.get("names")), files=_texts(each.get("files")))
            for host, each in hosts
            if isinstance(each, dict)
        },
    )


def _texts(listed: object) -> frozenset[str]:
    return frozenset(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else frozenset()
