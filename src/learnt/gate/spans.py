"""Where the patterns that hit stand in a text, and the text with those places replaced.

Works on the folded copy; offsets are characters of that copy.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Final

from learnt.gate.linear import compiled, searcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.gate.patterns import Pattern

    Place = tuple[Pattern, int, int]
    """A pattern, the first character of its place and one past the last."""
    Groups = Sequence[tuple[int, int]]


# A placeholder of ours. Nothing inside one is a secret, and no span may cut one in half.
PLACEHOLDER: Final = re.compile(r"\[REDACTED:[a-z0-9_]+\]")
_INTEGRITY: Final = re.compile(r"sha(?:1|256|384|512)-[A-Za-z0-9+/=]{0,128}$")
# So many places of one injection pattern tell enough; of secrets every place is needed.
_FEW: Final = 16
_LINE_END: Final = re.compile(r"\\r\\n|\\n|\r?\n")
_KEY_LINE: Final = re.compile(r"""^[\s>|#*"'+]*[A-Za-z0-9+/=-]+[\s"'+,\\]*$""")
# How far back is looked for what makes an order none.
_BEFORE: Final = 100
_SENTENCE: Final = re.compile(r"[.!?]\s|\n")
# A begin marker of a block with less than this after it is a mention, not key material.
_BLOCK_CHARS: Final = 24


def spans(patterns: Iterable[Pattern], text: str) -> list[Place]:
    """All places of the patterns in the text, in order of position, then of the pattern file."""
    found: list[Place] = []
    for pattern in patterns:
        found.extend(_blocks(pattern, text) if pattern.close else _matches(pattern, text))
    return found if len(found) < 2 else sorted(found, key=lambda place: (place[1], -place[2]))


def finds(regex: str, text: str) -> Iterator[Groups]:
    """The places of an expression and of its groups, match after match; (-1, -1) for a group that took no part."""
    if not text.isascii():
        for match in compiled(regex).finditer(text):
            yield tuple(match.span(number) for number in range(_groups(regex) + 1))
        return
    # Where bytes and characters agree, the binding is asked itself: what wraps it costs more than the search.
    content, at, search = text.encode(), 0, searcher(regex)
    while at <= len(content):
        groups = search(content, at)
        start, end = groups[0]
        if start < 0:
            return
        yield groups
        at = end if end > start else end + 1


@cache
def _groups(regex: str) -> int:
    count: int = compiled(regex).groups
    return count


def _matches(pattern: Pattern, text: str) -> Iterator[Place]:
    found = 0
    for groups in finds(pattern.regex, text):
        first, last = _value(groups)
        label = text[slice(*groups[1])] if pattern.label else ""
        if not pattern.holds(label, text[first:last]):
            continue
        whole, _ = groups[0]
        if pattern.unless and is_excused(pattern, text, whole):
            continue
        start, end = groups[0] if pattern.label or pattern.whole else (first, last)
        if pattern.digest and _INTEGRITY.search(text[max(0, start - 140) : start]):
            continue
        yield pattern, start, end
        found += 1
        if found == _FEW and pattern.family != "secret":
            return


def is_excused(pattern: Pattern, text: str, start: int) -> bool:
    """Whether what stands before a place in the same sentence makes it no order."""
    before = text[max(0, start - _BEFORE) : start]
    sentence = _SENTENCE.split(before)[-1]
    return compiled(pattern.unless).search(sentence) is not None


def _value(groups: Groups) -> tuple[int, int]:
    """The last group that took part, which is the value; the whole match when there is none."""
    return next((place for place in reversed(groups) if place[0] >= 0), (0, 0))


def _blocks(pattern: Pattern, text: str) -> Iterator[Place]:
    """Blocks from marker to marker, or to where the body stops. Linear: no part of the text is read twice."""
    closes = [groups[0] for groups in finds(pattern.close, text)]
    ends = [start for start, _ in closes]
    opens = [groups[0] for groups in finds(pattern.regex, text)]
    done = 0
    for number, (start, end) in enumerate(opens):
        if start < done:
            continue
        index = bisect_left(ends, end)
        if index < len(closes):
            done = closes[index][1]
            if _is_material(text[end : closes[index][0]]):
                yield pattern, start, done
            continue
        limit = opens[number + 1][0] if number + 1 < len(opens) else len(text)
        body = compiled(pattern.body).match(text[end:limit])
        done = end + (body.end() if body else 0)
        if done - end >= _BLOCK_CHARS:
            yield pattern, start, done


def _is_material(inside: str) -> bool:
    """Whether what stands between two markers is key material and not prose or code that names both."""
    lines = _LINE_END.split(inside)
    if len(lines) == 1:
        return len(inside.strip()) >= _BLOCK_CHARS and " " not in inside.strip()
    return any(_KEY_LINE.match(line) for line in lines)


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
    """The text with each place (name, start, end) as `[REDACTED:name]`; a placeholder that a place cuts goes whole."""
    marks = [match.span() for match in PLACEHOLDER.finditer(text)]
    widened = [(name, _edge(marks, start, 0), _edge(marks, end, 1)) for name, start, end in places]
    parts: list[str] = []
    done = 0
    for name, start, end in merge(widened):
        parts += [text[done:start], f"[REDACTED:{name}]"]
        done = end
    return "".join([*parts, text[done:]])


def _edge(marks: list[tuple[int, int]], place: int, side: int) -> int:
    """The place, or the given side of the placeholder that it falls into."""
    index = bisect_left(marks, (place, 0)) - 1
    if index >= 0 and marks[index][0] < place < marks[index][1]:
        return marks[index][side]
    return place
