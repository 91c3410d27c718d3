"""One scope as ranking sees it, and how its statements are run. Hook-safe."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Rows = Callable[[str, dict[str, object]], list[tuple[Any, ...]]]
    """Runs a statement by its name; lists among the values are bound as whatever the database takes for a list."""


class Area:
    """One scope in sight, as ranking needs it.

    Attributes:
        size: One more than its highest sequence.
        prefix: What its stored terms begin with, so that one can be looked up by itself; "" where that cannot be.
    """

    __slots__ = ("active", "base", "blocks", "key", "no", "prefix", "size", "terms", "type", "version")

    def __init__(self, row: tuple[Any, ...]) -> None:
        self.no, self.key, self.type, self.active, self.terms, self.size, self.blocks, self.version, self.prefix = row
        self.base: int = self.no << 32
