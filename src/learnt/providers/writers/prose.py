"""The JSON object in what a model said, whatever it said around it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST_CHARACTERS: Final = 2_000_000
_TRIES: Final = 20
_FENCE: Final = re.compile(r"```[A-Za-z]*\s*\n(.*?)\n?\s*```", re.DOTALL)
_THOUGHT: Final = "</think>"
"""Where a model ends that thinks aloud in its answer."""


def object_in(text: str, fits: Callable[[dict[str, Any]], bool] = bool) -> dict[str, Any] | None:
    """The first object of a text that fits, else the first: the whole text, in a code fence, or after a brace.

    Source: autonomous-memory seed, parsing of an answer: the whole text, else its first block in braces.
    """
    first = None
    for found in _objects(text[:_MOST_CHARACTERS]):
        if fits(found):
            return found
        first = first or found
    return first


def _objects(text: str) -> Iterator[dict[str, Any]]:
    whole = _read(text)
    if whole is not None:
        yield whole
        return
    text = text.rpartition(_THOUGHT)[2]
    yield from (found for fenced in _FENCE.findall(text)[:_TRIES] if (found := _read(fenced)) is not None)
    yield from _braced(text)


def _read(text: str) -> dict[str, Any] | None:
    try:
        found = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _braced(text: str) -> Iterator[dict[str, Any]]:
    at = text.find("{")
    for _ in range(_TRIES):
        if at < 0:
            return
        end = at + 1
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and found:
            yield found
        at = text.find("{", end)


def _no_number(name: str) -> NoReturn:
    """NaN and infinities are no JSON.

    Raises:
        ValueError: Always.
    """
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)
