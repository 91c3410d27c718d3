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
_TYPE, _REGULAR = 0o170000, 0o100000


class Looks:
    """The files of one event, each looked at once."""

    __slots__ = ("_known", "_left_bytes", "_seen", "_visit")

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._left_bytes = MAX_BYTES
        self._seen: dict[str, Look] = {}
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
            self._seen[path] = self._read(f"{self._visit.place.root}/{path}")
        return self._seen[path]

    def _read(self, path: str) -> Look:
        from learnt.model.view import View

        try:
            facts = os.stat(path)
            if facts.st_mode & _TYPE != _REGULAR:
                return "absent"
            if facts.st_size > self._left_bytes:
                return View(None)
            self._left_bytes -= facts.st_size
            with open(path, "rb", buffering=0) as file:
                return View(file.read(facts.st_size))
        except (FileNotFoundError, NotADirectoryError):
            return "absent" if os.path.isdir(self._visit.place.root) else "unreadable"
        except (OSError, ValueError):
            return "unreadable"
