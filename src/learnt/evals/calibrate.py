"""Whether a score means what it says: of the hits scored about x, is a share of x right? Pure.

Source: reliability diagram and expected calibration error (Naeini and others, 2015); Brier 1950.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.learn.belief import posterior

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.evals.measure import Outcome
    from learnt.evals.task import Granularity

Json = dict[str, Any]

BINS = 10
_HITS = 10


def judged(outcomes: Iterable[Outcome]) -> list[tuple[float, bool]]:
    """Score and truth of the first ten hits of every question that has evidence or that nothing answers."""
    return [(score, right) for each in outcomes for _, score, right in _hits(each)]


def _hits(each: Outcome) -> list[tuple[str, float, bool]]:
    """Name, score and truth of the first ten hits of one question."""
    granularity: Granularity = "turn" if "turn" in each.rankings else "session"
    known = each.question.relevant.get(granularity, frozenset())
    relevant = frozenset[str]() if each.question.probe else known
    if not (relevant or each.question.probe):
        return []
    pairs = zip(each.rankings[granularity][:_HITS], each.scores[:_HITS], strict=False)
    return [(name, score, name in relevant) for name, score in pairs]


def believed(outcomes: Sequence[Outcome]) -> Json:
    """The Brier score before and after outcomes count: every other question tells, the rest are measured.

    What a question gave rightly counts as an approval of it or as a useful outcome, which weigh alike, the rest as a
    rejection or a dead end; a score is then taken for its
    writer's grade. Only hits of which something was told are measured.
    """
    told: dict[str, list[float]] = {}
    for each in outcomes[::2]:
        for name, _, right in _hits(each):
            told.setdefault(name, []).append(1.0 if right else -1.0)
    measured = [hit for each in outcomes[1::2] for hit in _hits(each) if hit[0] in told]
    before = [(min(1.0, max(0.0, score)), right) for _, score, right in measured]
    after = [(posterior(held, told[name]), right) for (held, right), (name, _, _) in zip(before, measured, strict=True)]
    return {"hits": len(measured), "brier_before": _brier(before), "brier_after": _brier(after)}


def _brier(pairs: Sequence[tuple[float, bool]]) -> float | None:
    if not pairs:
        return None
    return round(sum((held - right) ** 2 for held, right in pairs) / len(pairs), 6)


def reliability(pairs: Sequence[tuple[float, bool]]) -> Json:
    """Ten bins of equal width over scores moved into 0..1, the expected calibration error and the Brier score."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for score, right in pairs:
        held = min(1.0, max(0.0, score))
        bins[min(BINS - 1, int(held * BINS))].append((held, right))
    rows = [_bin(number, members) for number, members in enumerate(bins) if members]
    total = len(pairs) or 1
    return {
        "hits": len(pairs),
        "bins": rows,
        "expected_calibration_error": round(
            sum(row["hits"] * abs(row["mean_score"] - row["share_right"]) for row in rows) / total, 6
        ),
        "brier": round(sum((held - right) ** 2 for members in bins for held, right in members) / total, 6),
    }


def _bin(number: int, members: Sequence[tuple[float, bool]]) -> Json:
    return {
        "from": round(number / BINS, 2),
        "to": round((number + 1) / BINS, 2),
        "hits": len(members),
        "mean_score": round(sum(held for held, _ in members) / len(members), 6),
        "share_right": round(sum(right for _, right in members) / len(members), 6),
    }
