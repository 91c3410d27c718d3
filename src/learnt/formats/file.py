"""Files that somebody else wrote: opened without being led elsewhere or kept waiting, read line by line in bounds."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from learnt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE_BYTES: Final = 2 * 1024 * 1024
"""A piece of evidence has 100,000 characters, of at most six bytes each as JSON, and its fields beside it."""

MAX_FILE_BYTES: Final = 8 * 1024**3
MAX_DOCUMENT_BYTES: Final = 64 * 1024**2
"""Of a file that can only be read as a whole: its values take ten times that in memory."""

MAX_ENTRIES: Final = 50_000
"""Files and folders looked at below a folder."""

_CHUNK_BYTES: Final = 256 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


@contextmanager
def opened(path: Path, *, most_bytes: int = MAX_FILE_BYTES) -> Iterator[IO[bytes]]:
    """A plain file, open for reading.

    Raises:
        UsageError: no_file, not_a_file, unreadable or too_large.
    """
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        raise _unopened(path, error) from None
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise UsageError(f"{named(path)} is no plain file.", code="not_a_file")
        if facts.st_size > most_bytes:
            told = f"{named(path)} has {facts.st_size:,} bytes; at most {most_bytes:,} are read."
            raise UsageError(told, code="too_large")
        try:
            os.pread(handle, 1, 0)  # some that open well, as a process's memory does, cannot be read
        except OSError as error:
            raise _unopened(path, error) from None
        yield file


def below(path: Path, suffix: str) -> Iterator[Path]:
    """The files below a folder with this suffix, by name, folder after folder; nothing hidden, and through no link.

    Raises:
        UsageError: `too_large`: there is more below it than anybody means to import.
    """
    seen = 0
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        seen += len(names) + len(folders)
        if seen > MAX_ENTRIES:
            told = f"There are more than {MAX_ENTRIES:,} files and folders below {named(path)}."
            raise UsageError(told, code="too_large", hint="Name the folder of the memories itself.")
        yield from (Path(folder) / name for name in sorted(names) if name.endswith(suffix) and name[0] != ".")


def named(path: Path) -> str:
    """The last part of a path, for messages."""
    return path.name[:100] or str(path)[:100]


def _unopened(path: Path, error: OSError) -> UsageError:
    if isinstance(error, FileNotFoundError):
        return UsageError(f"There is no file {named(path)}.", code="no_file")
    if error.errno in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
        return UsageError(f"{named(path)} is no plain file.", code="not_a_file", hint="Name the file itself.")
    return UsageError(f"{named(path)} cannot be read: {error.strerror}.", code="unreadable")


class Lines:
    """The lines of a file, from 1, each without its end; None for one that is too long, of which nothing is kept.

    Attributes:
        ended: Whether the line given last had an end.
        sha256: Of everything read.
    """

    def __init__(self, file: IO[bytes], most_bytes: int = MAX_LINE_BYTES) -> None:
        self._file = file
        self._most = most_bytes
        self._hash = hashlib.sha256()
        self.ended = True

    @property
    def sha256(self) -> str:
        """64 hex digits."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[tuple[int, bytes | None]]:
        number = 0
        while line := self._file.readline(self._most + 2):
            number += 1
            self._hash.update(line)
            whole = len(line.rstrip(b"\r\n")) <= self._most
            self.ended = line.endswith(b"\n") or (not whole and self._skip())
            if number == 1:
                line = line.removeprefix(_BOM)
            yield number, line.rstrip(b"\r\n") if whole else None

    def _skip(self) -> bool:
        """Pass over the rest of a line, whether it has an end."""
        while rest := self._file.readline(_CHUNK_BYTES):
            self._hash.update(rest)
            if rest.endswith(b"\n"):
                return True
        return False


def document(path: Path) -> bytes:
    """A file that is read as a whole.

    Raises:
        UsageError: It cannot be read, or is too large.
    """
    with opened(path, most_bytes=MAX_DOCUMENT_BYTES) as file:
        return file.read(MAX_DOCUMENT_BYTES + 1).removeprefix(_BOM)
