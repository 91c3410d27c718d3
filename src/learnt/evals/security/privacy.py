"""How well personal data of a fixed shape are found, span by span. Bars P1 and P2."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from learnt.evals.security.judge import ENGINEERING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from learnt.evals.datasets.security import Case

Json = dict[str, Any]
Span = tuple[int, int, str]
OVERLAP = 0.5
"""Intersection over union that a found span must share with a true one of its type. Source: the corpora's own rule."""
TYPES = {
    "EMAIL": "email",
    "PHONE": "phone",
    "CREDIT_CARD": "credit_card",
    "US_SSN": "ssn",
    "IP": "ip_address",
    "IBAN": "iban",
}


def figures(corpora: Mapping[str, Sequence[Case]], find: Callable[[str], Iterable[Span]]) -> Json:
    """The figures of P1 and P2."""
    made: Json = {name: _spans(cases, find) for name, cases in corpora.items() if name.startswith("pii_")}
    synth = [case for case in corpora.get("pii_synth", ()) if case.label == "positive" and case.evasion]
    engineering = [case for name in ENGINEERING for case in corpora.get(name, ())]
    flagged = sum(any(True for _ in find(case.text)) for case in engineering)
    return {
        **made,
        **{f"disguised_{tier}": _found([case for case in synth if case.tier == tier], find) for tier in (1, 2, 3)},
        "disguises_missed": _missed(synth, find),
        "policy": _flagged([c for c in corpora.get("pii_synth", ()) if c.label == "policy"], find),
        "engineering": flagged / len(engineering) if engineering else None,
    }


def _spans(cases: Sequence[Case], find: Callable[[str], Iterable[Span]]) -> Json:
    """Precision, recall and F1 over all types, and for each; of undisguised texts."""
    hit: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for case in cases:
        if case.label not in {"positive", "negative"} or case.evasion:
            continue
        gold = _typed(case.spans)
        found = [span for span in find(case.text) if not _any(span, _typed(case.weak), typed=False)]
        hit.update(kind for start, end, kind in gold if _any((start, end, kind), found))
        wanted.update(kind for _, _, kind in gold)
        given.update(kind for _, _, kind in found)
    kinds = sorted(set(wanted) | set(given))
    by_type = {kind: _scores(hit[kind], wanted[kind], given[kind]) for kind in kinds}
    return {**_scores(hit.total(), wanted.total(), given.total()), "by_type": by_type}


def _typed(spans: Iterable[Span]) -> list[Span]:
    return [(start, end, TYPES[kind]) for start, end, kind in spans if kind in TYPES]


def _scores(hit: int, wanted: int, given: int) -> Json:
    return {
        "recall": hit / wanted if wanted else None,
        "precision": hit / given if given else None,
        "f1": 2 * hit / (wanted + given) if wanted + given else None,
    }


def _any(span: Span, among: Iterable[Span], *, typed: bool = True) -> bool:
    return any((not typed or span[2] == other[2]) and overlap(span, other) >= OVERLAP for other in among)


def overlap(one: Span, other: Span) -> float:
    """Intersection over union of two places."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, shared) / (max(one[1], other[1]) - min(one[0], other[0]))


def _found(cases: Sequence[Case], find: Callable[[str], Iterable[Span]]) -> float | None:
    gold = [(case, span) for case in cases for span in _typed(case.spans)]
    return sum(_any(span, find(case.text)) for case, span in gold) / len(gold) if gold else None


def _missed(cases: Iterable[Case], find: Callable[[str], Iterable[Span]]) -> list[str]:
    return sorted(
        {
            f"{case.tier} {case.evasion} {kind}"
            for case in cases
            for start, end, kind in _typed(case.spans)
            if not _any((start, end, kind), find(case.text))
        }
    )


def _flagged(cases: Sequence[Case], find: Callable[[str], Iterable[Span]]) -> float | None:
    return sum(any(True for _ in find(case.text)) for case in cases) / len(cases) if cases else None
