"""Files of one JSON object a line, whatever the objects are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from learnt.formats.file import Lines, opened
from learnt.model.field import MisfitError, scope, table_of
from learnt.model.parcel import Arrival, Outline, outlined

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

    def outlines(self) -> Iterator[Outline]:
        """Of each row what its table says at first sight."""
        with opened(self._path) as file:
            lines = Lines(file)
            for number, line in lines:
                if line is None:
                    yield Outline(self.name, number)
                elif line.strip():
                    yield self._outline(number, line, ended=lines.ended)
            self.sha256 = lines.sha256

    def _outline(self, number: int, line: bytes, *, ended: bool) -> Outline:
        try:
            table = table_of(line)
            where = scope(table.get("scope_ids"))
        except MisfitError:
            return outlined(self._arrival(number, line, ended=ended))
        successor, kind, said = table.get("superseded_by"), table.get("kind"), table.get("text")
        name = self._named(table)
        if not isinstance(kind, str) or not isinstance(said, str) or not name.startswith("mem_"):
            return Outline(self.name, number, name, where)
        return Outline(self.name, number, name, where, successor if isinstance(successor, str) else "", kind, said)

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
