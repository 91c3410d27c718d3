"""SQLite's C module without what it drags in: `_sqlite3` imports `functools` for one cache, and that costs 2 ms.

While it is imported a stand-in with the one name it asks for takes the place of `functools`; afterwards the place is
empty again, so whoever needs the real module gets it. An interpreter whose `_sqlite3` wants more gets the real one.
Source: own measurement, 40 runs: 9 % of a whole firing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def lru_cache(maxsize: int) -> Callable[[Callable[[str], Any]], Callable[[str], Any]]:
    """A cache of prepared statements; a hook runs some thirty of them and ends, so none is ever dropped."""

    def wrap(prepare: Callable[[str], Any]) -> Callable[[str], Any]:
        kept: dict[str, Any] = {}

        def get(sql: str) -> Any:
            if sql not in kept and len(kept) < maxsize:
                kept[sql] = prepare(sql)
            return kept[sql] if sql in kept else prepare(sql)

        return get

    return wrap


def load_sqlite() -> None:
    """Import `_sqlite3`; afterwards every `import _sqlite3` finds it."""
    if "functools" in sys.modules or "_sqlite3" in sys.modules:
        return
    stand_in = type(sys)("functools")
    stand_in.lru_cache = lru_cache  # type: ignore[attr-defined]
    sys.modules["functools"] = stand_in
    try:
        import _sqlite3  # noqa: F401 - for `sys.modules`
    except (ImportError, AttributeError):
        sys.modules.pop("_sqlite3", None)
    finally:
        del sys.modules["functools"]
