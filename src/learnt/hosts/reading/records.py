"""Lines as JSON records, or as a note of what is wrong with them. One bad line never ends a reading.

What the host's own parser accepts is accepted: a repeated key (the last counts), a byte order mark, two records on one
line. `NaN`, a number or list as a line, nesting deeper than the interpreter can follow and integers of thousands of
digits are malformed. Invalid UTF-8 and halves of surrogate pairs become U+FFFD.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from learnt.hosts.reading.lines import MAX_LINE_BYTES, Line, LongLine, lines
from learnt.hosts.reading.splice import rebuilt
from learnt.model.session import Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_MAX_JOINED_LINES = 16
_MAX_JOINED_BYTES = 256 << 10
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Record:
    """One record; of an over-long one the middle is left out, and a mark in its text says so."""

    span: Span
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record whose type, its first key, is one to skip; it was not decoded."""

    span: Span


Item = Record | Skipped | Malformed


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_LENIENT: Final = json.JSONDecoder(parse_constant=_refuse, strict=False)


def records(
    path: Path,
    offset: int = 0,
    number: int = 0,
    skipped_types: Iterable[str] = (),
    *,
    most_bytes: int = MAX_LINE_BYTES,
) -> Iterator[Item]:
    """Every record from a byte offset on, which is line `number`.

    Args:
        skipped_types: Records that begin with `{"type":"<one of these>"` are not decoded. The same record with its
            keys in another order or spaced otherwise is given decoded; the reader drops it by its type.
        most_bytes: A record up to this size is decoded whole.
    """
    skips = tuple(b'{"type":%s' % json.dumps(name).encode() for name in skipped_types)
    broken: list[Line] = []
    for line in lines(path, offset, number, most_bytes):
        if broken:
            if _joins(broken, line):
                continue
            yield from _given_up(broken)
        if isinstance(line, LongLine):
            yield _long(line)
        elif skips and line.body.startswith(skips) and line.body.endswith(b"}"):
            yield Skipped(_span(line))
        elif (usual := _usual(line)) is not None:
            yield usual
        else:
            yield from _read(line, broken)
    yield from _given_up(broken)


def decoded(body: bytes) -> Any:
    """The one JSON value of `body`, read as leniently as a record.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested too deeply.
    """
    text = body.decode("utf-8", "replace").strip(" \t\r\n")
    value, end = _DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError("more than one value")
    return _mended(value) if "\\u" in text and ("\\ud" in text or "\\uD" in text) else value


def _span(line: Line | LongLine) -> Span:
    return Span(offset=line.offset, length=line.length, record=line.number)


def _usual(line: Line) -> Record | None:
    """The one record of a line; None when the line needs a closer look."""
    text = line.body.decode("utf-8", "replace")
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if end != len(text) or type(value) is not dict or ("\\u" in text and ("\\ud" in text or "\\uD" in text)):
        return None
    return Record(_span(line), value)


def _read(line: Line, broken: list[Line]) -> Iterator[Item]:
    """The records of one line; one that does not end is put into `broken`, in case it goes on in the next line."""
    text = line.body.decode("utf-8", "replace").strip(" \t\r")
    if not text:
        yield Malformed(span=_span(line), reason="empty line")
        return
    at = 0
    while at < len(text):
        try:
            value, end = _DECODER.raw_decode(text, at)
            value = _mended(value) if "\\u" in text and ("\\ud" in text or "\\uD" in text) else value
        except (ValueError, RecursionError) as fault:
            if at == 0 and text[0] == "{" and line.ended and isinstance(fault, json.JSONDecodeError):
                broken.append(line)
            else:
                yield Malformed(span=_span(line), reason=reason_of(fault), torn=not line.ended)
            return
        if not isinstance(value, dict):
            yield Malformed(span=_span(line), reason="no JSON object")
            return
        yield Record(_part(line, text, at, end), value)
        at = _behind_blanks(text, end)


def _part(line: Line, text: str, at: int, end: int) -> Span:
    """Where a record stands; the usual one has its line for itself."""
    if at == 0 and end == len(text):
        return _span(line)
    before, size = len(text[:at].encode()), len(text[at:end].encode())
    return Span(offset=line.offset + before, length=size, record=line.number)


def _behind_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r":
        at += 1
    return at


def reason_of(fault: Exception) -> str:
    """What a parser's complaint says, in short."""
    return "nested too deeply" if isinstance(fault, RecursionError) else f"{fault}"[:200]


def _joins(broken: list[Line], line: Line | LongLine) -> bool:
    """Whether `line` is taken as the possible continuation of a record with raw line breaks inside."""
    size = sum(part.length for part in broken) + line.length
    if isinstance(line, LongLine) or size > _MAX_JOINED_BYTES or len(broken) >= _MAX_JOINED_LINES:
        return False
    if line.body.lstrip().startswith(b"{"):
        return False
    broken.append(line)
    return True


def _given_up(broken: list[Line]) -> Iterator[Malformed]:
    """What became of lines that did not parse: one damaged span when they are one record together, else each."""
    if not broken:
        return
    whole = _joined(broken)
    first, rest = broken[0], broken[whole:]
    if whole > 1:
        span = Span(offset=first.offset, length=sum(part.length for part in broken[:whole]), record=first.number)
        yield Malformed(span=span, reason="line breaks inside a record")
    else:
        rest = broken
    for line in rest:
        yield Malformed(span=_span(line), reason="no whole record", torn=not line.ended)
    broken.clear()


def _joined(broken: list[Line]) -> int:
    """How many of the lines are one record together; 0 when none are."""
    for count in range(2, len(broken) + 1):
        text = b"\n".join(part.body for part in broken[:count]).decode("utf-8", "replace")
        try:
            if isinstance(_LENIENT.decode(text), dict):
                return count
        except (ValueError, RecursionError):
            continue
    return 0


def _long(line: LongLine) -> Record | Malformed:
    if not line.ended:
        return Malformed(span=_span(line), reason="over-long line without an end", torn=True)
    fields = rebuilt(line, _DECODER)
    if fields is None:
        return Malformed(span=_span(line), reason="over-long line is no JSON object")
    return Record(_span(line), fields)


def _mended(value: Any) -> Any:
    """`value` with every lone half of a surrogate pair replaced."""
    if isinstance(value, str):
        return _SURROGATE.sub("�", value)
    if isinstance(value, dict):
        return {_mended(key): _mended(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mended(inner) for inner in value]
    return value
