"""The folder of files that are made from rows."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import ArtifactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LOCKS = fcntl is not None
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_TRIES = 5
"""Renames that are tried where somebody holds the old file open. Source: swarm-memory seed, reflection."""


class Folder:
    """See `learnt.ports.artifacts.Artifacts`.

    Args:
        root: Where it lies. It may be reached through links of the user's own; below it none is followed.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = Path(root)

    def at(self, folder: str) -> Folder:
        """The same for another folder."""
        return Folder(self._root / folder)

    def write(self, name: str, content: Iterable[bytes]) -> str:
        """Make or replace a file: a temporary one beside it, its content on the disk, then its name."""
        fresh, path = self._staged(name, content)
        self._put([(name, fresh, path)])
        return str(path)

    @contextmanager
    def stage(self, files: Mapping[str, bytes]) -> Iterator[Callable[[], None]]:
        """Have files ready beside their places; what is given puts all of them there."""
        ready: list[tuple[str, Path, Path]] = []
        try:
            for name, content in files.items():
                ready.append((name, *self._staged(name, [content])))
            yield lambda: self._put(ready)
        finally:
            for _, fresh, _ in ready:
                with suppress(OSError):
                    fresh.unlink()

    def _staged(self, name: str, content: Iterable[bytes]) -> tuple[Path, Path]:
        """A temporary file that is whole and on the disk, and where it belongs."""
        fresh = None
        try:
            path = self._made(name)
            _swept(path)
            fresh, handle = _fresh(path)
            with os.fdopen(handle, "wb") as file:
                for piece in content:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
        except BaseException as error:
            if fresh is not None:
                with suppress(OSError):
                    fresh.unlink()
            if isinstance(error, OSError):
                raise _failed(name, error) from error
            raise
        return fresh, path

    def _put(self, ready: Iterable[tuple[str, Path, Path]]) -> None:
        """Give temporary files their names."""
        folders = {}
        for name, fresh, path in ready:
            try:
                _renamed(fresh, path)
            except OSError as error:
                with suppress(OSError):
                    fresh.unlink()
                raise _failed(name, error) from error
            folders[path.parent] = name
        for folder in folders:
            _settled(folder)

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """What a file holds; None where there is none, it is no plain file, or it is larger than that."""
        try:
            path = self._place(name)
            with os.fdopen(os.open(path, _READ), "rb", buffering=0) as file:
                facts = os.fstat(file.fileno())
                if not stat.S_ISREG(facts.st_mode) or facts.st_size > most_bytes:
                    return None
                return file.read(most_bytes)
        except OSError:
            return None

    def change(self, name: str, most_bytes: int, edit: Callable[[bytes], bytes]) -> bool:
        """Replace a file by what `edit` makes of it; whoever else does that waits, so no change is lost."""
        try:
            path = self._made(name)
            with suppress(FileNotFoundError):
                path.lstat()
                if self.read(name, most_bytes) is None:
                    raise ArtifactError(
                        f"{name} is no plain file of at most {most_bytes} bytes; it was left untouched."
                    )
            with _turn(path.parent):
                _swept(path)
                before = self.read(name, most_bytes) or b""
                after = edit(before)
                if after != before:
                    self.write(name, [after])
                return after != before
        except OSError as error:
            raise _failed(name, error) from error

    def remove(self, name: str) -> bool:
        """Take a file away, and the folders it leaves empty; whether there was one."""
        try:
            path = self._place(name)
            path.unlink()
            with suppress(OSError):
                for folder in path.parents[: name.count("/")]:
                    folder.rmdir()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise _failed(name, error) from error
        return True

    def names(self, folder: str) -> tuple[str, ...]:
        """The names of all files below a folder; links are neither followed nor named."""
        try:
            top = self._place(folder)
            _demand_folder(top)
        except OSError:
            return ()
        found = (Path(at, each) for at, _, files in os.walk(top) for each in files)
        plain = (path for path in found if path.is_file() and not path.is_symlink())
        return tuple(sorted(path.relative_to(self._root).as_posix() for path in plain))

    def clear(self, folder: str) -> int:
        """Empty a folder and keep it; what is linked to from inside stays, only the link goes."""
        try:
            top = self._place(folder)
            _demand_folder(top)
            gone = _emptied(top)
            for _ in range(_TRIES - 1):
                gone += _emptied(top) if any(top.iterdir()) else 0
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise _failed(folder, error) from error
        return gone

    def _place(self, name: str) -> Path:
        """The path of a name, whose folders are folders."""
        path = self._root
        *folders, last = _parts(name)
        for part in folders:
            path = path / part
            _demand_folder(path)
        return path / last

    def _made(self, name: str) -> Path:
        """The same, with its folders made, for this user alone."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._root
        for part in _parts(name)[:-1]:
            path = path / part
            with suppress(FileExistsError):
                path.mkdir(mode=0o700)
            _demand_folder(path)
        return self._place(name)


def _demand_folder(path: Path) -> None:
    """Fails with an `OSError` for what is no folder itself: a link leads out of the root."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise NotADirectoryError(errno.ENOTDIR, f"{path.name} is a symbolic link, or no folder")


