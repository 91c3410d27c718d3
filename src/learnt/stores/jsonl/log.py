"""The file of lines: read on from where it was read before, appended to by one process at a time, made anew at once."""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from learnt.errors import StoreBusyError, StoreError, StoreFullError, StoreReadOnlyError
from learnt.stores.jsonl.rows import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_LOCKS = fcntl is not None
_NOWHERE = (b"", 0)
FILE, LOCK = "memory.jsonl", "memory.lock"
_PAUSE_S = 0.004
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Log:
    """One file of lines.

    Args:
        folder: Where it lies; made, for this user alone.
        wait_s: How long a writer waits for others.

    Attributes:
        read_only: No right to write here.
        tail_bytes: What stands behind the last whole line: torn, or still being written.
    """

    def __init__(self, folder: Path, wait_s: float) -> None:
        self.path = folder / FILE
        self._lock = folder / LOCK
        self._wait_s = wait_s
        self._seen = _NOWHERE
        """The first line, which no two files share, and how far this one was read: whole lines only."""
        self.tail_bytes = 0
        self._mark: tuple[int, ...] | None = None
        """What tells that nothing was changed since."""
        if self.path.is_symlink() or self._lock.is_symlink():
            raise StoreError(
                "The store's file is a symbolic link.", code="store_symlink", details={"path": str(folder)}
            )
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _told(error, self.path) from error
        self.read_only = not os.access(folder, os.W_OK) or (self.path.exists() and not os.access(self.path, os.W_OK))
        if self.read_only and not self.path.exists():
            raise StoreReadOnlyError(
                "There is no store yet, and none can be made there.", details={"path": str(folder)}
            )

    @property
    def size_bytes(self) -> int:
        """Of the file; 0 where there is none yet."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else writes inside.

        Raises:
            StoreBusyError: Somebody wrote for longer than the wait.
            StoreReadOnlyError: Nothing can be written here.
        """
        if self.read_only:
            raise StoreReadOnlyError
        try:
            handle = os.open(self._lock, os.O_RDWR | os.O_CREAT | _NOFOLLOW, 0o600)
        except OSError as error:
            raise _told(error, self._lock) from error
        try:
            self._wait(handle)
            yield
        finally:
            os.close(handle)  # and the lock with it

    def news(self) -> tuple[bool, list[bytes]]:
        """Whether the file is another one than before, and the whole lines that were not read yet."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            was, self._seen, self._mark = self._seen, _NOWHERE, None
            return was != _NOWHERE, []
        except OSError as error:
            raise _told(error, self.path) from error
        if self._mark == _mark(found):
            return False, []
        return self._read()

    def _read(self) -> tuple[bool, list[bytes]]:
        try:
            handle = os.open(self.path, os.O_RDONLY | _NOFOLLOW)
        except OSError as error:
            raise _told(error, self.path) from error
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise StoreError("There is no file in the store's place.", details={"path": str(self.path)})
            head, offset = self._seen
            anew = found.st_size < offset or file.read(len(head)) != head or not head
            file.seek(0 if anew else offset)
            data = file.read()
        end = data.rfind(b"\n") + 1
        lines = data[:end].split(b"\n")[:-1]
        if is_whole(data[end:]):  # it lacks its end only: no beginning of an object is an object
            lines, end = [*lines, data[end:]], len(data)
        head = data[: data.find(b"\n") + 1] if anew else head
        self._seen, self._mark = (head, (0 if anew else offset) + end), _mark(found)
        self.tail_bytes = len(data) - end
        return anew, lines

    def is_torn(self) -> bool:
        """Whether something stands behind the last whole line that nobody is writing."""
        if not self.tail_bytes:
            return False
        try:
            handle = os.open(self._lock, os.O_RDONLY | _NOFOLLOW)
        except OSError:
            return True
        try:
            if _LOCKS:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        else:
            return True
        finally:
            os.close(handle)

    def append(self, head: bytes, body: bytes, seal: bytes) -> None:
        """Add lines, then, when they are safely kept, the one that makes them count. Inside `held`.

        Args:
            head: The first line of a file that is not there yet.

        Raises:
            StoreFullError, StoreError: They could not be written; the file is as it was.
        """
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NOFOLLOW, 0o600)
        except OSError as error:
            raise _told(error, self.path) from error
        try:
            before = self._mended(handle)
            try:
                _write(handle, head + body)
                os.fsync(handle)
                _write(handle, seal)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(handle, before)
                raise
            found = os.fstat(handle)
            self._seen, self._mark, self.tail_bytes = (head or self._seen[0], found.st_size), _mark(found), 0
        except OSError as error:
            raise _told(error, self.path) from error
        finally:
            os.close(handle)

    def rewrite(self, head: bytes, chunks: Iterable[bytes]) -> int:
        """Put a new file in the place of this one, whole or not at all. Inside `held`.

        Args:
            head: Its first line; that of no other file.

        Returns:
            By how many bytes it is smaller.
        """
        before, fresh = self.size_bytes, self.path.with_suffix(".fresh")
        try:
            fresh.unlink(missing_ok=True)
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW, 0o600)
            try:
                _write(handle, head)
                for chunk in chunks:
                    _write(handle, chunk)
                os.fsync(handle)
                found = os.fstat(handle)
            finally:
                os.close(handle)
            fresh.replace(self.path)
            _settle(self.path.parent)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise _told(error, self.path) from error
        self._seen, self._mark, self.tail_bytes = (head, found.st_size), _mark(self.path.stat()), 0
        return before - found.st_size

    def _mended(self, handle: int) -> int:
        """A last line without its end is ended, be it whole or torn: nothing is cut off. Gives the size then."""
        size = os.fstat(handle).st_size
        if not size:
            return 0
        os.lseek(handle, size - 1, os.SEEK_SET)
        if os.read(handle, 1) == b"\n":
            return size
        _write(handle, b"\n")
        return size + 1

    def _wait(self, handle: int) -> None:
        if not _LOCKS:
            return
        deadline = time.monotonic() + self._wait_s
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise StoreBusyError from None
                time.sleep(_PAUSE_S)
            else:
                return


def _mark(found: os.stat_result) -> tuple[int, ...]:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _settle(folder: Path) -> None:
    """The new name is kept, too, where a folder can be made to keep it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _told(error: OSError, path: Path) -> StoreError:
    if error.errno in _FULL:
        return StoreFullError(details={"path": str(path)})
    kind = StoreReadOnlyError if isinstance(error, PermissionError) else StoreError
    return kind(f"The store cannot be used: {error.strerror}.", details={"path": str(path)})
