"""Which format a file or folder is in."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.errors import UsageError
from learnt.formats import basic, claude, graph, mem0, observed
from learnt.formats.file import MAX_DOCUMENT_BYTES, below, document, named, opened
from learnt.formats.notes import note
from learnt.formats.own import CODECS, OwnParcel
from learnt.formats.swarm import SwarmParcel
from learnt.model.field import MisfitError, table_of
from learnt.model.parcel import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.ports.parcel import Parcel

FORMATS: Final[Mapping[str, Callable[[Path], Parcel]]] = {
    "learnt": OwnParcel,
    "swarm": SwarmParcel,
    claude.NAME: claude.parcel,
    basic.NAME: basic.parcel,
    graph.NAME: graph.parcel,
    mem0.NAME: mem0.parcel,
    observed.NAME: observed.parcel,
}
"""Every format, by its name."""

_HEAD_BYTES: Final = 256 * 1024
_HEAD_LINES: Final = 20
_MANY: Final = 200


def chosen(path: str, form: str = "") -> Parcel:
    """What a path holds, in a format that was named, or the one it is found to be in.

    Raises:
        UsageError: no_file, not_a_file, unknown_format, or what the format's own reader says.
    """
    if form and form not in FORMATS:
        raise UsageError(f"There is no format {form!r}.", code="unknown_format", hint=_HINT)
    given = Path(path)
    if not given.exists():
        raise UsageError(f"There is nothing at {named(given)}.", code="no_file")
    place = given.resolve()
    if not place.is_dir():
        with opened(place):
            pass
    return FORMATS[form or _found(place)](place)


_HINT: Final = "Name one with --format: " + ", ".join(FORMATS) + "."


def _found(place: Path) -> str:
    found = _folder(place) if place.is_dir() else _file(place)
    if not found:
        told = f"{named(place)} is in no format that is known here."
        raise UsageError(told, code="unknown_format", hint=_HINT)
    return found


def _folder(place: Path) -> str:
    if (place / MANIFEST).is_file():
        return OwnParcel.format
    if found := SwarmParcel.files(place):
        return next((form for file in found if (form := _rows(file))), SwarmParcel.format)
    if any((place / name).is_file() for name in CODECS):
        return OwnParcel.format
    if any((place / name).is_file() for name in ("memory.jsonl", "memory.json")):
        return graph.NAME
    return _notes(place)


def _notes(place: Path) -> str:
    """The format of a folder of Markdown, told by the first file that says it."""
    if (place / claude.INDEX).is_file():
        return claude.NAME
    some = islice(below(place, ".md"), _MANY)
    return next((form for file in some if not file.is_symlink() and (form := _note(file))), "")


def _file(place: Path) -> str:
    if place.suffix.lower() == ".md":
        return claude.NAME if place.name == claude.INDEX else _note(place)
    return _rows(place) or _document(place)


def _note(place: Path) -> str:
    try:
        held = note(document(place))
    except (MisfitError, UsageError):
        return ""
    if claude.is_one(held):
        return claude.NAME
    return basic.NAME if basic.is_one(held) else ""


def _document(place: Path) -> str:
    """The format of a file that is one JSON document."""
    if place.stat().st_size > MAX_DOCUMENT_BYTES:
        return ""
    try:
        held = mem0.parsed(document(place))
    except MisfitError:
        return ""
    if observed.is_one(held):
        return observed.NAME
    return mem0.NAME if mem0.entries(held) else ""


def _rows(place: Path) -> str:
    """The format of a file of rows, told by the first that is one."""
    with opened(place) as file:
        head = file.read(_HEAD_BYTES)
    for line in head.splitlines()[:_HEAD_LINES]:
        try:
            row = table_of(line)
        except MisfitError:
            continue
        if "createdAt" in row or "capturedAt" in row:
            return SwarmParcel.format
        if "scope_ids" in row:
            return OwnParcel.format
        if graph.is_one(row):
            return graph.NAME
    return ""
