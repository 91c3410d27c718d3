"""A session of pi as the tree it is: every entry names its parent, and the conversation is one way through it.

The way goes from the last entry, or from where the last `leaf` points, to a root. An entry whose parent is not in the
file (its line may be damaged) follows the entry before it, so that one bad line does not cut off the beginning; files
of the first version name no parents and are one way from end to end.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.value import text

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE: Final = frozenset({"session", "title"})
"""Records that are no entries of the tree."""
_NONE: Final = -1


class Tree:
    """Which lines of a file belong to its conversation.

    Memory: eight bytes an entry, one a line, and the entries' ids while the file is read.
    """

    def __init__(self, path: Path) -> None:
        self._entries: dict[str, int] = {}
        self._lines = array("q")
        self._parents = array("q")
        self._leaf = _NONE
        self.lines = 0
        for item in records(path):
            self.lines = item.span.record + 1
            if isinstance(item, Record) and text(item.fields, "type") not in OUTSIDE:
                self._grow(item.fields, item.span.record)
        self._on_way = bytearray(self.lines)
        at = self._leaf
        while at != _NONE:
            self._on_way[self._lines[at]] = 1
            at = self._parents[at]
        self._entries.clear()

    def __contains__(self, line: int) -> bool:
        """Whether a line is on the way."""
        return line < self.lines and bool(self._on_way[line])

    def _grow(self, fields: dict[str, Any], line: int) -> None:
        """One entry more; it is where the conversation goes on from."""
        at = len(self._lines)
        self._lines.append(line)
        self._parents.append(self._parent(fields, "parentId", at - 1))
        identity = text(fields, "id")
        if identity:
            self._entries.setdefault(identity, at)
        self._leaf = at
        if fields.get("type") == "leaf":
            key = next((key for key in ("targetId", "entryId", "leafId") if key in fields), "parentId")
            self._leaf = self._parent(fields, key, at - 1)

    def _parent(self, fields: dict[str, Any], key: str, before: int) -> int:
        """The entry a key names; none where it says so, and the one before where that is not known."""
        if key in fields and fields[key] is None:
            return _NONE
        return self._entries.get(text(fields, key), before)


def identities(path: Path) -> frozenset[str]:
    """The ids of all entries of a file."""
    return frozenset(
        identity for item in records(path) if isinstance(item, Record) and (identity := text(item.fields, "id"))
    )
