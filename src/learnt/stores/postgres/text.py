"""Text on its way to a server and back: what PostgreSQL cannot keep, U+0000, comes back as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Values = Sequence[object] | Mapping[str, object]
    Row = tuple[Any, ...]

_MARK = "\x1a"
"""Stands before `0` for U+0000, and twice for itself. Text with either is rare."""


def encoded(text: str) -> str:
    """Text as it is stored; what is not in the way of PostgreSQL stays as it is."""
    if "\0" in text or _MARK in text:
        return text.replace(_MARK, _MARK + _MARK).replace("\0", _MARK + "0")
    return text


def decoded(text: str) -> str:
    """The text that `encoded` stored."""
    if _MARK not in text:
        return text
    return _MARK.join(part.replace(_MARK + "0", "\0") for part in text.split(_MARK + _MARK))


def outgoing(values: Values) -> Values | None:
    """The values of a statement, as they are stored."""
    if isinstance(values, dict):
        return {name: _sent(value) for name, value in values.items()}
    return [_sent(value) for value in values] or None


def _sent(value: object) -> object:
    if isinstance(value, str):
        return encoded(value)
    if isinstance(value, list):
        return [_sent(each) for each in value]
    return value


def incoming(rows: list[Row]) -> list[Row]:
    """The rows, with their text as it was given."""
    if _marked(rows):
        return [tuple(_received(value) for value in row) for row in rows]
    return rows


def _marked(rows: Iterable[Iterable[object]]) -> bool:
    """Whether some text holds a mark; plain loops, because this looks at everything that is ever read."""
    for row in rows:
        for value in row:
            if type(value) is str:
                if _MARK in value:
                    return True
            elif type(value) is list and _marked((value,)):
                return True
    return False


def _received(value: object) -> object:
    if type(value) is str:
        return decoded(value)
    return [_received(each) for each in value] if type(value) is list else value
