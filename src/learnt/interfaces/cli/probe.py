"""What `learnt doctor` tries and counts: the models, and what is derived from the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.interfaces.cli.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.interfaces.cli.frame import Desk


def index(desk: Desk) -> Iterator[Check]:
    """Whether full text, counters and codes of vectors agree with their rows."""
    found = desk.engine.disagreements()
    if found:
        told = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in found.items())
        yield Check("index", "problem", f"does not agree with the rows: {told}", "`learnt doctor --repair`")
    else:
        yield Check("index", "ok", "full text, counters and codes of vectors agree with their rows")


def models(desk: Desk) -> Iterator[Check]:
    """Whether the models in use answer. One that is not there is no fault; one that is set and fails is."""
    for each in desk.engine.models():
        failed = each.word.startswith("failed")
        found = f"{each.part}: {each.version or each.word}" + (f" ({each.word})" if each.version and failed else "")
        yield Check("models", "problem" if failed else "ok", found, each.hint)
