"""How a store narrows a question to candidates, and finds what an action is tied to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.scope import Scope, Sight
from learnt.model.tokens import query_terms
from learnt.testing import samples
from learnt.testing.base import Base
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from learnt.model.memory import Memory
    from learnt.ports.store import Store


def put(store: Store, *memories: Memory) -> None:
    """Store some memories in one transaction."""
    with store.transaction():
        for memory in memories:
            store.memories.put(memory)


def found(store: Store, sight: Sight, query: str, limit: int = 2) -> list[str]:
    """Ids of what full text matched, in order."""
    narrowed = store.lexicon.candidates(sight, query_terms(query), limit)
    return [each.id for each in narrowed.candidates] if narrowed.matched else []


class CandidatesSuite(Base):
    """The full-text stage."""

    def test_a_small_scope_is_taken_whole(self, store: Store, scope: Scope, sight: Sight) -> None:
        """All active memories, whatever the words; others are left out."""
        one, two = samples.memory(scope, "Alpha."), samples.memory(scope, "Beta.")
        put(store, one, two, samples.memory(scope, "Gone.", status="superseded"))
        narrowed = store.lexicon.candidates(sight, ("nothing",), 2)
        assert {each.id for each in narrowed.candidates} == {one.id, two.id}
        assert (narrowed.whole, narrowed.matched) == (True, True)

    def test_a_large_scope_is_narrowed_by_words(self, store: Store, scope: Scope, sight: Sight) -> None:
        """The best by rare words come first, and no more than the limit."""
        put(store, *(samples.memory(scope, f"Common words here, number {n}.") for n in range(9)))
        best = samples.memory(scope, "Common words about zeppelins.")
        put(store, best)
        ids = found(store, sight, "common zeppelins")
        assert (ids[0], len(ids)) == (best.id, 2)
        assert found(store, sight, "nowhere") == []

    def test_where_nothing_matches_the_newest_remain(self, store: Store, scope: Scope, sight: Sight) -> None:
        """They are not placed, and the answer says that nothing matched."""
        put(store, *(samples.memory(scope, f"Filler {n}.", at=f"2026-05-24T12:00:0{n}.000Z") for n in range(5)))
        narrowed = store.lexicon.candidates(sight, ("nowhere",), 2)
        assert (narrowed.matched, narrowed.whole) == (False, False)
        assert [(each.updated_at[18], each.position) for each in narrowed.candidates[:2]] == [("4", -1), ("3", -1)]

    def test_foreign_words_change_nothing(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Another scope's rows are neither found nor do they move the ranking."""
        put(store, *(samples.memory(scope, f"Alpha {'beta' if n % 2 else 'gamma'} {n}.") for n in range(8)))
        before = found(store, sight, "alpha beta gamma", 4)
        put(store, *(samples.memory(foreign, f"Beta beta {n}.") for n in range(30)))
        assert found(store, sight, "alpha beta gamma", 4) == before

    def test_leaving_and_coming_back(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Full text follows the status, and a changed tag is found instead of the old one."""
        put(store, *(samples.memory(scope, f"Filler {n}.") for n in range(5)))
        memory = samples.memory(scope, "Zeppelins fly.", tags=("oldtag",))
        put(store, memory)
        assert found(store, sight, "zeppelins") == [memory.id]
        put(store, replace(memory, status="superseded"))
        assert found(store, sight, "zeppelins") == []
        put(store, replace(memory, tags=("newtag",)))
        assert found(store, sight, "newtag") == [memory.id]
        assert found(store, sight, "oldtag") == []

    def test_syntax_is_only_words(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Operators and quotes of a query language raise nothing and find nothing of their own."""
        put(store, *(samples.memory(scope, f"Filler {n}.") for n in range(5)))
        for query in ('"', "*", "a NEAR/2 b", "-x", "text:filler", "(", "filler*", "' OR 1=1 --", "AND OR NOT", "\x00"):
            found(store, sight, query)

    def test_kinds_and_expiry_take_no_place(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Other kinds and expired memories do not use up the limit."""
        put(store, *(samples.memory(scope, f"Zeppelin {n}.", expires_at=NOON) for n in range(4)))
        lesson = samples.memory(scope, "Zeppelin lesson, a longer text about many things.", kind="lesson")
        put(store, lesson)
        narrowed = store.lexicon.candidates(sight, ("zeppelin",), 2, kinds=("lesson",), now=NOON)
        assert [each.id for each in narrowed.candidates] == [lesson.id]

    def test_a_candidate_carries_what_scoring_reads(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Token sets and columns are the memory's."""
        memory = samples.memory(scope, "Use renewLeaseBatch here.", tags=("a",), files=("src/b.py",), symbols=("Cde",))
        put(store, memory)
        (each,) = store.lexicon.candidates(sight, ("use",), 5).candidates
        assert (each.id, each.kind, each.scope_key, each.scope_type) == (memory.id, memory.kind, scope.key, scope.type)
        assert set(each.text) == {"use", "renewleasebatch", "here"}
        assert (set(each.tag), set(each.file), set(each.symbol)) == ({"a"}, {"src", "b", "py"}, {"cde"})
        assert {"renew", "lease", "batch"} <= set(each.part)

    def test_named_memories_come_unranked(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """In the order asked for; what is not active or not in sight is left out."""
        one, two, gone = (samples.memory(scope, text) for text in ("One.", "Two.", "Three."))
        theirs = samples.memory(foreign, "Theirs.")
        put(store, one, two, replace(gone, status="deleted"), theirs)
        named = store.lexicon.named(sight, [two.id, gone.id, theirs.id, "mem_0000000000000000", one.id])
        assert [(each.id, each.position) for each in named] == [(two.id, -1), (one.id, -1)]
        assert set(named[0].text) == {"two"}


class AnchorsSuite(Base):
    """What an action is recognised by."""

    def test_a_trigger_is_found(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Of memories and pending observations, in the order asked, then by id."""
        memory = samples.memory(scope, metadata={"trigger": [["command", "=npm test"]]})
        seen = samples.proposal(scope, observation=True, trigger=(("file", "src/a.py"), ("command", "=npm test")))
        put(store, memory)
        with store.transaction():
            store.proposals.put(seen)
        assert store.lexicon.anchored(sight, [("file", "src/a.py"), ("command", "=npm test")]) == (seen.id, memory.id)
        assert store.lexicon.anchored(sight, [("command", "=npm t")]) == ()

    def test_what_left_is_not_found(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A superseded memory and a decided observation are tied to nothing."""
        memory = samples.memory(scope, metadata={"trigger": [["command", "=npm test"]]})
        seen = samples.proposal(scope, observation=True, trigger=(("command", "=npm test"),))
        put(store, memory)
        put(store, replace(memory, status="superseded"))
        with store.transaction():
            store.proposals.put(seen)
            store.proposals.put(replace(seen, status="rejected"))
        assert store.lexicon.anchored(sight, [("command", "=npm test")]) == ()

    def test_a_shared_anchor_outlives_one_of_its_memories(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Two memories of one command: when one leaves, the other is still found."""
        one = samples.memory(scope, "One.", metadata={"trigger": [["command", "=npm test"]]})
        two = samples.memory(scope, "Two.", metadata={"trigger": [["command", "=npm test"]]})
        put(store, one, two)
        put(store, replace(one, status="deleted"))
        assert store.lexicon.anchored(sight, [("command", "=npm test")]) == (two.id,)

    def test_a_foreign_action_finds_nothing(self, store: Store, scope: Scope, foreign: Scope) -> None:
        """Anchors are read within the sight."""
        put(store, samples.memory(scope, metadata={"trigger": [["command", "=npm test"]]}))
        assert store.lexicon.anchored(Sight((foreign,)), [("command", "=npm test")]) == ()