def _emptied(top: Path) -> int:
    """Take away what is in a folder; gives how many files went. What comes meanwhile may stay, and its folders."""
    gone = 0
    for at, folders, files in os.walk(top, topdown=False):
        for each in files:
            with suppress(FileNotFoundError):
                Path(at, each).unlink()
                gone += 1
        for each in folders:
            inner = Path(at, each)
            try:
                if inner.is_symlink():
                    inner.unlink()
                else:
                    inner.rmdir()
            except OSError as error:
                if error.errno not in {errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST}:
                    raise
    return gone


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """Alone with the changes of a folder's files, by a lock on the folder itself; where there are no locks, without."""
    handle = os.open(folder, _FOLDER) if _LOCKS else None
    try:
        if handle is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _parts(name: str) -> list[str]:
    """The parts of a relative name.

    Raises:
        ValueError: It leads out of the folder: a mistake of the program.
    """
    parts = name.split("/")
    if any(part in {"", ".", ".."} or "\\" in part or "\0" in part or ":" in part for part in parts):
        raise ValueError(f"{name!r} names no file below a folder")
    return parts


def _fresh(path: Path) -> tuple[Path, int]:
    """A new temporary file beside another, open and locked: so whoever finds it knows that somebody writes it."""
    while True:
        fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        handle = os.open(fresh, _MAKE, 0o600)
        _locked(handle)
        if os.fstat(handle).st_nlink:  # nobody took it for a leftover before it was locked
            return fresh, handle
        os.close(handle)


def _swept(path: Path) -> None:
    """What a killed process left beside a file of this name goes: it may hold what was forgotten since."""
    for left in path.parent.glob(f".{path.name}.{'[0-9a-f]' * 16}") if _LOCKS else ():
        with suppress(OSError):
            handle = os.open(left, _READ)
            try:
                if _locked(handle):
                    left.unlink()
            finally:
                os.close(handle)


def _locked(handle: int) -> bool:
    """Whether nobody else holds the file; then we do, until it is closed."""
    if _LOCKS:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # held, or a file system without locks: then nothing is swept
            return False
    return True


def _renamed(fresh: Path, path: Path) -> None:
    for left in reversed(range(_TRIES)):
        try:
            fresh.replace(path)
        except PermissionError:  # Windows: a reader has the old file open
            if not left:
                raise
        else:
            return


def _settled(folder: Path) -> None:
    """The new name is on the disk too, where a folder can be told so."""
    with suppress(OSError):
        handle = os.open(folder, _FOLDER)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _failed(name: str, error: OSError) -> ArtifactError:
    told = f"{name} could not be written: {error.strerror or type(error).__name__}."
    return ArtifactError(told, retryable=True)  # there may be room again, or the right to write
