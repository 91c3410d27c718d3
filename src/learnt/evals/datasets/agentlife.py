"""AgentLife: all sessions of one user with an assistant, judged by the sessions that hold the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.evals.datasets.files import found, instant, rows
from learnt.evals.task import Ask, Collection, Dataset, Observe, Question
from learnt.model.evidence import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.evals.task import Probe, Step

PRESENT = frozenset(("stale_fact", "temporal_current", "contested_fact", "evolution"))
"""Types of questions about the present state."""
_PROBES: dict[str, Probe] = {"adversarial_idk": "unanswerable", "non_question": "small_talk"}


def read(folder: Path) -> Dataset:
    """The sessions in time order, then every question."""
    sessions = sorted(rows(*found(folder, "sessions*.jsonl")), key=_at)
    order = {str(each["sid"]): number for number, each in enumerate(sessions)}
    asked = [_question(each, order) for each in rows(*found(folder, "queries*.jsonl"))]
    steps: tuple[Step, ...] = (*(Observe(tuple(_turns(each))) for each in sessions), *map(Ask, asked))
    life = Collection(name="agentlife", steps=steps, questions=len(asked))
    return Dataset(name="agentlife", granularities=("session",), collections=(life,))


def _at(session: Mapping[str, Any]) -> str:
    return instant(str(session.get("at", "")).removesuffix(" UTC"), "iso", "%Y-%m-%d %H:%M:%S")


def _turns(session: Mapping[str, Any]) -> Iterator[Turn]:
    at, sid = _at(session), str(session["sid"])
    for each in session.get("turns") or []:
        for who in ("user", "assistant"):
            if str(each.get(who) or "").strip():
                yield Turn(text=str(each[who]), session=sid, who=who, at=at, key=f"{each.get('turn', '')}{who[0]}")


def _question(each: Mapping[str, Any], order: Mapping[str, int]) -> Question:
    kind = str(each.get("query_type") or "")
    evidence = sorted({str(sid) for sid in each.get("evidence_sessions") or []} & set(order), key=order.__getitem__)
    return Question(
        id=str(each.get("qid", "")),
        text=str(each.get("question", "")),
        category=kind or "other",
        relevant={"session": frozenset(evidence)},
        latest=tuple(evidence) if kind in PRESENT and len(evidence) > 1 else (),
        probe=_PROBES.get(kind, ""),
    )
