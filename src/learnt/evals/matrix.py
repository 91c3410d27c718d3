"""Every fixture in every store and mode, and what came out. Source: swarm-memory seed, evaluation (schema 1).

The store is asked directly, without a block: a token budget would hide what the ranking gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from learnt.evals import fresh
from learnt.evals.golden import ASKED_AT
from learnt.model.kinds import MODES
from learnt.model.ranking import Query
from learnt.model.scope import Sight
from learnt.model.tokens import query_terms
from learnt.recall.rank import Dials, kinds_of, rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.evals.golden import Fixture
    from learnt.model.kinds import Mode
    from learnt.model.memory import Memory
    from learnt.ports.store import Store

Json = dict[str, Any]

SCHEMA_VERSION = 1
INJECTION_MIN_SCORE = 0.25
MEANS = ("precision@k", "recall@k")
SUMS = (
    "injection_count",
    "noisy_injection_count",
    "same_scope_noise_count",
    "cross_scope_leak_count",
    "stale_memory_count",
)


@dataclass(frozen=True, slots=True)
class Found:
    """What one question found, best first."""

    memory: Memory
    score: float


def report(
    fixtures: Sequence[Fixture],
    folder: str,
    generated_at: str,
    tell: Callable[[int, int], None] | None = None,
    stores: fresh.Fresh = fresh.HERE,
) -> Json:
    """The report of schema 1 over all fixtures, stores and modes.

    Args:
        tell: Called with how many fixtures are done, and of how many.
    """
    runs: list[Json] = []
    for number, fixture in enumerate(fixtures, 1):
        runs.extend(_runs(fixture, stores))
        if tell:
            tell(number, len(fixtures))
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": generated_at,
        "fixture_directory": folder,
        "providers": list(stores),
        "modes": list(MODES),
        "summary": summary(runs, len(fixtures)),
        "runs": runs,
    }


def _runs(fixture: Fixture, stores: fresh.Fresh) -> Iterable[Json]:
    for provider, made in stores.items():
        with made() as store:
            with store.transaction():
                for memory in fixture.memories:
                    store.memories.put(memory)
            for mode in MODES:
                yield run(fixture, provider, mode, _asked(store, fixture, mode))


def query_of(fixture: Fixture, mode: Mode, profile: Any = "lexical") -> Query:
    """The question as the seed's evaluation puts it."""
    return Query(
        text=fixture.query,
        task=fixture.task,
        kinds=fixture.kinds,
        role="curator" if mode == "curator" else fixture.role,
        mode=mode,
        profile=profile,
        max_items=fixture.max_items,
        budget_tokens=fixture.budget_tokens,
        min_score=INJECTION_MIN_SCORE if mode == "injection" else 0.0,
        require_query_signal=mode == "injection",
    )


def _asked(store: Store, fixture: Fixture, mode: Mode) -> list[Found]:
    query, sight, dials = query_of(fixture, mode), Sight(fixture.scopes), Dials(max_items=fixture.max_items)
    said = query.task if mode == "injection" and query.task else query.text
    narrowed = store.lexicon.candidates(
        sight, query_terms(said), max(100, 20 * fixture.max_items), kinds=kinds_of(query), now=ASKED_AT
    )
    ranked = rank(
        query, narrowed.candidates, now=ASKED_AT, dials=dials, scope_keys=sight.keys, matched=narrowed.matched
    )
    memories = {each.id: each for each in fixture.memories}
    return [Found(memories[hit.id], hit.score) for hit in ranked.hits]


def run(fixture: Fixture, provider: str, mode: Mode, found: Sequence[Found]) -> Json:
    """One run of the report."""
    metrics = measured(fixture, mode, [each.memory for each in found])
    clean = not any(metrics[name] for name in ("noisy_injection_count", "cross_scope_leak_count", "stale_memory_count"))
    return {
        "fixture": fixture.name,
        "provider": provider,
        "mode": mode,
        "k": fixture.k,
        "query": fixture.query,
        "expected_labels": list(fixture.expected),
        "expected_ids": list(fixture.expected_ids),
        "retrieved_labels": [fixture.labels[each.memory.id] for each in found],
        "retrieved_ids": [each.memory.id for each in found],
        "retrieved_scores": [round(each.score, 6) for each in found],
        "metrics": metrics,
        "passed": metrics["recall@k"] >= 1 and clean,
    }


def measured(fixture: Fixture, mode: Mode, found: Sequence[Memory]) -> dict[str, float]:
    """The metrics of one run.

    Precision divides by k even when fewer came back; where nothing is expected, recall is 1. Same-scope noise of manual
    and curator mode does not fail a run.
    """
    wanted = frozenset(fixture.expected_ids)
    keys = frozenset(scope.key for scope in fixture.scopes)
    right = sum(1 for each in found[: fixture.k] if each.id in wanted)
    injected = mode == "injection"
    return {
        "precision@k": right / fixture.k,
        "recall@k": right / len(wanted) if wanted else 1.0,
        "injection_count": len(found) if injected else 0,
        "noisy_injection_count": sum(each.id not in wanted for each in found) if injected else 0,
        "same_scope_noise_count": sum(
            each.id not in wanted and each.scope.key in keys and not _stale(each) for each in found
        ),
        "cross_scope_leak_count": sum(each.scope.key not in keys for each in found),
        "stale_memory_count": sum(map(_stale, found)),
    }


def _stale(memory: Memory) -> bool:
    return memory.status != "active" or (memory.expires_at is not None and memory.expires_at <= ASKED_AT)


def summary(runs: Sequence[Json], fixture_count: int) -> Json:
    """Means of precision and recall, sums of the counts."""
    metrics = [each["metrics"] for each in runs]
    return {
        **{name: fmean(each[name] for each in metrics) if metrics else 0.0 for name in MEANS},
        **{name: sum(each[name] for each in metrics) for name in SUMS},
        "fixture_count": fixture_count,
        "run_count": len(runs),
        "passed_run_count": sum(each["passed"] for each in runs),
    }
