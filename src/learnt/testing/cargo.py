"""That everything in a store comes out of it, and that a store which took it in answers as the first did."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from learnt.audit.chain import verify
from learnt.errors import StoreError
from learnt.model.cargo import CHAPTERS, EXPORTED, MARKER, MetaFact, Receipt, Said, Sitting, Tally
from learnt.model.conflict import KEY
from learnt.model.evidence import EvidenceUnit
from learnt.model.filter import MemoryFilter
from learnt.model.instant import plus_days
from learnt.model.job import JobRequest
from learnt.model.outcome import Spot
from learnt.model.scope import Scope, Sight
from learnt.model.search import EvidenceFilter
from learnt.model.tokens import query_terms
from learnt.model.vector import Embedded, VectorFilter
from learnt.stores.ephemeral import EphemeralStore
from learnt.testing import samples
from learnt.testing.base import Base
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.model.cargo import Carried, Chapter
    from learnt.model.proposal import Proposal
    from learnt.ports.store import Store
    from learnt.testing.base import Raw

_MODEL = HashEmbedder()


def everything(store: Store, scope: Scope, other: Scope) -> None:
    """At least one row of every chapter, in two scopes, with every status."""
    texts = [f"alpha beta {word}" for word in ("one", "two", "three")]
    memories = [samples.memory(scope, text, tags=("red",)) for text in texts] + [
        samples.full_memory(scope),
        samples.memory(other, "alpha of another", status="deleted"),
        samples.memory(other, "gamma", status="quarantined", files=("src/a.py",)),
    ]
    memories[2] = replace(memories[2], metadata={KEY: [[memories[0].id, "disputes", 1.0, NOON]]})
    with store.transaction():
        for number, memory in enumerate(memories, 1):
            store.memories.put(memory)
            store.events.append(samples.event(number, memory.id, detail={"é": number}, reason='"quoted"'))
        store.proposals.put(samples.proposal(scope, observation=True, trigger=(("command", "=pnpm test"),)))
        store.proposals.put(samples.proposal(other, "Rejected.", status="rejected", rejection_reason="no"))
        store.proposals.put(_merged(scope, memories[0].id, memories[1].id))
        store.usage.put(samples.bundle(scope, memories[0].id, context="c-1", dense="ran"))
        store.usage.put(samples.bundle(other, run_id="run-1"))
        store.archive.put_units(samples.unit(each, number) for number in range(3) for each in (scope, other))
        store.archive.put_units([samples.unit(scope, 9, type="document", cited=True, detail=(("title", "é"),))])
        store.archive.put_session(samples.session(scope, "ses-1"))
        store.threads.put(samples.thread(scope, "ses-1", mode="polluted", extracted=NOON))
        store.extractions.put(samples.extraction(scope, "ses-1", usage_count=2, last_usage=NOON, selected_source=NOON))
        store.summaries.put(samples.summary(scope, "v1\n- one"))
        store.summaries.put(samples.summary(scope, "v1\n- two"))
        store.archive.unseen("lineage", ["m-1", "m-2"])
        store.recipes.add(scope, samples.recipe("s-1"))
        store.memories.put(replace(memories[1], confidence=0.4, updated_at=plus_days(NOON, 1)))
        store.outcomes.add(scope, samples.outcome(memories[0]))
        spotted = samples.outcome(memories[0], 2, result="corrected", correction="é", spots=(Spot("a"),))
        store.outcomes.add(scope, spotted)
        store.flags.put(scope, samples.flag(memories[0], login="ada"))
        store.flags.put(other, samples.flag(memories[-1], cleared_at=NOON, cleared_by="person:else"))
        store.digests.hold(scope, {"aa": "text", "bb": "ref"}, NOON)
        store.ledger.put(samples.charge("user-1", 1, input_tokens=3, remaining_percent=10.5))
        store.trail.keep(samples.checkpoint(1))
        store.meta.adopt("git.example.test/a", "0123456789abcdef")
        store.meta.put("fact", "worth keeping")
        store.meta.put("hook.all", "1")
        store.cargo.accept("contexts", [Sitting("keyed", 3, NOON)])
        store.queue.enqueue(
            JobRequest(id="job_1", kind="reembed", key="memory", scope_key=scope.key, payload='{"n":1}')
        )
        store.queue.lease("worker-1", ["reembed"], 60)
        _embed(store, [memory.id for memory in memories[:3]], texts, scope)


def _merged(scope: Scope, *related: str) -> Proposal:
    taken = {"curatorDecision": {"action": "merge"}}
    return samples.proposal(scope, "", operation="merge", kind=None, related=related, status="applied", metadata=taken)


def _embed(store: Store, ids: list[str], texts: list[str], scope: Scope) -> None:
    first = store.vectors.begin("memory", _MODEL.version, "text-1", _MODEL.dimension, NOON)
    store.vectors.begin("memory", "other:64", "text-1", _MODEL.dimension, NOON)
    evidence = store.vectors.begin("evidence", _MODEL.version, "said-2", _MODEL.dimension, NOON)
    vectors = [vector for vector in _MODEL.embed(texts) if vector]
    store.vectors.put(first, [Embedded(id=ids[0], vectors=(vectors[0],)), Embedded(id=ids[1], failure="refused")], NOON)
    unit = samples.unit(scope, 1)
    store.vectors.put(evidence, [Embedded(id=unit.id, vectors=tuple(vectors)), Embedded(id="unknown")], NOON)
    store.vectors.put(evidence, [Embedded(id=samples.unit(scope, 2).id)], NOON)


def loaded(store: Store, chapter: Chapter, limit: int = 2) -> Iterator[Carried]:
    """Every value of a chapter, read `limit` at a time."""
    after, more = "", True
    while more:
        load = store.cargo.load(chapter, after, limit)
        yield from load.values
        after, more = load.after, bool(load.after)


_NAMED: dict[Chapter, str] = {"flags": "memory_id"}


def _within(store: Store, sight: Sight, chapter: Chapter, limit: int) -> list[Carried]:
    found, after, more = list[Any](), "", True
    while more:
        load = store.cargo.within(sight, chapter, after, limit)
        found += load.values
        after, more = load.after, bool(load.after)
    return found


def tallies(store: Store) -> dict[str, tuple[int, str]]:
    """How many rows each chapter has, and their digest."""
    found: dict[str, tuple[int, str]] = {}
    for chapter in CHAPTERS:
        tally = Tally(chapter)
        tally.add(loaded(store, chapter, 100))
        found[chapter] = (tally.count, tally.digest)
    return found


def carry(source: Store, target: Store, limit: int = 3) -> None:
    """Everything from one store into another, `limit` values in a transaction."""
    for chapter in CHAPTERS:
        values = list(loaded(source, chapter, limit))
        for first in range(0, len(values), limit):
            with target.transaction():
                target.cargo.accept(chapter, values[first : first + limit])
    target.cargo.finish()


def answers(store: Store, *scopes: Scope) -> list[object]:
    """What readers get: memories, rankings, evidence, vectors, receipts, the chain."""
    found: list[object] = []
    for sight in (Sight((each,)) for each in scopes):
        found += [store.memories.page(sight, MemoryFilter(statuses=()), NOON), store.memories.count(sight)]
        narrowed = store.lexicon.candidates(sight, query_terms("alpha beta"), 2)
        found += [[each.id for each in narrowed.candidates], narrowed.matched, narrowed.whole]
        found += [store.lexicon.anchored(sight, [("command", "=pnpm test"), ("file", "src/a.py")])]
        listed = store.memories.page(sight, MemoryFilter(statuses=()), NOON).values
        found += [[(each.id, each.flags, each.useful, each.against) for each in listed]]
        found += [store.proposals.count(sight), store.usage.page(sight, "", 9), store.archive.sessions(sight, 9)]
        matches = store.evidence.match(sight, query_terms("words 1"), EvidenceFilter(), 9)
        best = [(each.unit.ref, round(each.score, 6)) for each in matches.best]
        found += [best, store.recipes.find(sight, "=pnpm test")]
        held = store.vectors.generation("memory")
        query = _MODEL.embed(["alpha beta one"])[0]
        if held and query:
            found += [store.vectors.search(sight, held, query, 5, VectorFilter())]
    head, rows = store.events.sealed()
    return [*found, verify(rows, head), store.usage.shown("c-1"), store.meta.alias("git.example.test/a")]


class CargoSuite(Base):
    """Everything in a store can be carried into another. Needs a store of its own: these tests look at all of it."""

    def test_an_empty_store_has_nothing(self, store: Store) -> None:
        """A store that was just made has no row in any chapter."""
        assert {chapter: store.cargo.count(chapter) for chapter in CHAPTERS} == dict.fromkeys(CHAPTERS, 0)
        assert not any(store.cargo.load(chapter, "", 9).values for chapter in CHAPTERS)

    def test_every_chapter_is_given_whole(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """However many at a time; and counted without being read."""
        everything(store, scope, foreign)
        for chapter in CHAPTERS:
            whole = list(loaded(store, chapter, 100))
            assert whole
            assert [list(loaded(store, chapter, limit)) for limit in (1, 2, 3)] == [whole] * 3
            assert store.cargo.count(chapter) == len(whole)

    def test_values_are_those_that_were_kept(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Memories with every field, events byte for byte, receipts with what a hook noted."""
        everything(store, scope, foreign)
        memories = list(loaded(store, "memories"))
        assert samples.full_memory(scope) in memories
        assert list(loaded(store, "events")) == list(store.events.chain())
        receipts = [each.bundle for each in loaded(store, "receipts") if isinstance(each, Receipt)]
        assert [each.dense for each in receipts] == ["ran", ""]
        assert MetaFact("fact", "worth keeping") in list(loaded(store, "facts"))

    def test_what_is_about_one_machine_stays(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """What hooks may do, leases, and the marker of a move are in no chapter."""
        everything(store, scope, foreign)
        with store.transaction():
            for key in ("lease:x", "rescan", "queue_clock", MARKER):
                store.meta.put(key, "1")
        keys = {each.key for each in loaded(store, "facts") if isinstance(each, MetaFact)}
        assert keys == {"fact", "memory_events_chain_head"}

    def test_there_and_back(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Carried into another store and back into an emptied one, nothing is different and nobody notices."""
        everything(store, scope, foreign)
        before, told = tallies(store), answers(store, scope, foreign)
        other = EphemeralStore()
        carry(store, other)
        assert tallies(other) == before
        with store.transaction():
            store.cargo.clear()
        assert not any(count for count, _ in tallies(store).values())
        carry(other, store)
        assert tallies(store) == before
        assert answers(store, scope, foreign) == told

    def test_a_store_that_was_emptied_goes_on(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Facts that stay are there; new writes work and are found."""
        everything(store, scope, foreign)
        with store.transaction():
            store.cargo.clear()
        assert (store.meta.get("hook.all"), store.meta.get("fact"), store.events.head()) == ("1", None, None)
        assert answers(store, scope)[2] == []
        everything(store, scope, foreign)
        assert store.memories.count(Sight((scope,))) == {"active": 3, "superseded": 1}

    def test_accepting_twice_changes_nothing(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Neither rows nor what is derived from them."""
        source = EphemeralStore()
        everything(source, scope, foreign)
        carry(source, store)
        once, told = tallies(store), answers(store, scope, foreign)
        assert once == tallies(source)
        carry(source, store, 2)
        assert tallies(store) == once
        assert answers(store, scope, foreign) == told

    def test_the_chain_goes_on(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """After a move the next event, receipt and memory follow those that were moved."""
        source = EphemeralStore()
        everything(source, scope, foreign)
        carry(source, store)
        with store.transaction():
            store.events.append(samples.event(999))
            store.usage.put(samples.bundle(scope, context="c-2"))
            store.memories.put(samples.memory(scope, "alpha later"))
        head, rows = store.events.sealed()
        assert verify(rows, head).verified
        assert store.usage.page(Sight((scope,)), "", 9)[0].context == "c-2"
        assert store.memories.count(Sight((scope,)))["active"] == 4

    def test_an_export_is_given_what_is_in_sight(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """By id, however many at a time; of evidence what is a document or cited; the rest is counted."""
        everything(store, scope, foreign)
        for sight in (Sight((scope,)), Sight((scope, foreign))):
            for chapter in EXPORTED:
                given = [each for each in loaded(store, chapter, 100) if getattr(each, "scope") in sight]  # noqa: B009
                kept = [each for each in given if not isinstance(each, EvidenceUnit) or each.cited]
                kept.sort(
                    key=lambda each: getattr(each.what if isinstance(each, Said) else each, _NAMED.get(chapter, "id"))
                )
                assert kept
                assert [_within(store, sight, chapter, limit) for limit in (1, 2, 100)] == [kept] * 3
        assert store.cargo.left(Sight((scope,))) == {
            **dict.fromkeys(("sessions", "extractions", "recipes", "receipts"), 1), "units": 3,
        }  # fmt: skip
        with store.cargo.moment():
            assert _within(store, Sight((foreign,)), "memories", 1)

    def test_reads_are_of_one_moment(self, reopen: Callable[[], Store], scope: Scope) -> None:
        """What another handle writes meanwhile is not seen before the end."""
        store, writer = reopen(), reopen()
        with writer.transaction():
            writer.memories.put(samples.memory(scope, "before"))
        with store.cargo.moment():
            assert store.cargo.count("memories") == 1
            with writer.transaction():
                writer.memories.put(samples.memory(scope, "meanwhile"))
            assert len(list(loaded(store, "memories"))) == store.cargo.count("memories") == 1
        assert store.cargo.count("memories") == 2
        store.close()
        writer.close()

    def test_a_row_that_cannot_be_read_is_named(self, store: Store, raw: Raw, scope: Scope, foreign: Scope) -> None:
        """It is left out, not fatal, and not passed over in silence."""
        everything(store, scope, foreign)
        memory = samples.memory(scope, "alpha beta one", tags=("red",))
        if not raw.spoil(memory.id):
            pytest.skip("this store cannot hold a damaged row")
        load = store.cargo.load("memories", "", 100)
        assert len(load.values) == 5
        assert load.damaged == (memory.id,)

    def test_taking_in_asks_for_a_transaction(self, store: Store, scope: Scope) -> None:
        """As every write does."""
        for write in (store.cargo.clear, lambda: store.cargo.accept("memories", [samples.memory(scope)])):
            with pytest.raises(StoreError) as caught:
                write()
            assert caught.value.error_code == "no_transaction"
