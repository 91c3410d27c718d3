"""A file as it stands in the work tree, and the marks its lines are recognised by. Hook-safe."""

from __future__ import annotations

from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Look: TypeAlias = "View | Literal['absent', 'unreadable']"
    """What looking for a file gives: the file, that it is not there, or that nobody can say."""

MAX_BYTES = 2 * 1024 * 1024
"""A larger file is known to be there; its lines are not looked at."""


_WHITE = b" \t\r\f\v"


class View:
    """One file as it stands.

    A mark is the CRC-32 of a line without its white space, so that indentation and alignment do not count; blank lines
    have none. Marks tell lines apart; they hide nothing from somebody who can guess a line.

    Attributes:
        large: More than `MAX_BYTES`; `lines` is then empty.
    """

    __slots__ = ("_content", "_every", "_lines", "_marks", "_numbers", "large")

    def __init__(self, content: bytes | None) -> None:
        self.large = content is None
        self._content = content or b""
        self._lines: list[bytes] | None = None
        self._every: list[int] | None = None
        self._marks: list[int] | None = None
        self._numbers: list[int] | None = None

    @property
    def lines(self) -> list[bytes]:
        """The lines without their line feeds."""
        if self._lines is None:
            self._lines = self._content.split(b"\n")
        return self._lines

    @property
    def marks(self) -> list[int]:
        """The marks of all lines that are not blank; computed once."""
        if self._marks is None:
            self._marks = [mark for mark in self._all() if mark]
        return self._marks

    @property
    def numbers(self) -> list[int]:
        """The line number of each mark, the first line being 1; computed once."""
        if self._numbers is None:
            self._numbers = [number for number, mark in enumerate(self._all(), 1) if mark]
        return self._numbers

    def _all(self) -> list[int]:
        """A mark for every line, 0 for a blank one; computed once."""
        if self._every is None:
            self._every = list(map(crc32, self._content.translate(None, _WHITE).split(b"\n")))
        return self._every

    def between(self, line: int, end: int) -> tuple[int, ...]:
        """The marks of the lines from `line` to `end`, both inclusive; reads no others."""
        chosen = b"\n".join(self.lines[line - 1 : end]).translate(None, _WHITE)
        return tuple(filter(None, map(crc32, chosen.split(b"\n"))))
