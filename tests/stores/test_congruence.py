"""Every store gives the same answers: the same candidates, the same ranking, the same order where scores tie.

Scores agree within `TOLERANCE`: a cosine is a sum of float32 products, which each store adds up in its own order.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learnt.errors import LearntError
from learnt.flows.means import Means
from learnt.flows.recall import recall
from learnt.flows.search import search
from learnt.flows.share import Share
from learnt.model.kinds import PROFILES
from learnt.model.ranking import Query
from learnt.model.scope import Sight
from learnt.model.search import EvidenceFilter, SearchQuery
from learnt.model.tokens import query_terms
from learnt.model.vector import EVIDENCE_FORM, MEMORY_FORM, VectorFilter
from learnt.model.wording import question_terms
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.stores.postgres import lexicon as postgres_lexicon
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.sqlite import lexicon as sqlite_lexicon
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.embedders import ReversingReranker
from learnt.testing.fakes import FixedClock, SequenceIds
from tests.flows.conftest import means as means  # noqa: PLC0414 - a fixture
from tests.stores.corpus import MODEL, QUESTIONS, WORDS, Corpus, change, drawn, keep
from tests.stores.roles import prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from learnt.model.vector import Generation, Target
    from learnt.ports.store import Store
    from tests.server import Server

TOLERANCE = 1e-6
NOW = "2026-06-01T00:00:00.000Z"


@pytest.fixture
def stores(tmp_path: Path, server: Server) -> Iterator[tuple[Store, ...]]:
    """An empty one of each kind: SQLite, PostgreSQL, dictionaries."""
    clock = FixedClock()
    with ExitStack() as stack:
        sqlite = SqliteStore.open(tmp_path / "memory.db", now=clock)
        stack.callback(sqlite.close)
        postgres = PostgresStore.open(stack.enter_context(server.database(prepare)), now=clock)
        stack.callback(postgres.close)
        yield sqlite, postgres, EphemeralStore(clock.now)


def agree(stores: Sequence[Store], ask: Callable[..., Any], *asked: Any, **more: Any) -> None:
    """All stores answer alike."""
    first, *others = [ask(store, *asked, **more) for store in stores]
    for other in others:
        assert near(first) == near(other)


def near(answer: Any) -> Any:
    """An answer whose numbers count as equal within the tolerance."""
    if isinstance(answer, float):
        return pytest.approx(answer, abs=TOLERANCE)
    if isinstance(answer, dict):
        return {key: near(value) for key, value in answer.items()}
    return [near(each) for each in answer] if isinstance(answer, list | tuple) else answer


def candidates(store: Store, sight: Sight, question: str, limit: int, **more: Any) -> Any:
    narrowed = store.lexicon.candidates(sight, query_terms(question), limit, **more)
    fields = ("id", "position", "scope_key", "kind", "q_value", "updated_at", "expires_at", "run")
    found = [tuple(getattr(each, name) for name in fields) for each in narrowed.candidates]
    return [narrowed.matched, narrowed.whole, found]


def same_candidates(stores: Sequence[Store], corpus: Corpus, limit: int = 20) -> None:
    for question in QUESTIONS:
        for sight in (corpus.sight, Sight(corpus.scopes[1:2])):
            agree(stores, candidates, sight, question, limit)
            agree(stores, candidates, sight, question, 7, kinds=("lesson", "todo"), now=NOW)


def generation(store: Store, target: Target) -> Generation:
    found = store.vectors.generation(target, MODEL.version, {"memory": MEMORY_FORM, "evidence": EVIDENCE_FORM}[target])
    assert found is not None
    return found


def nearest(store: Store, corpus: Corpus, target: Target, vector: bytes, wanted: VectorFilter) -> Any:
    found = store.vectors.search(corpus.sight, generation(store, target), vector, 12, wanted)
    return [(each.id, each.cosine) for each in found]


def same_nearest(stores: Sequence[Store], corpus: Corpus) -> None:
    filters = (
        VectorFilter(),
        VectorFilter(kinds=("lesson",), now=NOW),
        VectorFilter(retired=True),
        VectorFilter(since="2026-03-01T00:00:00.000Z", until="2026-05-01T00:00:00.000Z"),
    )
    for vector in filter(None, MODEL.embed(QUESTIONS)):
        for wanted in filters:
            agree(stores, nearest, corpus, "memory", vector, wanted)
        for wanted in (VectorFilter(who="Ann"), VectorFilter(session="s-1"), VectorFilter(kinds=("reply",))):
            agree(stores, nearest, corpus, "evidence", vector, wanted)


def matches(store: Store, corpus: Corpus, question: str, wanted: EvidenceFilter) -> Any:
    also = [each.id for each in corpus.units[:5]]
    found = store.evidence.match(corpus.sight, question_terms(question), wanted, 9, also)
    best = [(each.unit, each.score, each.passage) for each in found.best]
    others = sorted((each.unit.id, each.score, each.passage) for each in found.also)
    return [best, others, found.ceiling, dict(found.rarity), found.mean, found.units, dict(found.sessions)]


def beside(store: Store, corpus: Corpus) -> Any:
    neighbours = store.evidence.beside(corpus.sight, [each.id for each in corpus.units])
    return [dict(neighbours), store.evidence.units(corpus.sight, [each.ref for each in corpus.units])]


def same_evidence(stores: Sequence[Store], corpus: Corpus) -> None:
    for question in QUESTIONS:
        for wanted in (EvidenceFilter(), EvidenceFilter(who="Ann"), EvidenceFilter(session="s-2", types=("reply",))):
            agree(stores, matches, corpus, question, wanted)
    agree(stores, beside, corpus)


class _Ids(SequenceIds):
    def marker(self) -> str:
        return "00000000"


def asking(store: Store, base: Means, corpus: Corpus) -> Means:
    """The same means over a store, with models that need no file."""
    return replace(
        base,
        store=store,
        context=replace(base.context, scopes=corpus.scopes),
        ids=_Ids(),
        embedder=MODEL,
        asking=MODEL,
        reranker=ReversingReranker(),
        share=Share(),
        monotonic_s=lambda: 0.0,
    )


def answered(store: Store, base: Means, corpus: Corpus, question: str, profile: Any) -> Any:
    """What recall and search give, in every number of it."""
    here = asking(store, base, corpus)
    query = Query(text=question, profile=profile, min_score=0.0, max_items=20)
    try:
        ranking = recall(here, query)
    except LearntError as refused:
        return refused.code
    hits = [(hit.memory, hit.score, dict(hit.signals), hit.reason) for hit in ranking.hits]
    answer = search(here, SearchQuery(text=question, profile=profile, k=30))
    found = [(hit.id, hit.score, dict(hit.signals), hit.passage) for hit in answer.hits]
    return [hits, ranking.skip_reason, ranking.prompt_block.partition("\n")[2], found]


def test_candidates(stores: tuple[Store, ...]) -> None:
    """Full text narrows to the same memories in the same order, in one scope and in several, filtered or not."""
    corpus = drawn(1)
    for store in stores:
        keep(store, corpus)
    same_candidates(stores, corpus)
    same_candidates(stores, corpus, limit=5_000)
    change(stores, corpus, 2)
    same_candidates(stores, corpus)


def test_nearest(stores: tuple[Store, ...]) -> None:
    """Vectors: the same ids in the same order, cosines within the tolerance."""
    corpus = drawn(3)
    for store in stores:
        keep(store, corpus)
    same_nearest(stores, corpus)
    change(stores, corpus, 4)
    same_nearest(stores, corpus)


def test_evidence(stores: tuple[Store, ...]) -> None:
    """The same units, passages, scores and statistics."""
    corpus = drawn(5, memories=0, units=400)
    for store in stores:
        keep(store, corpus)
    same_evidence(stores, corpus)


def test_evidence_in_sheets(stores: tuple[Store, ...]) -> None:
    """Taken into the index, and after some of it left: the databases agree."""
    corpus = drawn(6, memories=0, units=2_300)
    databases = stores[:2]
    for store in databases:
        keep(store, corpus)
        for _ in range(3):
            with store.transaction():
                store.evidence.settle(corpus.sight)
    same_evidence(databases, corpus)
    for store in databases:
        with store.transaction():
            assert store.archive.prune("2026-02-01T00:00:00.000Z")
    same_evidence(databases, corpus)


@pytest.mark.parametrize("profile", PROFILES)
def test_recall_and_search(stores: tuple[Store, ...], means: Means, profile: str) -> None:
    """Through the engine's flows: items, scores, reasons, block, and hits."""
    corpus = drawn(7)
    for store in stores:
        keep(store, corpus)
    for question in QUESTIONS:
        agree(stores, answered, means, corpus, question, profile)


