"""Ways of ranking side by side, through the whole recall a caller gets, with equal caps.

A part that is not there is told, never made up: the profile is `degraded` when it went on without it and `skipped` when
nothing would be left. Source: swarm-memory seed, retrieval-quality comparison.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from learnt.errors import EmbedderError, ProviderError
from learnt.evals import subject
from learnt.evals.golden import ASKED_AT
from learnt.evals.matrix import Found, query_of, run, summary
from learnt.evals.metrics import percentile
from learnt.evals.quality import judged_arms
from learnt.flows.recall import recall
from learnt.inject.block import estimate
from learnt.model.kinds import MODES
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from learnt.evals.golden import Fixture
    from learnt.flows.means import Means
    from learnt.model.kinds import Profile
    from learnt.model.memory import Memory
    from learnt.model.ranking import Query
    from learnt.model.scope import Scope

Json = dict[str, Any]

SCHEMA_VERSION = 1
CANDIDATE_CAP = 20
TOKEN_CAP = 5_000
"""The same for every profile, and what a caller may ask for at most."""
COMPARED: tuple[Profile, ...] = ("lexical", "hybrid", "hybrid+rerank", "dense", "default")


class _Then:
    """A clock that stands at the moment fixtures are asked."""

    def now(self) -> str:
        """See `learnt.ports.clock.Clock`."""
        return ASKED_AT


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What one question was given.

    Attributes:
        signals: Of each memory, by id.
        tokens: Estimate of the memories' texts alone; what a block adds is not in it.
    """

    found: tuple[Found, ...] = ()
    signals: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    arms: Mapping[str, str]
    latency_ms: float = 0.0
    tokens: int = 0


@contextmanager
def holding(memories: Iterable[Memory], scopes: tuple[Scope, ...], environment: Mapping[str, str]) -> Iterator[Means]:
    """The means of a new engine that holds these memories, with their vectors where there is an embedder."""
    with subject.engine(environment) as engine:
        held = engine.assembly.means
        means = replace(held, context=replace(held.context, scopes=scopes), clock=_Then())
        with means.store.transaction():
            for memory in memories:
                means.store.memories.put(memory)
        subject.embedded(held)
        yield means


def given(means: Means, query: Query) -> Given:
    """The answer of the whole recall."""
    began = time.perf_counter()
    try:
        ranking = recall(means, query)
    except EmbedderError as error:
        return Given(arms=subject.arms_of(error))
    latency_ms = (time.perf_counter() - began) * 1000
    arms = ranking.diagnostics.get("arms")
    return Given(
        found=tuple(Found(hit.memory, hit.score) for hit in ranking.hits),
        signals={hit.memory.id: hit.signals for hit in ranking.hits},
        arms={str(name): str(said) for name, said in arms.items()} if isinstance(arms, dict) else {},
        latency_ms=latency_ms,
        tokens=sum(estimate(hit.memory.text) for hit in ranking.hits),
    )


def provenance(means: Means) -> Json:
    """Which models stand behind the arms, and that nothing was paid for or estimated."""
    return {
        "embedder": _version(means.embedder),
        "reranker": _version(means.reranker),
        "store": "sqlite",
        "cost": {"value": None, "source": "unavailable"},
        "latency": "measured",
        "returned_token_estimate": "text only",
    }


def _version(model: Any) -> str | None:
    if isinstance(model, Absent):
        return None
    try:
        return str(model.version)
    except ProviderError:
        return None


def report(
    fixtures: Sequence[Fixture],
    folder: str,
    profiles: Sequence[Profile],
    environment: Mapping[str, str],
    generated_at: str,
    tell: Callable[[int, int], None] | None = None,
) -> Json:
    """The comparison over all fixtures and modes."""
    runs: dict[Profile, list[tuple[Json, Given]]] = {profile: [] for profile in profiles}
    behind: Json = {}
    for number, fixture in enumerate(fixtures, 1):
        with holding(fixture.memories, fixture.scopes, environment) as means:
            behind = behind or provenance(means)
            for profile in profiles:
                runs[profile] += _runs(means, fixture, profile)
        if tell:
            tell(number, len(fixtures))
    return {
        "schema_version": SCHEMA_VERSION,
        "generated_at": generated_at,
        "fixture_directory": folder,
        "caps": caps(),
        "provenance": behind,
        "modes": list(MODES),
        "profiles": {profile: _profile(profile, found, len(fixtures)) for profile, found in runs.items()},
    }


def caps() -> Json:
    """What bounds every profile alike."""
    return {"candidate_cap": CANDIDATE_CAP, "token_cap": TOKEN_CAP}


def _runs(means: Means, fixture: Fixture, profile: Profile) -> Iterator[tuple[Json, Given]]:
    for mode in MODES:
        query = replace(
            query_of(fixture, mode, profile), max_items=min(fixture.max_items, CANDIDATE_CAP), budget_tokens=TOKEN_CAP
        )
        answer = given(means, query)
        yield run(fixture, "sqlite", mode, answer.found), answer


def _profile(profile: Profile, runs: Sequence[tuple[Json, Given]], fixture_count: int) -> Json:
    head = costs(profile, [answer for _, answer in runs])
    if head["status"] == "skipped":
        return head
    return {**head, **summary([each for each, _ in runs], fixture_count), "runs": [each for each, _ in runs]}


def costs(profile: Profile, answers: Sequence[Given]) -> Json:
    """Whether a profile ran, why not, and what its answers cost."""
    arms = dict(answers[0].arms) if answers else {}
    status, reason = judged_arms(profile, arms)
    head: Json = {"status": status, "reason": reason, "arms": arms}
    if status == "skipped" or not answers:
        return head
    times = [each.latency_ms for each in answers]
    return {
        **head,
        "latency_ms": {"p50": round(percentile(times, 50), 3), "p95": round(percentile(times, 95), 3)},
        "returned_token_estimate": round(fmean(each.tokens for each in answers), 3),
    }
