"""How memory leaves for a folder, and comes in from one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from learnt.model.parcel import Arrival, Backup, Listed, Manifest, Outline


class Export(Protocol):
    """A folder that is being written. Until `finish` nobody sees anything of it; it is for this user alone."""

    @property
    def path(self) -> str:
        """Where it will be."""
        ...

    def write(self, name: str, lines: Iterable[str]) -> Listed:
        """One file, from its lines without their ends.

        Raises:
            ConfigError: It cannot be written.
        """
        ...

    def finish(self) -> None:
        """Everything written is there, under its name, and stays through a loss of power.

        Raises:
            ConfigError: It cannot be written.
        """
        ...

    def discard(self) -> None:
        """Nothing was written; safe after `finish`."""
        ...


class Parcel(Protocol):
    """A file or folder of memories in one format. Read as often as asked; never changed."""

    @property
    def format(self) -> str:
        """The format's name."""
        ...

    @property
    def source(self) -> str:
        """Where it lies."""
        ...

    @property
    def once(self) -> bool:
        """Whether it is taken over once, by the place it was made for: its one repository is then the one here."""
        ...

    @property
    def settled(self) -> bool:
        """Whether another store settled its memories with one another: of two that cannot both be, one is active."""
        ...

    def arrivals(self) -> Iterator[Arrival]:
        """Every row, file after file, in order of the lines; blank lines are passed over.

        Raises:
            UsageError: It cannot be read at all.
        """
        ...

    def outlines(self) -> Iterator[Outline]:
        """Of every row, in the same order, what the other rows need to know; cheaper than the rows themselves."""
        ...

    def manifest(self) -> Manifest | None:
        """What it says of itself; None where the format has no such thing, or it is not there."""
        ...

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each file as it was last read to its end."""
        ...

    def restated(self) -> Mapping[str, str]:
        """The same of each file as an export would have written its rows, whoever wrote them down again since."""
        ...

    def keep(self, folder: str) -> tuple[Backup, ...]:
        """Copies of the files below a folder, where the format asks for them; one that is there stays as it is.

        Raises:
            ConfigError: A copy cannot be written.
        """
        ...
