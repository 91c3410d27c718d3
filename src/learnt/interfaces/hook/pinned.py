"""What a memory rests on beside the work tree, as the engine compares it, within a hook's means.

A memory without pins costs one statement; the modules that compare are loaded only for one that has some. Files are
read until a budget is used up: what is beyond it is unknown and shown as ever. That a file is gone is always seen.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from learnt.interfaces.hook.visit import Visit
    from learnt.model.pin import Freshness
    from learnt.model.view import Look

MAX_BYTES = 1024 * 1024
"""What one event reads of all files together, about a millisecond's worth."""

_FIELDS = ("path", "line", "end", "symbol", "marks", "before", "after", "copies", "height")
_TYPE, _REGULAR, _LINK = 0o170000, 0o100000, 0o120000
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


class Looks:
    """The files of one event, each looked at once."""

    __slots__ = ("_folders", "_known", "_left_bytes", "_seen", "_visit")

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._left_bytes = MAX_BYTES
        self._seen: dict[str, Look] = {}
        self._folders: dict[str, str] = {}
        self._known: dict[str, Freshness | None] = {}

    def whole(self, memory_id: str) -> Freshness | None:
        """The state of a memory; None for one without pins."""
        if memory_id not in self._known:
            rows = self._visit.rows("pinned", (memory_id,))
            self._known[memory_id] = self._compared(rows) if rows else None
        return self._known[memory_id]

    def label(self, memory_id: str) -> str | None:
        """What to say of a memory's code, "" for nothing; None for a memory whose code is gone."""
        whole = self.whole(memory_id)
        if whole is None:
            return ""
        from learnt.stale.whole import told

        return None if whole.state == "gone" else told(whole)

    def _compared(self, rows: list[tuple[Any, ...]]) -> Freshness | None:
        from learnt.model.pin import pin_of
        from learnt.stale.match import compare
        from learnt.stale.whole import folded

        pins = [pin_of(dict(zip(_FIELDS, row, strict=True)).get) for row in rows]
        return folded([compare(pin, self._look(pin.path)) for pin in pins if pin is not None])

    def _look(self, path: str) -> Look:
        if path not in self._seen:
            self._seen[path] = self._read(path)
        return self._seen[path]

    def _read(self, path: str) -> Look:
        """The file, as `learnt.bootstrap.tree` looks at it: what leads out of the work tree is not there."""
        from learnt.model.view import View

        try:
            found = self._real(path)
            facts = os.lstat(found)
            if facts.st_mode & _TYPE == _LINK:
                found = os.path.realpath(found)
                facts = os.lstat(found)
            if facts.st_mode & _TYPE != _REGULAR or not found.startswith(self._real("")):
                return "absent"
            if facts.st_size > self._left_bytes:
                return View(None)
            self._left_bytes -= facts.st_size
            with open(os.open(found, _OPEN), "rb", buffering=0) as file:
                return View(file.read(facts.st_size))
        except (FileNotFoundError, NotADirectoryError):
            return "absent" if os.path.isdir(self._visit.place.root) else "unreadable"
        except (OSError, ValueError):
            return "unreadable"

    def _real(self, path: str) -> str:
        """Where a path below the work tree leads, but for its last part, which may be a link; each folder once."""
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(f"{self._visit.place.root}/{folder}").rstrip("/")
        return f"{self._folders[folder]}/{name}"
