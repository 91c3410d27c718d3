"""Files of a work tree as they stand, each read once until it changes."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from learnt.model.view import MAX_BYTES, View

if TYPE_CHECKING:
    from learnt.model.view import Look

_MAX_FILES = 512
_KEPT_BYTES = 16 * 1024 * 1024
_FOLDERS_S = 1.0
_SETTLED_NS = 2_000_000_000
"""A file changed later than this before a look may change again within one tick of its clock, unseen."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_Stamp = tuple[int, int, int]


class Tree:
    """The files below one folder.

    A file counts as the same as at the last look when inode, size and time of change are. Only regular files whose real
    path lies inside the folder are opened, so that a link, a pipe or a device in a repository leads nowhere.
    """

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._base = self._root.rstrip(os.sep) + os.sep
        self._seen: dict[str, tuple[_Stamp, View]] = {}
        self._held_bytes = 0
        self._folders: dict[str, str] = {}
        self._folders_until = 0.0

    def look(self, path: str) -> Look:
        """See `learnt.ports.workplace.Workplace.look`."""
        folder, _, name = path.rpartition("/")
        try:
            found = os.path.join(self._folder(folder), name)
            facts = os.lstat(found)
            if stat.S_ISLNK(facts.st_mode):
                found = os.path.realpath(found)
                facts = os.lstat(found)
        except (FileNotFoundError, NotADirectoryError):
            return "absent" if self._readable() else "unreadable"
        except (OSError, ValueError):
            return "unreadable"
        if not stat.S_ISREG(facts.st_mode) or not found.startswith(self._base):
            return "absent"
        return self._known(path, found, facts)

    def _folder(self, folder: str) -> str:
        """The real path of a folder, found out at most once a second: it costs more than the look itself."""
        now = time.monotonic()
        if now > self._folders_until:
            self._folders.clear()
            self._folders_until = now + _FOLDERS_S
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(os.path.join(self._root, folder))
        return self._folders[folder]

    def _readable(self) -> bool:
        """Whether the folder itself is there to be read; otherwise nothing can be said of what is missing in it."""
        return os.path.isdir(self._root) and os.access(self._root, os.R_OK | os.X_OK)

    def _known(self, path: str, found: str, facts: os.stat_result) -> Look:
        stamp = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
        known = self._seen.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            view = View(None if facts.st_size > MAX_BYTES else _content(found, facts.st_size))
        except OSError:
            return "unreadable"
        if time.time_ns() - facts.st_mtime_ns > _SETTLED_NS:
            self._keep(path, stamp, view)
        return view

    def _keep(self, path: str, stamp: _Stamp, view: View) -> None:
        if len(self._seen) >= _MAX_FILES or self._held_bytes > _KEPT_BYTES:
            self._seen.clear()
            self._held_bytes = 0
        self._seen[path] = (stamp, view)
        self._held_bytes += stamp[1]


def _content(path: str, size: int) -> bytes:
    """The bytes of a file, at most `MAX_BYTES`; not blocked by what took its place meanwhile."""
    handle = os.open(path, _FLAGS)
    try:
        part = os.read(handle, size + 1)
        if len(part) == size:
            return part
        parts, left = [part], MAX_BYTES - len(part)  # it grew, shrank, or came in pieces
        while left > 0 and (part := os.read(handle, left)):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)
    finally:
        os.close(handle)
