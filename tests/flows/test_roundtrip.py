"""Random stores, moved from SQLite into another store and back into SQLite."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learnt.errors import LearntError
from learnt.flows.decide import decide
from learnt.flows.migrate import migrate
from learnt.flows.moved import Moved, Way
from learnt.flows.observe import add_document, observe
from learnt.flows.propose import propose
from learnt.flows.recall import recall
from learnt.flows.remember import remember
from learnt.flows.search import search
from learnt.flows.undo import undo
from learnt.model.cargo import Sitting
from learnt.model.evidence import Document, Turn
from learnt.model.filter import MemoryFilter, ProposalFilter
from learnt.model.job import JobRequest
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.model.search import SearchQuery
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples
from learnt.testing.cargo import tallies
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import FixedClock, SequenceIds
from tests.flows.conftest import context_of

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.ports.store import Store
    from tests.server import Server

HEALTH = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

WORDS = (
    "pnpm",
    "install",
    "Tests run with",
    "ポート",
    "naïve café",
    "src/a.py",
    "🦊",
    "deploy the harbour",
    "lock",
    "=?",
)
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
KIND = st.sampled_from(["repo_convention", "user_preference", "lesson", "failure_pattern", "scratch", "todo"])
OFTEN = st.tuples(st.sampled_from(["remember", "propose"]), TEXT, KIND)
STEP = st.one_of(
    OFTEN,
    OFTEN,
    OFTEN,
    OFTEN,
    st.tuples(st.just("delete"), st.integers(0, 5), st.none()),
    st.tuples(st.just("decide"), st.integers(0, 5), st.sampled_from(["accept", "reject", "noop"])),
    st.tuples(st.just("undo"), st.integers(0, 20), st.none()),
    st.tuples(st.just("observe"), TEXT, st.sampled_from(["person", "agent", "tool"])),
    st.tuples(st.just("document"), TEXT, st.none()),
    st.tuples(st.just("recall"), TEXT, st.none()),
    st.tuples(st.just("raw"), TEXT, st.sampled_from(["quarantined", "deleted", "superseded", "consolidated"])),
    st.tuples(st.just("job"), TEXT, st.none()),
    st.tuples(st.just("tidy"), st.none(), st.none()),
)
STEPS = st.lists(st.tuples(st.sampled_from(["repo-a", "repo-b"]), STEP), min_size=8, max_size=30)


def act(means: Means, name: str, what: Any, how: Any) -> object:
    """One step in the life of a store; what a rule forbids is left out."""
    match name:
        case "remember":
            return remember(means, WriteRequest(text=what, kind=how, evidence=("src/a.py:3",)))
        case "propose":
            return propose(means, ProposalRequest(operation="add", text=what, kind=how, rationale="r", evidence=("c",)))
        case "delete":
            target = _nth(
                means.store.memories.page(means.context.sight, MemoryFilter(), means.clock.now()).values, what
            )
            return propose(means, ProposalRequest(operation="delete", target_id=target.id, rationale="gone"))
        case "decide":
            waiting = means.store.proposals.page(means.context.sight, ProposalFilter(statuses=("pending",))).values
            return decide(means, Decision(proposal_id=_nth(waiting, what).id, action=how, reason="so"))
        case "undo":
            return undo(means, _nth(tuple(means.store.events.chain()), what).id)
        case "observe":
            return observe(means, [Turn(text=what, session="s-1", who=how)])
        case "document":
            return add_document(means, Document(text=what, title=what))
        case "recall":
            return recall(means, Query(text=what))
    _write(means, name, what, how)
    return None


def _write(means: Means, name: str, what: Any, how: Any) -> None:
    scope = means.context.sight.one("repository")
    with means.store.transaction():
        if name == "raw":
            means.store.memories.put(samples.memory(scope, f"{what}\0", status=how, tags=("red",)))
            means.store.archive.unseen(scope.key, [what])
            means.store.recipes.add(scope, samples.recipe(what, key=what))
            means.store.archive.put_session(samples.session(scope, what))
            means.store.cargo.accept("contexts", [Sitting(what, 2, means.clock.now())])
        elif name == "job":
            means.store.queue.enqueue(JobRequest(id=f"job {what}", kind="reembed", key=what, scope_key=scope.key))
        else:
            means.store.archive.prune("2099-01-01T00:00:00.000Z")


def _nth(values: Any, number: int) -> Any:
    if not values:
        raise LearntError
    return values[number % len(values)]


def answers(means: Means) -> list[object]:
    """What both repositories answer, with everything that could differ."""
    found: list[object] = []
    ids = SequenceIds("asked")
    for name in ("repo-a", "repo-b"):
        here = replace(means, context=context_of(name), ids=ids)
        for question in ("pnpm install", "naïve ポート", "deploy lock"):
            ranking = recall(here, Query(text=question))
            found += [ranking.hits, ranking.prompt_block, ranking.skip_reason]
            found += [search(here, SearchQuery(text=question)).hits]
        found += [here.store.memories.page(here.context.sight, MemoryFilter(statuses=()), here.clock.now())]
        found += [here.store.proposals.page(here.context.sight, ProposalFilter(limit=200))]
    return found


def _nearly(answer: Any) -> object:
    """Hits by id and rounded score: another store calculates a cosine in its own way, to the seventh digit."""
    if not isinstance(answer, tuple) or not answer or not hasattr(answer[0], "score"):
        return None if isinstance(answer, str) and answer.startswith("<") else answer
    return sorted(((hit.memory or hit.unit).id, round(hit.score, 5)) for hit in answer)


def moved(means: Means, target: Store, source: str, to: str) -> Means:
    """The same person in front of the store that was moved into."""
    answer = migrate(means, Way(source, to, lambda: _Kept(target)))
    assert isinstance(answer, Moved)
    assert answer.verified
    return replace(means, store=target)


class _Kept:
    """A store that a move does not close."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def close(self) -> None:
        """It is asked afterwards."""


def round_trip(means: Means, steps: list[Any], two: Store) -> None:
    """Live a random life in SQLite, move to another store and back, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        one, three = (SqliteStore.open(Path(folder) / f"{name}.db", now=FixedClock()) for name in ("one", "three"))
        model, clock = HashEmbedder(), FixedClock()
        here = replace(means, store=one, clock=clock, ids=SequenceIds(), embedder=model, asking=model)
        for repository, (name, what, how) in steps:
            clock.advance(1)
            with suppress(LearntError):
                act(replace(here, context=context_of(repository)), name, what, how)
        there = moved(here, two, "one", "two")
        back = moved(there, three, "two", "three")
        assert tallies(one) == tallies(two) == tallies(three)
        told = answers(here)
        assert answers(back) == told
        assert [_nearly(each) for each in answers(there)] == [_nearly(each) for each in told]
        for store in (one, two, three):
            store.close()


@settings(max_examples=30, suppress_health_check=HEALTH)
@given(steps=STEPS)
def test_through_dictionaries(means: Means, steps: list[Any]) -> None:
    """Digests of every chapter and all answers are the same in all three stores."""
    round_trip(means, steps, EphemeralStore())


@settings(max_examples=8, suppress_health_check=HEALTH)
@given(steps=STEPS)
def test_through_a_server(means: Means, server: Server, steps: list[Any]) -> None:
    """The same with PostgreSQL between."""
    with server.database(made) as url:
        round_trip(means, steps, PostgresStore.open(url, now=FixedClock()))


def made(url: str) -> None:
    """An empty store, to be copied."""
    PostgresStore.open(url, now=FixedClock()).close()
