"""What a scan costs, on every corpus and on texts built to make it slow. Bars T1 and T2."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from learnt.evals.security.judge import ENGINEERING, kb
from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.evals.datasets.security import Case
    from learnt.gate.scan import Gate
    from learnt.model.verdict import Verdict

Json = dict[str, Any]
SMALL_BYTES, SIZE_BYTES, LARGE_BYTES = 1 << 15, 1 << 16, 1 << 20
BUDGET_MS = 1000.0
"""Most for a mebibyte, unless the verdict is `incomplete`, which refuses the write."""
NOISE_MS = 2.0
"""Below this a ratio of two times says nothing."""
_REPEATS = 5
"""The best of so many counts: what else the machine does is not the gate's."""


def full(gate: Gate, find: Callable[[str], object]) -> Callable[[str], Verdict]:
    """Everything the gate can do to one text: secrets, orders and markers, and personal data."""

    def scan(text: str) -> Verdict:
        verdict = gate.scan([Passage(field="text", text=text)])
        find(text)
        return verdict

    return scan


def figures(corpora: Mapping[str, Sequence[Case]], hostile: Sequence[Mapping[str, Any]], gate: Gate, find: Any) -> Json:
    """Milliseconds a kilobyte over each corpus, and how the hostile texts fare."""
    scan = full(gate, find)
    by_corpus = {name: _per_kb(scan, cases) for name, cases in corpora.items()}
    made: Json = {
        "ms_per_kb": by_corpus,
        "engineering": max((by_corpus[name] for name in ENGINEERING if name in by_corpus), default=None),
        "slowest_corpus": max(by_corpus.values(), default=None),
    }
    judged = {str(each["id"]): _hostile(scan, each) for each in hostile if each.get("kind", "text") == "text"}
    if judged:
        made["hostile"] = judged
        made["hostile_held"] = sum(each["held"] for each in judged.values()) / len(judged)
        made["hostile_ms_per_kb"] = max(each["ms_per_kb"] for each in judged.values())
        made["hostile_slowest"] = max(judged, key=lambda name: judged[name]["ms_per_kb"])
    return made


def _per_kb(scan: Callable[[str], object], cases: Sequence[Case]) -> float:
    """Milliseconds a kilobyte, text by text, once the automata have seen such texts: the best of several passes."""
    texts = [case.text for case in cases]
    spent = []
    for _ in range(_REPEATS):
        began = time.process_time()
        for text in texts:
            scan(text)
        spent.append((time.process_time() - began) * 1000)
    return min(spent) / kb(texts)


def filled(shape: Mapping[str, Any], size_bytes: int) -> str:
    """The hostile text of this size: its prefix, its unit as often as it fits, its suffix."""
    prefix, unit, suffix = str(shape["prefix"]), str(shape["unit"]), str(shape.get("suffix") or "")
    room = size_bytes - len((prefix + suffix).encode("utf-8", "surrogatepass"))
    return prefix + unit * max(1, room // max(1, len(unit.encode("utf-8", "surrogatepass")))) + suffix


def _hostile(scan: Callable[[str], Verdict], shape: Mapping[str, Any]) -> Json:
    small, size = (_best(scan, filled(shape, size)) for size in (SMALL_BYTES, SIZE_BYTES))
    began = time.process_time()
    verdict = scan(filled(shape, LARGE_BYTES))
    large = (time.process_time() - began) * 1000
    growth = size / max(small, NOISE_MS)
    return {
        "ms_per_kb": size / (SIZE_BYTES / 1024),
        "growth": growth,
        "large_ms": large,
        "large_verdict": verdict.outcome,
        "held": growth <= 2.6 and large <= BUDGET_MS,
    }


def _best(scan: Callable[[str], object], text: str) -> float:
    spent = []
    for _ in range(_REPEATS):
        began = time.process_time()
        scan(text)
        spent.append((time.process_time() - began) * 1000)
    return min(spent)
