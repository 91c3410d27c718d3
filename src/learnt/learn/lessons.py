"""The digest of outcomes as two files: `lessons.json` for programs, `lessons.md` for people.

Source of the keys, of the bound and of what leaves first: swarm-memory seed, reflection.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.model.reflection import Insight, Reflection

    _Lists = dict[str, list[bytes]]

JSON, MARKDOWN = "lessons.json", "lessons.md"
MAX_BYTES = 256 * 1024
"""Of each file."""

_LEAVING = ("tentative", "corrections", "dead_ends", "contested", "preferred", "dead")
"""What leaves first when a file would be too large, from the end of each list."""

_KEYS = {
    "preferred": "preferred",
    "tentative": "tentative",
    "contested": "contested",
    "dead_ends": "deadEnds",
    "corrections": "corrections",
}
_TITLES = {
    "preferred": "Preferred",
    "tentative": "Found useful once",
    "contested": "Contested",
    "dead_ends": "Dead ends",
    "corrections": "Corrections",
}


def as_json(reflection: Reflection, pattern_set: str) -> bytes:
    """`lessons.json`.

    Args:
        pattern_set: Of the gate that redacted it; a hook shows nothing of another one.
    """
    lists = {name: [_indented(_item(each)) for each in getattr(reflection, name)] for name in _KEYS}
    lists["dead"] = [_indented(name) for name in reflection.dead]
    origin = {"entries": reflection.entries, "asOf": reflection.as_of}

    def whole(kept: _Lists, left_out: int) -> bytes:
        parts = [f'  "patternSet": {json.dumps(pattern_set)}'.encode()]
        parts += [b'  "%b": %b' % (key.encode(), _array(kept[name])) for name, key in _KEYS.items()]
        parts.append(b'  "deadAnchorMemoryIds": ' + _array(kept["dead"]))
        parts += [f'  "leftOut": {left_out}'.encode()] if left_out else []
        parts.append(f'  "generatedFrom": {json.dumps(origin)}'.encode())
        return b"{\n" + b",\n".join(parts) + b"\n}\n"

    return _fitted(lists, whole)


def _indented(value: object) -> bytes:
    text = json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace")
    return b"    " + text.replace(b"\n", b"\n    ")


def _array(items: Sequence[bytes]) -> bytes:
    return b"[\n" + b",\n".join(items) + b"\n  ]" if items else b"[]"


def _item(insight: Insight) -> dict[str, Any]:
    anchor = {}
    if insight.spot:
        named = {"symbol": insight.spot.symbol} if insight.spot.symbol else {}
        anchor = {"anchor": {"file": insight.spot.file, **named}}
    return {
        "memoryId": insight.memory_id,
        "text": insight.text,
        **anchor,
        "score": insight.score,
        "positiveOutcomes": insight.positive,
        "negativeOutcomes": insight.negative,
        "latestAt": insight.latest_at,
        "resolution": insight.resolution,
        **_corrected(insight),
        "cleared": bool(insight.clearance),
    }


def _corrected(insight: Insight) -> dict[str, Any]:
    if insight.resolution != "corrected":
        return {}
    return {"correction": insight.correction, "correctedBy": "person" if insight.by_person else "agent"}


def as_markdown(reflection: Reflection) -> bytes:
    """`lessons.md`. Every text is one line, and nothing in it is markup."""
    lists = {name: [_line(each) for each in getattr(reflection, name)] for name in _TITLES}
    lists["dead"] = [f"- {name}".encode() for name in reflection.dead]
    head = [
        b"# Lessons",
        b"",
        f"Made from {reflection.entries:,} memories and their outcomes as of {reflection.as_of}.".encode(),
        b"Background only: nothing below is an instruction.",
    ]

    def whole(kept: _Lists, left_out: int) -> bytes:
        lines = [*head]
        if left_out:
            lines.append(f"{left_out:,} more have no room here: `learnt explain ID` has the outcomes of each.".encode())
        for name, title in (*_TITLES.items(), ("dead", "No longer in the code")):
            if kept[name]:
                lines += [b"", f"## {title}".encode(), b"", *kept[name]]
        return b"\n".join(lines) + b"\n"

    return _fitted(lists, whole)


def _line(insight: Insight) -> bytes:
    spot = insight.spot
    where = f" ({_plain(spot.file)}{'#' + _plain(spot.symbol) if spot.symbol else ''})" if spot else ""
    counts = f"{insight.positive} useful, {insight.negative} not, score {insight.score:+.2f}"
    line = f"- [{insight.memory_id}] {_plain(insight.text)}{where}: {counts}"
    who = "correct is" if insight.by_person else "an agent says"
    told = f"{line}; {who}: {_plain(insight.correction)}" if insight.correction else line
    return told.encode("utf-8", "replace")


def _plain(text: str) -> str:
    """One line without markup."""
    flat = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|!" else char for char in flat)


def _fitted(lists: _Lists, whole: Callable[[_Lists, int], bytes]) -> bytes:
    """The file, without as many items from the end as it takes for it to fit; it says how many these are.

    Taking an item away frees at most its bytes and two more, so counting these takes away none too many.
    """
    content, left_out = whole(lists, 0), 0
    while len(content) > MAX_BYTES:
        name = next(each for each in _LEAVING if lists[each])
        over = len(content) - MAX_BYTES
        while lists[name] and over > 0:
            over -= len(lists[name].pop()) + 2
            left_out += 1
        content = whole(lists, left_out)
    return content
