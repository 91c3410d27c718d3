"""Data sets by the name they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.evals.datasets import agentlife, beam, cosqa, locomo, sessions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from learnt.evals.task import Dataset

SEARCHED: dict[str, Callable[[Path], Dataset]] = {
    "locomo": locomo.read,
    "beam": beam.read,
    "agentlife": agentlife.read,
    "cosqa": cosqa.read,
    "entire-sessions": sessions.read,
}
"""Those where evidence is searched; the others are told and asked in a way of their own."""

NAMES = (*SEARCHED, "supersede", "entire-anchors", "mempalace-extraction", "security")
ALSO = {"supersede-pep": "supersede"}
"""Other names of theirs: those of the folders they lie in."""
