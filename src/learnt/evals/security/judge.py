"""What the gate says of labelled texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from learnt.model.verdict import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.evals.datasets.security import Case
    from learnt.gate.scan import Gate
    from learnt.model.verdict import Verdict

Json = dict[str, Any]
FOUND = frozenset(("redact", "quarantine", "refuse"))
ENGINEERING = ("benign_commits", "benign_agent_guides", "benign_changelogs")
"""Corpora of ordinary engineering text."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and the verdict on it."""

    case: Case
    verdict: Verdict

    @property
    def found(self) -> bool:
        """Whether anything was found."""
        return self.verdict.outcome in FOUND

    def finds(self, *families: str) -> bool:
        """Whether something of these families was found."""
        return self.found and any(finding.family in families for finding in self.verdict.findings)


def judged(gate: Gate, cases: Iterable[Case]) -> list[Judged]:
    """Each case as the gate sees it: field by field, where it has fields."""
    made = []
    for case in cases:
        passages = [Passage(field=name, text=text) for name, text in case.fields or (("text", case.text),)]
        made.append(Judged(case, gate.scan(passages)))
    return made


def corpus(found: Sequence[Judged]) -> Json:
    """Recall, false alarms and precision of one corpus."""
    positive = [each for each in found if each.case.label == "positive" and not each.case.identifier]
    negative = [each for each in found if each.case.label == "negative"]
    other = [each for each in found if each.case.label not in {"positive", "negative"}]
    right, wrong = sum(each.found for each in positive), sum(each.found for each in negative)
    return {
        "cases": len(found),
        "positive": len(positive),
        "negative": len(negative),
        "recall": share(positive, lambda each: each.found),
        "false_positive_rate": share(negative, lambda each: each.found),
        "precision": right / (right + wrong) if right + wrong else None,
        "others_found": share(other, lambda each: each.found),
    }


def share(found: Sequence[Judged], holds: Callable[[Judged], bool]) -> float | None:
    """How many of these it holds for, as a share; None of none."""
    return sum(map(holds, found)) / len(found) if found else None


def kb(texts: Iterable[str]) -> float:
    """Kilobytes of UTF-8."""
    return max(1, sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)) / 1024
