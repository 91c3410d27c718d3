"""The JSON object in what a model said, whatever it said around it."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

_MOST_CHARACTERS: Final = 2_000_000
_TRIES: Final = 20
_FENCE: Final = re.compile(r"```[A-Za-z]*\s*\n(.*?)\n?\s*```", re.DOTALL)


def object_in(text: str) -> dict[str, Any] | None:
    """The object of a text: the whole of it, else the first that can be read in a code fence or after a brace.

    Source: autonomous-memory seed, parsing of an answer: the whole text, else its first block in braces.
    """
    text = text[:_MOST_CHARACTERS]
    whole = _read(text)
    if whole is not None:
        return whole
    for fenced in _FENCE.findall(text)[:_TRIES]:
        if (found := _read(fenced)) is not None:
            return found
    return _braced(text)


def _read(text: str) -> dict[str, Any] | None:
    try:
        found = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _braced(text: str) -> dict[str, Any] | None:
    at = -1
    for _ in range(_TRIES):
        at = text.find("{", at + 1)
        if at < 0:
            return None
        try:
            found, _ = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and found:
            return found
    return None


def _no_number(name: str) -> NoReturn:
    """NaN and infinities are no JSON.

    Raises:
        ValueError: Always.
    """
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)
