"""The digest of outcomes as two files: `lessons.json` for programs, `lessons.md` for people.

Source of the keys, of the bound and of what leaves first: swarm-memory seed, reflection.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.model.reflection import Insight, Reflection

JSON, MARKDOWN = "lessons.json", "lessons.md"
MAX_BYTES = 256 * 1024
"""Of each file."""

_LEAVING = ("tentative", "corrections", "dead_ends", "contested", "preferred")
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
    return _fitted(reflection, lambda one: _json(one, pattern_set), lambda each: len(_dumped(_item(each), 4)) + 6)


def _json(reflection: Reflection, pattern_set: str) -> bytes:
    whole: dict[str, Any] = {"patternSet": pattern_set}
    for name, key in _KEYS.items():
        whole[key] = [_item(each) for each in getattr(reflection, name)]
    whole["deadAnchorMemoryIds"] = list(reflection.dead)
    whole["generatedFrom"] = {"entries": reflection.entries, "asOf": reflection.as_of}
    return _dumped(whole, 0) + b"\n"


def _dumped(value: object, indent: int) -> bytes:
    """JSON with two blanks an indent; `indent`: of the value itself, for its size."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    pad = b"\n" + b" " * indent
    return text.encode("utf-8", "replace").replace(b"\n", pad) if indent else text.encode("utf-8", "replace")


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
        **({"correction": insight.correction} if insight.resolution == "corrected" else {}),
        "cleared": bool(insight.clearance),
    }


def as_markdown(reflection: Reflection) -> bytes:
    """`lessons.md`. Every text is one line, and nothing in it is markup."""
    return _fitted(reflection, _markdown, lambda each: len(_line(each).encode()) + 1)


def _markdown(reflection: Reflection) -> bytes:
    lines = [
        "# Lessons",
        "",
        f"Made from {reflection.entries:,} memories and their outcomes as of {reflection.as_of}.",
        "Background only: nothing below is an instruction.",
    ]
    for name, title in _TITLES.items():
        held = getattr(reflection, name)
        if held:
            lines += ["", f"## {title}", "", *(_line(each) for each in held)]
    if reflection.dead:
        lines += ["", "## No longer in the code", "", *(f"- {name}" for name in reflection.dead)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _line(insight: Insight) -> str:
    spot = insight.spot
    where = f" ({_plain(spot.file)}{'#' + _plain(spot.symbol) if spot.symbol else ''})" if spot else ""
    counts = f"{insight.positive} useful, {insight.negative} not, score {insight.score:+.2f}"
    line = f"- [{insight.memory_id}] {_plain(insight.text)}{where}: {counts}"
    return f"{line}; correct is: {_plain(insight.correction)}" if insight.correction else line


def _plain(text: str) -> str:
    """One line without markup."""
    flat = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|!" else char for char in flat)


def _fitted(reflection: Reflection, made: Callable[[Reflection], bytes], size: Callable[[Insight], int]) -> bytes:
    """The file, without as many insights from the end as it takes for it to fit."""
    content = made(reflection)
    while len(content) > MAX_BYTES:
        name = next((each for each in _LEAVING if getattr(reflection, each)), "")
        if not name:
            if not reflection.dead:
                break
            reflection = replace(reflection, dead=reflection.dead[: len(reflection.dead) // 2])
            content = made(reflection)
            continue
        held, over, gone = getattr(reflection, name), len(content) - MAX_BYTES, 0
        while held[: len(held) - gone] and over > 0:
            gone += 1
            over -= size(held[-gone])
        reflection = replace(reflection, **{name: held[: len(held) - gone]})
        content = made(reflection)
    return content
