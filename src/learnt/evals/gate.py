"""The held-out corpus asked, twice, and judged. Source: swarm-memory seed, retrieval-quality gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.evals.compare import CANDIDATE_CAP, SCHEMA_VERSION, TOKEN_CAP, caps, costs, given, holding, provenance
from learnt.evals.heldout import ANALYZER, MAX_MANIFEST_BYTES, MAX_SOURCE_BYTES, MAX_SOURCES_BYTES, SCOPE
from learnt.evals.metrics import hit, means, recall
from learnt.evals.regress import canonical
from learnt.model.ranking import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.evals.compare import Given
    from learnt.evals.heldout import Case, Corpus
    from learnt.model.kinds import Profile

Json = dict[str, Any]

GATED: tuple[Profile, ...] = ("lexical", "hybrid", "hybrid+rerank")
DIRECT_K = 5
"""How far down a paraphrase may find its source for a direct hit. A choice of ours."""
_SIGNALS = ("textOverlap", "tagOverlap", "fileOverlap", "symbolOverlap", "partOverlap", "denseScore", "cosine")
"""Signals of a match; kind and scope match everything."""


def report(
    corpus: Corpus,
    profiles: Sequence[Profile],
    environment: Mapping[str, str],
    generated_at: str,
    tell: Callable[[int, int], None] | None = None,
) -> Json:
    """Two complete passes, compared except for times, and every threshold."""
    first, second = (_pass(corpus, profiles, environment, number, tell) for number in (1, 2))
    same = canonical(first) == canonical(second)
    gates = [
        *_content(corpus),
        *(gate for name, each in first["profiles"].items() for gate in _gates(corpus, name, each)),
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": generated_at,
        "corpus_id": corpus.corpus_id,
        "version": corpus.version,
        "platform_gates": list(corpus.gates),
        "k": corpus.k,
        "caps": {
            **caps(),
            "manifest_bytes": MAX_MANIFEST_BYTES,
            "source_bytes": MAX_SOURCE_BYTES,
            "sources_bytes": MAX_SOURCES_BYTES,
        },
        "analyzer": ANALYZER,
        **first,
        "cases": [_case(each) for each in corpus.cases],
        "gates": gates,
        "deterministic": same,
        "passed": same and all(gate["met"] for gate in gates),
    }


def _pass(
    corpus: Corpus,
    profiles: Sequence[Profile],
    environment: Mapping[str, str],
    number: int,
    tell: Callable[[int, int], None] | None,
) -> Json:
    """One pass in a memory of its own."""
    found: Json = {}
    with holding((case.memory for case in corpus.cases), (SCOPE,), environment) as means_:
        behind = provenance(means_)
        for at, profile in enumerate(profiles, 1):
            answers = [given(means_, _query(case, profile)) for case in corpus.cases]
            found[profile] = _profile(corpus, profile, answers)
            if tell:
                tell((number - 1) * len(profiles) + at, 2 * len(profiles))
    return {"provenance": behind, "profiles": found}


def _query(case: Case, profile: Profile) -> Query:
    return Query(text=case.paraphrase, profile=profile, max_items=CANDIDATE_CAP, budget_tokens=TOKEN_CAP, min_score=0.0)


def _profile(corpus: Corpus, profile: Profile, answers: Sequence[Given]) -> Json:
    head = costs(profile, answers)
    if head["status"] == "skipped":
        return head
    names = {case.memory.id: case.id for case in corpus.cases}
    rankings = [[names[found.memory.id] for found in each.found] for each in answers]
    judged = [(ranking, {case.id}) for ranking, case in zip(rankings, corpus.cases, strict=True)]
    k = max(1, corpus.k)
    return {
        **head,
        "precision@k": sum(hit(ranking, wanted, k) for ranking, wanted in judged) / (k * len(judged)),
        "recall@k": sum(recall(ranking, wanted, k) for ranking, wanted in judged) / len(judged),
        **means(judged),
        "direct_source_positive_hits": sum(map(_direct, corpus.cases, answers)),
        "routes_completed": sum(bool(ranking) for ranking in rankings),
        "rankings": {case.id: ranking for case, ranking in zip(corpus.cases, rankings, strict=True)},
    }


def _direct(case: Case, answer: Given) -> bool:
    """Whether the case's own source is among the first because it matches, not because nothing else was there."""
    first = {found.memory.id for found in answer.found[:DIRECT_K]}
    signals = answer.signals.get(case.memory.id, {})
    return case.memory.id in first and any(signals.get(name, 0.0) > 0 for name in _SIGNALS)


def _content(corpus: Corpus) -> list[Json]:
    """What the corpus says of itself: bounds on its known faults, and that the rest is there."""
    cases, limits = corpus.cases, corpus.thresholds
    worst = max(len(case.spurious_edges) for case in cases)
    misses = max(len(case.known_misses) for case in cases)
    missed = sum(len(case.missed) for case in cases)
    return [
        _gate("spurious_edges", worst, limits.max_spurious_edges, lower=True),
        _gate("known_misses", misses, limits.max_known_misses, lower=True),
        _gate("unexpected_misses", missed, 0, lower=True),
    ]


def _gates(corpus: Corpus, profile: str, figures: Json) -> list[Json]:
    if figures["status"] == "skipped":
        return []
    limits = corpus.thresholds
    return [
        _gate(f"{profile}.precision@k", figures["precision@k"], limits.precision_at_k),
        _gate(f"{profile}.recall@k", figures["recall@k"], limits.recall_at_k),
        _gate(
            f"{profile}.direct_source_positive_hits",
            figures["direct_source_positive_hits"],
            limits.direct_source_positive_hits,
        ),
    ]


def _gate(name: str, value: float, must: float, *, lower: bool = False) -> Json:
    met = value <= must if lower else value >= must
    return {"id": name, "value": value, "must": must, "better": "lower" if lower else "higher", "met": met}


def _case(case: Case) -> Json:
    return {
        "id": case.id,
        "language": case.language,
        "source_path": case.source_path,
        "content_hash": case.content_hash,
        "analyzer_id": case.analyzer_id,
        "expected_symbols": list(case.symbols),
        "expected_edges": list(case.edges),
        "known_misses": list(case.known_misses),
        "spurious_edges": list(case.spurious_edges),
        "unexpected_misses": list(case.missed),
    }
