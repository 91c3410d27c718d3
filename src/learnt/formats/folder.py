"""A folder being written: everything under other names first, then all of it in its place."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.errors import ConfigError, UsageError
from learnt.formats.own import CODECS
from learnt.model.parcel import MANIFEST, Listed

if TYPE_CHECKING:
    from collections.abc import Iterable

_OURS: Final = (MANIFEST, *CODECS)
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LOCKS = fcntl is not None


class ExportFolder:
    """See `learnt.ports.parcel.Export`.

    A folder that is not there appears at once, whole. In one that is there the files of an earlier export are replaced
    one by one, and the manifest, which is taken away first and comes last, says that they belong together. What a
    killed process left of an export is done again by the next one, which takes its files away.

    Args:
        listed: A file in which the place is written down.

    Raises:
        UsageError: `exists`: something is there that no export wrote.
        ConfigError: The folder cannot be made.
    """

    def __init__(self, path: str, listed: Path | None = None) -> None:
        self._to = Path(path).absolute()
        self._there = _free(self._to)
        self._names: list[str] = []
        self._listed = listed
        try:
            self._to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._at, self._held = _stage(self._to, self._to if self._there else self._to.parent)
            _swept(self._to)
        except OSError as error:
            raise _unwritten(self._to, error) from None

    @property
    def path(self) -> str:
        """Where it will be."""
        return str(self._to)

    def write(self, name: str, lines: Iterable[str]) -> Listed:
        """One file."""
        found, rows, size = hashlib.sha256(), 0, 0
        try:
            with os.fdopen(os.open(self._at / name, _FLAGS, 0o600), "wb") as file:
                for line in lines:
                    said = line.encode() + b"\n"
                    found.update(said)
                    file.write(said)
                    rows += 1
                    size += len(said)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritten(self._to, error) from None
        self._names.append(name)
        return Listed(rows=rows, bytes=size, sha256=found.hexdigest())

    def finish(self) -> None:
        """Everything is there, under its name."""
        try:
            if self._listed is not None:
                _note(self._listed, self.path)
            if not self._there:
                _sync(self._at)
                self._at.rename(self._to)
                _sync(self._to.parent)
                _let_go(self._held)
                return
            (self._to / MANIFEST).unlink(missing_ok=True)
            for name in self._names:
                (self._at / name).replace(self._to / name)
            self._at.rmdir()
            _sync(self._to)
            _let_go(self._held)
        except OSError as error:
            raise _unwritten(self._to, error) from None

    def discard(self) -> None:
        """Nothing was written."""
        shutil.rmtree(self._at, ignore_errors=True)
        if self._there and not (self._to / MANIFEST).exists():  # an earlier one is still to be done again
            with suppress(OSError):
                self._at.mkdir(0o700)
        _let_go(self._held)


def _free(path: Path) -> bool:
    """Whether the folder is there; what is in it may be replaced."""
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise UsageError("What is there is no folder.", code="exists", hint="Name a folder that is not there yet.")
    if not path.is_dir():
        return False
    held = [name for name in _OURS if (path / name).is_symlink() or (path / name).exists()]
    if held and MANIFEST not in held and not _left(path, path):
        told = f"There is a {held[0]} in this folder that no export wrote."
        raise UsageError(told, code="exists", hint="Name another folder.")
    return True


def _left(to: Path, folder: Path) -> list[Path]:
    """What exports to a place that were not finished keep, or left, in a folder."""
    return [each for each in folder.glob(f".{to.name}.{'[0-9a-f]' * 12}") if each.is_dir() and not each.is_symlink()]


def _stage(to: Path, folder: Path) -> tuple[Path, int]:
    """A new folder for what is not finished, and a handle that says that somebody works in it."""
    while True:
        made = folder / f".{to.name}.{secrets.token_hex(6)}"
        made.mkdir(0o700)
        if not _LOCKS:
            return made, -1
        handle = os.open(made, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if made.is_dir():  # nobody took it for a leftover before it was held
            return made, handle
        os.close(handle)


def _swept(to: Path) -> None:
    """What a killed process left goes: it may hold what was forgotten since."""
    for left in (*_left(to, to.parent), *_left(to, to)) if _LOCKS else ():
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(handle)


def _let_go(handle: int) -> None:
    with suppress(OSError):
        os.close(handle)


def _note(file: Path, path: str) -> None:
    """A line of a file for each place, once."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+", encoding="utf-8") as held:
        held.seek(0)
        if path not in held.read().split("\n"):
            held.write(f"{path}\n")


def _sync(folder: Path) -> None:
    """A folder's names, on the disk; where a system cannot, it does so by itself."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unwritten(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        f"The export cannot be written: {error.strerror}.",
        code="export_failed",
        hint="Name a folder you may write to, with room enough.",
        details={"path": str(path)},
    )
