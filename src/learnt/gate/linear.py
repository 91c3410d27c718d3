"""Expressions whose search takes time linear in the text, compiled once and kept."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from learnt.errors import GateError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def broken(error: Exception, name: str) -> GateError:
    """The error about a pattern file that cannot be used."""
    return GateError(details={"reason": type(error).__name__, "in": name})


@cache
def searcher(regex: str) -> Callable[[bytes, int], Sequence[tuple[int, int]]]:
    """What searches bytes from a place on, and gives the places of the match and of its groups; -1 for none.

    Raises:
        GateError: RE2 does not take the expression.
    """
    import re2

    # The version is pinned, and a test asks it: the binding is not part of what the package promises.
    search, anywhere = compiled(regex)._regexp.Match, re2._re2.RE2.Anchor.UNANCHORED  # noqa: SLF001 - as said

    def found(content: bytes, at: int) -> Sequence[tuple[int, int]]:
        places: Sequence[tuple[int, int]] = search(anywhere, content, at, len(content))
        return places

    return found


@cache
def compiled(regex: str) -> Any:
    """The expression as RE2 compiled it, kept: most patterns are never searched for places.

    Raises:
        GateError: RE2 does not take it.
    """
    import re2

    try:
        return re2.compile(regex)
    except re2.error as error:
        raise broken(error, regex[:40]) from error
