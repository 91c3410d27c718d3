"""What all parcels of other systems have in common: no manifest, and no original that must be copied aside."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from learnt.errors import UsageError
from learnt.formats.file import document, named
from learnt.model.field import MisfitError
from learnt.model.parcel import Arrival, outlined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from learnt.model.memory import Memory
    from learnt.model.parcel import Backup, Outline

    Told = tuple[int, Callable[[], Iterable[Memory]]]


class Foreign:
    """See `learnt.ports.parcel.Parcel`. A format says which files it reads, and how each is read.

    Args:
        told: Of a file's name and bytes its entries: the line each begins in (or its number), and what makes its
            memories, which may raise `MisfitError`.
    """

    once = False
    settled = False

    def __init__(
        self, form: str, source: Path, files: Sequence[Path], told: Callable[[str, bytes], Iterator[Told]]
    ) -> None:
        self.format = form
        self.source = str(source)
        self._files = files
        self._told = told
        self._digests: dict[str, str] = {}

    def arrivals(self) -> Iterator[Arrival]:
        """Every memory, and every entry that holds none."""
        for file in self._files:
            try:
                content = document(file)
            except UsageError as error:
                yield Arrival(file=named(file), line=0, error=error.message)
                continue
            self._digests[named(file)] = hashlib.sha256(content).hexdigest()
            yield from self._read(named(file), content)

    def _read(self, name: str, content: bytes) -> Iterator[Arrival]:
        try:
            for line, make in self._told(name, content):
                yield from _entry(name, line, make)
        except MisfitError as error:
            yield Arrival(file=name, line=0, error=str(error))

    def outlines(self) -> Iterator[Outline]:
        """Of every row what the others need to know."""
        return map(outlined, self.arrivals())

    def manifest(self) -> None:
        """There is none."""

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each file as it was last read."""
        return dict(self._digests)

    def restated(self) -> Mapping[str, str]:
        """Nothing to compare with."""
        return {}

    def keep(self, folder: str) -> tuple[Backup, ...]:
        """The originals stay where they are."""
        del folder
        return ()


def _entry(name: str, line: int, make: Callable[[], Iterable[Memory]]) -> Iterator[Arrival]:
    """The memories of one entry; one statement told twice is one."""
    try:
        for each in make():
            yield Arrival(file=name, line=line, id=each.id, value=each)
    except MisfitError as error:
        yield Arrival(file=name, line=line, error=str(error))
