"""Which format a file or folder is in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.errors import UsageError
from learnt.formats.file import named, opened
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
}
"""Every format, by its name."""

_HEAD_BYTES: Final = 256 * 1024
_HEAD_LINES: Final = 20


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
        return "learnt"
    if found := SwarmParcel.files(place):
        return next((form for file in found if (form := _rows(file))), "swarm")
    return next((form for name in CODECS if (place / name).is_file() and (form := _rows(place / name))), "")


def _file(place: Path) -> str:
    return _rows(place)


def _rows(place: Path) -> str:
    """The format of a file of rows, told by the first that is one."""
    with opened(place) as file:
        head = file.read(_HEAD_BYTES)
    for line in head.splitlines()[:_HEAD_LINES]:
        try:
            row = table_of(line)
        except MisfitError:
            continue
        if "createdAt" in row:
            return "swarm"
        if "scope_ids" in row:
            return "learnt"
    return ""
