"""Files that wait beside another until they take its name; what a killed process left of them goes."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LOCKS: Final = fcntl is not None
_HEAD: Final = ".learnt-"
_TAIL: Final = ".part"
_YOUNG_S: Final = 1.0
"""A file that young may not be locked yet by who just made it."""


def made(folder: Path) -> tuple[int, str]:
    """A new file, open and locked, so that whoever finds it knows that somebody writes it."""
    handle, name = tempfile.mkstemp(prefix=_HEAD, suffix=_TAIL, dir=folder)
    _locked(handle)
    return handle, name


def swept(folder: Path) -> None:
    """Remove what nobody writes any more: it may hold what was forgotten since."""
    for left in folder.glob(f"{_HEAD}{'?' * 8}{_TAIL}"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            try:
                if os.fstat(handle).st_mtime < time.time() - _YOUNG_S and _locked(handle):
                    left.unlink()
            finally:
                os.close(handle)


def _locked(handle: int) -> bool:
    """Whether nobody else holds the file; where there are no locks, never."""
    if not _LOCKS:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
