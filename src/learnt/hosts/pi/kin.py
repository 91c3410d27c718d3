"""A session of pi among others: the one it was forked from, the one that started it, those it started."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import LearntError
from learnt.hosts.pi.tree import identities
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.value import text

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKED_AT: Final = 8
_NAMED: Final = re.compile(r"_([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})\.jsonl\Z")
_SEPARATOR: Final = re.compile(r"[\\/]")


@dataclass(frozen=True, slots=True)
class Kin:
    """See the module.

    Attributes:
        parent: The session this one was forked from, or that started it as a sub-agent.
        copied: Ids of the entries a fork shares with the file it came from; empty where that is not at hand.
        forked: Entries older than this session were copied into it.
    """

    parent: str = ""
    copied: frozenset[str] = frozenset()
    forked: bool = False
    sidechain: bool = False


def opening(path: Path) -> Iterator[dict[str, Any]]:
    """The first records of a file."""
    return (item.fields for item in islice(records(path), _LOOKED_AT) if isinstance(item, Record))


def header_of(path: Path) -> dict[str, Any]:
    """The record a session begins with; empty when there is none among the first."""
    return next((fields for fields in opening(path) if fields.get("type") == "session"), {})


def named(path: Path) -> str:
    """A session's id as its file is named."""
    found = _NAMED.search(path.name)
    return found.group(1) if found else path.stem


def kin_of(path: Path, header: dict[str, Any], *, lineage: bool) -> Kin:
    """What a session's own first record and the files around it say."""
    origin = text(header, "parentSession") or text(header, "branchedFrom")
    if origin:
        file = _found(path, origin) if lineage else None
        parent = text(header_of(file), "id") if file else ""
        shared = identities(file) if file else frozenset()
        return Kin(parent or _last_id(origin), shared, forked=True)
    owner = path.absolute().parent
    above = owner.with_name(owner.name + ".jsonl")
    if lineage and above.is_file():
        return Kin(text(_readable(above), "id") or named(above), sidechain=True)
    return Kin()


def subagents(path: Path) -> tuple[str, ...]:
    """The files of the sub-agents that oh-my-pi keeps in a folder beside the session."""
    folder = path.with_suffix("")
    return tuple(map(str, sorted(folder.glob("*.jsonl")))) if folder.is_dir() else ()


def _readable(path: Path) -> dict[str, Any]:
    try:
        return header_of(path)
    except (LearntError, OSError):
        return {}


def _found(path: Path, origin: str) -> Path | None:
    """The file a fork names; moved with its folder it lies beside the fork."""
    for candidate in (Path(os.path.expanduser(origin)), path.with_name(_SEPARATOR.split(origin)[-1])):  # noqa: PTH111
        try:
            if candidate.is_file() and not candidate.samefile(path) and _readable(candidate):
                return candidate
        except (OSError, ValueError):
            continue
    return None


def _last_id(origin: str) -> str:
    return named(Path(_SEPARATOR.split(origin)[-1]))
