"""The seed's maintenance report."""

from __future__ import annotations

from typing import Any

import pytest

from learnt.model.brief import Brief
from learnt.model.ranking import Bundle
from learnt.stale.report import Bounds, Recalled, Report, importance, reasons, recalls_of, roles_of, weigh

NOW = "2026-11-01T12:00:00.000Z"
OLD = "2026-04-15T12:00:00.000Z"
"""200 days before."""


def memory(name: str, **facts: Any) -> Brief:
    given = {"kind": "project_fact", "status": "active", "confidence": 0.5, "q_value": 0.5, "created_at": OLD}
    given |= {"updated_at": OLD, "expires_at": None, "superseded_by": None, "text": name}
    return Brief(id=name, **{**given, **facts})


def bundle(name: str, ids: tuple[str, ...], score: float, role: str, at: str = NOW) -> Bundle:
    return Bundle(
        id=name,
        timestamp=at,
        moment="manual",
        query_hash="",
        memory_ids=ids,
        scores=(score,) * len(ids),
        token_estimate=1,
        agent_role=role,
    )


@pytest.mark.parametrize(
    ("confidence", "recalls", "recalled_days", "created_days", "wanted"),
    [(0.9, 0, 0, 200, 0.245300), (0.2, 0, 0, 200, 0.070300), (0.8, 5, 3, 30, 0.574406)],
)
def test_importance(confidence: float, recalls: int, recalled_days: float, created_days: float, wanted: float) -> None:
    """The seed's formula, on three hand-calculated memories."""
    found = importance(
        confidence=confidence,
        created_days=created_days,
        recalled=Recalled(count=recalls),
        recalled_days=recalled_days,
    )
    assert found == pytest.approx(wanted, abs=1e-6)


def test_every_memory_is_in_its_lists() -> None:
    """Each list holds what its name says; what is retired is in no list of the living."""
    recalls = {"loved": Recalled(count=6, last_at=NOW), "five": Recalled(count=5, last_at=NOW)}
    never = frozenset(("plain", "doubtful", "suppressed", "edge"))
    report = Report(limit=20, recalls=recalls, never=never)
    for each in (
        memory("plain", confidence=0.9),
        memory("doubtful", confidence=0.2),
        memory("suppressed", confidence=0.9, q_value=0.149),
        memory("edge", confidence=0.9, q_value=0.15),
        memory("loved", confidence=0.9, q_value=0.9),
        memory("five", confidence=0.9, q_value=0.9),
        memory("gone", status="deleted"),
        memory("note", kind="scratch", expires_at=NOW),
        memory("todo", kind="todo", expires_at=NOW),
        memory("one", status="superseded", superseded_by="two"),
        memory("two", status="superseded", superseded_by="plain"),
        memory("held", status="quarantined"),
    ):
        weigh(report, each, NOW, Bounds())
    found = {name: [each.id for each in values] for name, values in report.lists.items()}
    assert found == {
        "deleted": ["gone"],
        "expiredScratch": ["note"],
        "superseded": ["one", "two"],
        "lowUtility": ["doubtful"],
        "neverRecalled": ["doubtful", "edge", "plain", "suppressed"],
        "lowQValue": ["suppressed"],
        "promotionCandidates": ["loved"],
    }
    assert (report.total, report.active) == (12, 6)
    assert [chain.ids for chain in report.chains] == [("one", "two", "plain")]


def test_lists_are_bounded_and_counts_are_not() -> None:
    """Of many only those changed last are kept, then by id, in whatever order they come."""
    report = Report(limit=2)
    for number in (3, 0, 4, 1, 2):
        weigh(report, memory(f"m{number}", status="deleted"), NOW, Bounds())
    assert [each.id for each in report.lists["deleted"]] == ["m0", "m1"]
    weigh(report, memory("m9", status="deleted", updated_at=NOW), NOW, Bounds())
    assert [each.id for each in report.lists["deleted"]] == ["m9", "m0"]
    assert report.totals["deleted"] == 6


def test_what_was_recalled_long_ago_was_recalled() -> None:
    """Whether a memory was ever given is not read off the receipts that are counted."""
    report = Report(limit=2)
    weigh(report, memory("m", confidence=0.1), NOW, Bounds())
    assert (report.totals["neverRecalled"], report.totals["lowUtility"]) == (0, 0)


def test_a_circle_of_replacements_ends() -> None:
    """Damaged links make no endless chain."""
    report = Report(limit=2)
    for old, new in (("a", "b"), ("b", "c"), ("c", "b")):
        weigh(report, memory(old, status="superseded", superseded_by=new), NOW, Bounds())
    assert [chain.ids for chain in report.chains] == [("a", "b", "c")]


def test_recalls_by_memory_and_by_role() -> None:
    """Counts, last time, roles and mean score come from the receipts."""
    bundles = [bundle("b1", ("m", "n"), 0.5, "coder"), bundle("b2", ("m",), 1.0, "qa", OLD)]
    found = recalls_of(bundles)
    assert found["m"] == Recalled(count=2, last_at=NOW, roles=("coder", "qa"), score=0.75)
    assert found["n"].count == 1
    assert roles_of(bundles) == {"coder": (1, ("m", "n")), "qa": (1, ("m",))}
    assert reasons(["b", "a", "b"]) == (("b", 2), ("a", 1))
