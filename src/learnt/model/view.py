"""A file as it stands in the work tree, and the marks its lines are recognised by."""

from __future__ import annotations

from typing import Literal
from zlib import crc32

MAX_BYTES = 2 * 1024 * 1024
"""A larger file is known to be there; its lines are not looked at."""


class View:
    """One file as it stands.

    A mark is the CRC-32 of a line with its white space reduced, so that indentation and alignment do not count; blank
    lines have none. Marks tell lines apart; they hide nothing from somebody who can guess a line.

    Attributes:
        large: More than `MAX_BYTES`; `lines` is then empty.
    """

    __slots__ = ("_lines", "_marks", "_numbers", "large")

    def __init__(self, content: bytes | None) -> None:
        self.large = content is None
        self._lines = content.splitlines() if content else []
        self._marks: list[int] | None = None
        self._numbers: list[int] = []

    @property
    def lines(self) -> list[bytes]:
        """The lines without their ends."""
        return self._lines

    @property
    def marks(self) -> list[int]:
        """The marks of all lines that are not blank; computed once."""
        if self._marks is None:
            words = [line.split() for line in self._lines]
            self._numbers = [number for number, parts in enumerate(words, 1) if parts]
            self._marks = [crc32(b" ".join(parts)) for parts in words if parts]
        return self._marks

    @property
    def numbers(self) -> list[int]:
        """The line number of each mark, the first line being 1."""
        return self._numbers if self.marks else []

    def between(self, line: int, end: int) -> tuple[int, ...]:
        """The marks of the lines from `line` to `end`, both inclusive; reads no others."""
        words = (each.split() for each in self._lines[line - 1 : end])
        return tuple(crc32(b" ".join(parts)) for parts in words if parts)


Look = View | Literal["absent", "unreadable"]
"""What looking for a file gives: the file, that it is not there, or that nobody can say."""
