"""Statements tied to lines of code: are those whose lines changed found out, and the others left alone?

Each finding is remembered beside its file as it was, in a folder of its own; then every file is put as it is now, and
the engine is asked what is stale.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.evals.metrics import share
from learnt.model.answer import Written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from learnt.engine import Engine
    from learnt.evals.datasets.anchors import Finding

Json = dict[str, Any]

FRESH = frozenset(("intact", "moved"))
"""States of lines that still stand together."""


def measured(
    findings: Sequence[Finding],
    opened: Callable[[], AbstractContextManager[Engine]],
    tell: Callable[[int, int], None] | None = None,
) -> Json:
    """Stale recall, precision and false alarms, and how long one check of everything took."""
    with opened() as engine:
        root = Path(engine.assembly.place.root)
        memories = {}
        for number, finding in enumerate(findings, 1):
            place = root / finding.id / finding.path
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(finding.then, place)
            written = engine.remember(
                f"{finding.id}: {finding.text}"[:2_000], kind="code_pattern", evidence=[_lines(finding)]
            )
            if isinstance(written, Written):
                memories[written.memory.id] = finding
            if tell:
                tell(number, len(findings))
        for finding in findings:
            _now(root / finding.id / finding.path, finding)
        began = time.perf_counter()
        states = _states(engine)
        elapsed_ms = (time.perf_counter() - began) * 1000
    return _figures([(finding, states.get(name, "unknown")) for name, finding in memories.items()], elapsed_ms)


def _lines(finding: Finding) -> str:
    return f"{finding.id}/{finding.path}:{finding.line}-{max(finding.line, finding.end)}"


def _now(place: Path, finding: Finding) -> None:
    if finding.now is None:
        place.unlink()
    else:
        shutil.copyfile(finding.now, place)


def _states(engine: Engine) -> dict[str, str]:
    """The state of every memory that is tied to code."""
    return {each.memory.id: each.state for each in engine.stale(check=True).checked or ()}


def _figures(judged: Sequence[tuple[Finding, str]], elapsed_ms: float) -> Json:
    flagged = [(finding, state not in FRESH) for finding, state in judged]
    stale = [alarm for finding, alarm in flagged if finding.stale]
    intact = [(finding, alarm) for finding, alarm in flagged if not finding.stale]
    states: dict[str, dict[str, int]] = {}
    for finding, state in judged:
        row = states.setdefault(finding.status, {})
        row[state] = row.get(state, 0) + 1
    return {
        "status": "ran",
        "reason": None,
        "granularity": "anchor",
        "questions": len(judged),
        "stale_recall": share(stale),
        "stale_precision": share(finding.stale for finding, alarm in flagged if alarm),
        "false_alarms": share(alarm for _, alarm in intact),
        "false_alarms_elsewhere": share(alarm for finding, alarm in intact if finding.touched),
        "by_category": states,
        "elapsed_ms": round(elapsed_ms, 3),
    }
