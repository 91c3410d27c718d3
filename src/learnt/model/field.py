"""Fields of rows that come from a file: each read with a check, and one form in which a row is written.

A field that does not fit is told by its name and what it should have been, never by its value.
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import UsageError
from learnt.model.scope import Scope, scope_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Read = Callable[[Any], Any]
    Write = Callable[[Any], Any]

MAX_METADATA_CHARS: Final = 100_000
"""Of one value's metadata as JSON."""

_INSTANT = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z")
_UNSHOWN = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""What a terminal or an editor would not show as it is; a line that holds any is written in ASCII."""


class MisfitError(ValueError):
    """A row that does not say what its format promises; the message names the field, never its value."""


def line_of(row: Mapping[str, Any]) -> str:
    """A row as one line of JSON, without its end."""
    line = _compact(row)
    return line if line.isascii() or not _UNSHOWN.search(line) else _ascii(row)


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_ascii = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def table_of(line: str | bytes) -> dict[str, Any]:
    """The object that a line of JSON holds.

    Raises:
        MisfitError: It holds none, or one nested too deeply.
    """
    try:
        said = line if isinstance(line, str) else line.decode(json.detect_encoding(line), "surrogatepass")
        found = _parsed(said)
    except UnicodeDecodeError:
        raise MisfitError("not UTF-8") from None
    except RecursionError:
        raise MisfitError("nested too deeply") from None
    except ValueError:
        raise MisfitError("not JSON") from None
    if not isinstance(found, dict):
        raise MisfitError("not a JSON object")
    return found


def _refuse(name: str) -> object:
    raise ValueError(name)


_parsed = json.JSONDecoder(parse_constant=_refuse).decode


def text(value: Any) -> str:
    """A text."""
    if type(value) is not str:
        raise MisfitError("not a text")
    return value


def maybe(read: Read) -> Read:
    """The same, or nothing."""
    return lambda value: None if value is None else read(value)


def blank(value: Any) -> str:
    """A text; nothing stands for an empty one."""
    if type(value) is str:
        return value
    return "" if value is None else text(value)


def one_of(names: Iterable[str]) -> Read:
    """One of some words."""
    known = frozenset(names)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            raise MisfitError("not one of " + ", ".join(sorted(known)))
        return value

    return read


def grade(value: Any) -> float:
    """A number from 0 to 1."""
    if type(value) is float and 0 <= value <= 1:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise MisfitError("not a number from 0 to 1")
    return float(value)


def instant(value: Any) -> str:
    """A canonical instant."""
    if not isinstance(value, str) or len(value) != 24 or not _INSTANT.fullmatch(value):
        raise MisfitError("not a time like 2026-05-24T12:00:00.000Z")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """Texts."""
    if not isinstance(value, list) or not {str}.issuperset(map(type, value)):
        raise MisfitError("not a list of texts")
    return tuple(value)


def pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of texts."""
    if not isinstance(value, list) or not all(isinstance(each, list) and len(each) == 2 for each in value):
        raise MisfitError("not a list of pairs")
    return tuple((text(each[0]), text(each[1])) for each in value)


def yes(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise MisfitError("not true or false")
    return value


def whole(value: Any) -> int:
    """A whole number, however it is written."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or abs(value) > 2**62:
        raise MisfitError("not a whole number")
    return int(value)


def metadata(value: Any) -> dict[str, Any]:
    """Free JSON values, bounded."""
    if not isinstance(value, dict):
        raise MisfitError("not an object")
    try:
        if value and len(_compact(value)) > MAX_METADATA_CHARS:
            raise MisfitError(f"more than {MAX_METADATA_CHARS:,} characters")
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, MisfitError) else MisfitError("holds what is no JSON value") from None
    return value


def plain(held: Any) -> Any:
    """A JSON value in its one form: names in order, whole numbers as such."""
    if isinstance(held, dict):
        return {str(name): plain(held[name]) for name in sorted(held, key=str)}
    if isinstance(held, list | tuple):
        return [plain(each) for each in held]
    if isinstance(held, float) and held.is_integer() and math.isfinite(held) and abs(held) < 2**53:
        return int(held)
    return held


def scope(value: Any) -> Scope:
    """The scope that the ids of a key name."""
    if not isinstance(value, dict) or not {str}.issuperset(map(type, value.values())):
        raise MisfitError("not the ids of a scope")
    return _scope(tuple(value.items()))


@lru_cache(maxsize=1_024)
def _scope(ids: tuple[tuple[str, str], ...]) -> Scope:
    try:
        return scope_of(_compact(dict(ids)))
    except UsageError:
        raise MisfitError("not the ids of a scope") from None
