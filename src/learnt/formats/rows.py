"""Files of one JSON object a line, whatever the objects are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from learnt.formats.file import Lines, opened
from learnt.model.field import MisfitError, table_of
from learnt.model.parcel import Arrival

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from learnt.model.parcel import Carried

    Make = Callable[[Any], Carried]

_NAME = re.compile(rb'"id"\s*:\s*"([\w:.-]{1,200})"')
_BRACE: Final = b"{"
_CLAIM_BYTES: Final = 4_096


class Rows:
    """The rows of one file, each named by one of its fields; "" where none names it.

    A line that is no JSON but names an id still counts as that id's newest: what it would have said is not known, and
    what an older line says no longer holds. Source: swarm-memory seed, JSONL migration.

    Attributes:
        sha256: Of the file, once it was read to its end.
    """

    def __init__(self, path: Path, make: Make, named: str = "id") -> None:
        self._path = path
        self._make = make
        self._key = named
        self.name = path.name
        self.sha256 = ""

    def __iter__(self) -> Iterator[Arrival]:
        with opened(self._path) as file:
            lines = Lines(file)
            for number, line in lines:
                if line is None:
                    yield Arrival(file=self.name, line=number, error="the line is too long")
                elif line.strip():
                    yield self._arrival(number, line, ended=lines.ended)
            self.sha256 = lines.sha256

    def _arrival(self, number: int, line: bytes, *, ended: bool) -> Arrival:
        name = ""
        try:
            table = table_of(line)
            name = self._named(table)
            return Arrival(file=self.name, line=number, id=name, value=self._make(table))
        except MisfitError as error:
            if not ended and not line.rstrip().endswith(b"}"):
                return Arrival(file=self.name, line=number, torn=True)
            return Arrival(
                file=self.name, line=number, id=name or (_claimed(line) if self._key == "id" else ""), error=str(error)
            )

    def _named(self, table: Mapping[str, Any]) -> str:
        held = table.get(self._key)
        return held if isinstance(held, str) else ""


def _claimed(line: bytes) -> str:
    """The id that a line which cannot be read says it is about."""
    found = _NAME.search(line[:_CLAIM_BYTES]) if line.lstrip().startswith(_BRACE) else None
    return found[1].decode() if found else ""
