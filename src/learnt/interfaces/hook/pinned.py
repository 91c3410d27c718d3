"""Whether what a memory rests on is still there: files are looked for, not read.

A hook has no time to compare lines; the engine does, and says `changed since`. Here a memory is left out when every
file it is pinned to is gone, as the engine leaves it out. Costs one statement, and one look a file.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.interfaces.hook.visit import Visit

MAX_FILES = 8
"""A memory pinned to more files than this is shown: they are hardly all gone at once."""

_TYPE, _REGULAR = 0o170000, 0o100000


def gone(visit: Visit, memory_id: str) -> bool:
    """Whether all files of a memory are gone from a work tree that can be read."""
    paths = [str(path) for (path,) in visit.rows("pinned", (memory_id, MAX_FILES + 1))]
    if not 0 < len(paths) <= MAX_FILES:
        return False
    root = visit.place.root
    return all(_absent(f"{root}/{path}") for path in paths) and os.path.isdir(root)


def _absent(path: str) -> bool:
    try:
        return os.stat(path).st_mode & _TYPE != _REGULAR
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
