"""The report on a data set: figures by profile, granularity, category and split. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from learnt.evals.metrics import above, means, percentile, place, share
from learnt.evals.silence import silence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.evals.measure import Outcome
    from learnt.evals.task import Dataset, Granularity
    from learnt.model.kinds import Profile

Json = dict[str, Any]


def profile_figures(dataset: Dataset, outcomes: Sequence[Outcome], profile: Profile) -> Json:
    """Everything measured of one profile; the figures of the first granularity stand at the top."""
    main = dataset.granularities[0]
    said = Counter(tuple(sorted(each.arms.items())) for each in outcomes)
    arms = dict(said.most_common(1)[0][0]) if said else {}
    status, reason = judged_arms(profile, arms)
    figures: Json = {"status": status, "reason": reason, "arms": arms, "latency_ms": _latency(outcomes)}
    if status == "skipped":
        return figures
    figures |= {"granularity": main, **_figures(outcomes, main), "by_category": _by_category(outcomes, main)}
    figures["by_granularity"] = {
        each: {**_figures(outcomes, each), "by_category": _by_category(outcomes, each)}
        for each in dataset.granularities
    }
    if splits := _grouped(outcomes, lambda each: each.split):
        figures["by_split"] = {
            name: {each: _figures(members, each) for each in dataset.granularities} for name, members in splits.items()
        }
    return figures | _replacement(outcomes) | _present(outcomes) | silence(outcomes, main)


def judged_arms(profile: Profile, arms: dict[str, str]) -> tuple[str, str | None]:
    """Whether a profile ran as it is meant to: `ran`, `degraded` or `skipped`, and why.

    Without vectors `dense` would only repeat the words, so it is skipped; the others go on by words alone.
    """
    dense = arms.get("dense", "off")
    if profile == "lexical" or dense == "ran":
        rerank = arms.get("rerank", "off")
        wanting = profile == "hybrid+rerank" and rerank != "ran"
        return ("degraded", f"rerank: {rerank}") if wanting else ("ran", None)
    return ("skipped" if profile == "dense" else "degraded"), f"dense: {dense}"


def _figures(outcomes: Iterable[Outcome], granularity: Granularity) -> dict[str, float | int]:
    return means(
        [
            (each.rankings[granularity], each.question.relevant[granularity])
            for each in outcomes
            if each.question.relevant.get(granularity)
        ]
    )


def _by_category(outcomes: Sequence[Outcome], granularity: Granularity) -> Json:
    """By category, and all that can be answered together, where some cannot."""
    found: Json = {
        name: _figures(members, granularity)
        for name, members in sorted(_grouped(outcomes, lambda each: each.question.category).items())
    }
    answerable = [each for each in outcomes if not each.question.probe]
    if len(answerable) != len(outcomes):
        found["answerable"] = _figures(answerable, granularity)
    return found


def _grouped(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> dict[str, list[Outcome]]:
    """The outcomes by a key; those where it is empty are left out."""
    groups: dict[str, list[Outcome]] = {}
    for each in outcomes:
        if name := key(each):
            groups.setdefault(name, []).append(each)
    return groups


def _latency(outcomes: Iterable[Outcome]) -> Json:
    values = [value for each in outcomes for value in each.latencies_ms]
    return {"p50": round(percentile(values, 50), 3), "p95": round(percentile(values, 95), 3)}


def _replacement(outcomes: Iterable[Outcome]) -> Json:
    """Where one statement replaced another: is the new one above the old, and among the first five?"""
    pairs = [(each.rankings["turn"], each.question) for each in outcomes if each.question.new and each.question.old]
    if not pairs:
        return {}
    return {
        "pairs": len(pairs),
        "new_above_old": share(above(ranking, asked.new, asked.old) for ranking, asked in pairs),
        "new@5": share(_among(ranking, asked.new) for ranking, asked in pairs),
        "old_without_new@5": share(
            _among(ranking, asked.old) and not _among(ranking, asked.new) for ranking, asked in pairs
        ),
    }


def _among(ranking: Sequence[str], wanted: frozenset[str], k: int = 5) -> bool:
    at = place(ranking, wanted)
    return at is not None and at <= k


def _present(outcomes: Iterable[Outcome]) -> Json:
    """Questions about the present state with evidence of several times: is the newest first among it?"""
    asked = [each for each in outcomes if each.question.latest]
    if not asked:
        return {}
    newest = [above(each.rankings["session"], each.question.latest[-1:], each.question.latest[:-1]) for each in asked]
    return {"present_questions": len(asked), "newest_first": share(newest)}
