"""Where the patterns that hit stand in a text, and the text with those places replaced.

Works on the folded copy; offsets are characters of that copy.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.gate.patterns import Pattern


# A placeholder of ours. Nothing inside one is a secret, and no span may cut one in half.
PLACEHOLDER: Final = re.compile(r"\[REDACTED:[a-z0-9_]+\]")
_INTEGRITY: Final = re.compile(r"sha(?:1|256|384|512)-[A-Za-z0-9+/=]{0,128}$")
# A begin marker of a block with less than this after it is a mention, not key material.
_BLOCK_CHARS: Final = 24


@dataclass(frozen=True, slots=True)
class Span:
    """One place: the pattern, the first character and one past the last."""

    pattern: Pattern
    start: int
    end: int


def spans(patterns: Iterable[Pattern], text: str) -> list[Span]:
    """All places of the patterns in the text, in order of position, then of the pattern file."""
    found: list[Span] = []
    for pattern in patterns:
        found.extend(_blocks(pattern, text) if pattern.close is not None else _matches(pattern, text))
    return sorted(found, key=lambda span: (span.start, -span.end))


def _matches(pattern: Pattern, text: str) -> Iterator[Span]:
    for match in pattern.regex.finditer(text):
        groups = [number for number in range(1, pattern.regex.groups + 1) if match.start(number) >= 0]
        value = groups[-1] if groups else 0
        if not pattern.holds(match.group(1) if pattern.label else "", match.group(value)):
            continue
        start, end = match.span(0 if pattern.label or pattern.whole else value)
        if pattern.digest and _INTEGRITY.search(text[max(0, start - 140) : start]):
            continue
        yield Span(pattern, start, end)


def _blocks(pattern: Pattern, text: str) -> Iterator[Span]:
    """Blocks from marker to marker, or to where the body stops. Linear: each marker is searched for once."""
    closes = [match.span() for match in pattern.close.finditer(text)]
    ends = [start for start, _ in closes]
    done = 0
    for match in pattern.regex.finditer(text):
        if match.start() < done:
            continue
        index = bisect_left(ends, match.end())
        if index < len(closes):
            done = closes[index][1]
            inside = text[match.end() : closes[index][0]]
            if "\n" in inside or "\\n" in inside or len(inside.strip()) >= _BLOCK_CHARS and " " not in inside.strip():
                yield Span(pattern, match.start(), done)
            continue
        body = pattern.body.match(text, match.end())
        done = body.end() if body else match.end()
        if done - match.end() >= _BLOCK_CHARS:
            yield Span(pattern, match.start(), done)


def merge(places: Iterable[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Overlapping places as one, named after the longest of them (the first of equals)."""
    merged: list[tuple[str, int, int]] = []
    longest = 0
    for name, start, end in sorted(places, key=lambda place: (place[1], -place[2])):
        if merged and start < merged[-1][2]:
            last, first, reach = merged[-1]
            if end - start > longest:
                last, longest = name, end - start
            merged[-1] = (last, first, max(reach, end))
        else:
            merged.append((name, start, end))
            longest = end - start
    return merged


def replace(text: str, places: Iterable[tuple[str, int, int]]) -> str:
    """The text with each place (name, start, end) replaced by `[REDACTED:name]`; a placeholder that is touched goes whole."""
    marks = [match.span() for match in PLACEHOLDER.finditer(text)]
    parts: list[str] = []
    done = 0
    for name, start, end in merge(places):
        for first, last in marks:
            if first < start < last or first < end < last:
                start, end = min(start, first), max(end, last)
        parts += [text[done : max(start, done)], f"[REDACTED:{name}]"]
        done = max(end, done)
    return "".join([*parts, text[done:]])
