"""A set of message identities that stays small: in memory up to 100,000, beyond that in a private temporary database.

SQLite's unnamed database lives in its page cache and spills to a file that the operating system deletes with the
process. A transcript of 500 MB may hold 1.5 million identities: 130 MB as a Python set, 8 MB of cache here.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path
from typing import Final

IN_MEMORY: Final = 100_000


class Seen:
    """What was met before. Not for several threads."""

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._near: set[str] = set()
        self._far: sqlite3.Connection | None = None
        self._in_memory = in_memory

    def add(self, identity: str) -> bool:
        """Remember it; True when it is new."""
        if identity in self._near:
            return False
        if self._far is not None:
            return self._far.execute(_statements()["add"], (identity,)).rowcount == 1
        self._near.add(identity)
        if len(self._near) >= self._in_memory:
            self._spill()
        return True

    def __contains__(self, identity: str) -> bool:
        """Whether it was met."""
        if identity in self._near:
            return True
        return self._far is not None and self._far.execute(_statements()["has"], (identity,)).fetchone() is not None

    def close(self) -> None:
        """Give the temporary database back."""
        if self._far is not None:
            self._far.close()
            self._far = None
        self._near.clear()

    def _spill(self) -> None:
        """From now on new identities go to the database; those in memory stay there."""
        self._far = sqlite3.connect("", isolation_level=None)
        self._far.execute(_statements()["page"])
        self._far.execute(_statements()["create"])


@cache
def _statements() -> dict[str, str]:
    text = (Path(__file__).parent / "sql" / "seen.sql").read_text("utf-8")
    return {name.strip(): body for name, _, body in (part.partition("\n") for part in text.split("-- name: ")[1:])}