def test_many_memories(stores: tuple[Store, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """With blocks full, cold and warm, and after memories in a block changed: the databases agree."""
    corpus = drawn(8, memories=2_200, units=0)
    here = Sight(corpus.scopes[1:2])
    corpus = replace(corpus, memories=tuple(replace(each, scope=here.scopes[0]) for each in corpus.memories))
    databases = stores[:2]
    most, rest = corpus.memories[:2_040], corpus.memories[2_040:]
    for store in databases:
        with store.transaction():
            store.cargo.accept("memories", most)  # as a move does it: a block that fills up by writing has its own test
        keep(store, replace(corpus, memories=rest))
    for changed in (False, True):
        if changed:
            change(databases, corpus, 9)
        for bound in (8_192, 0):
            monkeypatch.setattr(sqlite_lexicon, "COLD_ACTIVE", bound)
            monkeypatch.setattr(postgres_lexicon, "COLD_ACTIVE", bound)
            same_candidates(databases, corpus, limit=160)


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), memories=st.integers(0, 30), units=st.integers(0, 12), question=texts)
def test_random_corpora(
    stores: tuple[Store, ...],
    means: Means,
    seed: int,
    memories: int,
    units: int,
    question: str,
) -> None:
    """Whatever is kept and asked, in every profile."""
    corpus = drawn(seed, memories, units, name=f"random-{seed}-{memories}-{units}")
    for store in stores:
        keep(store, corpus)
    agree(stores, candidates, corpus.sight, question, 6)
    for profile in PROFILES:
        agree(stores, answered, means, corpus, question, profile)
