"""Knowing when there is nothing: how many empty answers cost how much recall. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.evals.metrics import recall, share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.evals.measure import Outcome
    from learnt.evals.task import Granularity

Json = dict[str, Any]

STEPS = 20
_K = 10


def silence(outcomes: Sequence[Outcome], granularity: Granularity) -> Json:
    """The curve of false recall against recall over thresholds, for each sort of probe there is.

    The threshold acts on the engine's confidence where it gives one, else on the best score: that of the profile
    `dense` is a threshold on the cosine. `answered` and `recall_lost` are what the engine's own rule does. `area` is
    the chance that an answerable question scores above a probe (half for equal ones; 1 tells them apart, 0.5 does not),
    false recall in `curve` the share of the probes that still get an answer.
    """
    answerable = [each for each in outcomes if not each.question.probe and each.question.relevant.get(granularity)]
    found: Json = {}
    for probe in ("unanswerable", "small_talk"):
        probes = [each for each in outcomes if each.question.probe == probe]
        if probes and answerable:
            found[probe] = {
                "questions": len(probes),
                "answered": share(not each.silent for each in probes),
                "recall_lost": _silenced(answerable, granularity),
                "area": area([best(each) for each in answerable], [best(each) for each in probes]),
                "recall_lost_when_silent": lost(answerable, probes, granularity),
                "curve": curve(answerable, probes, granularity),
            }
    return {"abstention": found} if found else {}


def best(outcome: Outcome) -> float:
    """What a threshold acts on, below every other one where nothing was found."""
    if not outcome.scores:
        return float("-inf")
    return outcome.scores[0] if outcome.confidence is None else outcome.confidence


def area(upper: Sequence[float], lower: Sequence[float]) -> float:
    """Share of pairs where `upper` is higher; equal ones count half."""
    wins = sum((one > other) + 0.5 * (one == other) for one in upper for other in lower)
    return round(wins / (len(upper) * len(lower)), 6)


def _silenced(answerable: Sequence[Outcome], granularity: Granularity) -> float:
    """Mean recall@10 that the engine's own silence takes from the answerable questions.

    A question that got no ranking at all counts as if everything had been found: an upper bound.
    """
    values = [
        recall(each.rankings[granularity], each.question.relevant[granularity], _K) if each.scores else 1.0
        for each in answerable
        if each.silent
    ]
    return round(sum(values) / len(answerable), 6)


def lost(answerable: Sequence[Outcome], probes: Sequence[Outcome], granularity: Granularity) -> float:
    """Mean recall@10 that the lowest threshold above every probe takes from the answerable questions."""
    threshold = max(map(best, probes))
    return round(_kept(answerable, float("-inf"), granularity) - _kept(answerable, threshold, granularity), 6)


def curve(answerable: Sequence[Outcome], probes: Sequence[Outcome], granularity: Granularity) -> list[Json]:
    """Recall@10 and false recall at thresholds spread evenly over the scores of all questions."""
    values = sorted({best(each) for each in (*answerable, *probes)} - {float("-inf")})
    chosen = dict.fromkeys(values[len(values) * step // STEPS] for step in range(STEPS)) if values else {}
    return [
        {
            "threshold": round(threshold, 6),
            "recall@10": round(_kept(answerable, threshold, granularity, inclusive=True), 6),
            "false_recall": share(best(each) >= threshold for each in probes),
        }
        for threshold in chosen
    ]


def _kept(outcomes: Iterable[Outcome], threshold: float, granularity: Granularity, *, inclusive: bool = False) -> float:
    """Mean recall@10 where only answers above the threshold are given."""
    values = [
        recall(each.rankings[granularity], each.question.relevant[granularity], _K)
        if best(each) > threshold or (inclusive and best(each) == threshold)
        else 0.0
        for each in outcomes
    ]
    return sum(values) / len(values)
