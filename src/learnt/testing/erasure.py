"""What forgetting asks of every store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.model.filter import ProposalFilter
from learnt.model.memory import Reference
from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.base import Base
from learnt.testing.evidence import ask
from learnt.testing.fakes import NOON
from learnt.testing.leaving import put

if TYPE_CHECKING:
    from learnt.ports.store import Store


class ErasureSuite(Base):
    """`Erasure`: what hangs on a memory, found and taken away."""

    def test_links_are_found(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """What was made of others, superseded or worded anew; nothing else, and nothing out of sight."""
        new = samples.memory(scope, "New.")
        made = samples.memory(scope, "Made.", metadata={"consolidatedFrom": ["mem_1", "mem_2"]})
        old = samples.memory(scope, "Old.", status="superseded", superseded_by=new.id)
        worded = samples.memory(scope, "Worded.", status="deleted", metadata={"updateReplacementId": new.id})
        put(store, new, made, old, worded, samples.memory(foreign, "Old.", status="superseded", superseded_by=new.id))
        found = {kin.id: kin for kin in store.erasure.linked(sight)}
        assert set(found) == {made.id, old.id, worded.id}
        assert found[made.id].sources == ("mem_1", "mem_2")
        assert (found[old.id].successor, found[worded.id].edited) == (new.id, new.id)

    def test_proposals_that_speak_of_it(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """By target, relation or what a decision noted; then they can be withdrawn, only in sight."""
        about = samples.proposal(scope, "a", operation="update", target_id="mem_0123456789abcdef")
        noted = samples.proposal(scope, "b", metadata={"curatorDecision": {"ids": ["mem_0123456789abcdef"]}})
        other, theirs = samples.proposal(scope, "c"), samples.proposal(foreign, "d", target_id="mem_0123456789abcdef")
        with store.transaction():
            for each in (about, noted, other, theirs):
                store.proposals.put(each)
        assert {each.id for each in store.erasure.speaking(sight, ["mem_0123456789abcdef"])} == {about.id, noted.id}
        assert {text for _, text in store.erasure.wordings(sight)} == {"a", "b", "c"}
        with store.transaction():
            assert store.erasure.withdraw(sight, [about.id, theirs.id, "prop_none"]) == (about.id,)
        assert store.proposals.get(sight, about.id) is None
        assert store.proposals.get(Sight((foreign,)), theirs.id) == theirs

    def test_an_observation_leaves_with_its_anchors(self, store: Store, scope: Scope, sight: Sight) -> None:
        """No action finds it any more, and who keeps a copy hears of it."""
        seen = samples.proposal(scope, "seen", observation=True, trigger=(("command", "=npm test"),))
        store.feed.last(scope)
        with store.transaction():
            store.proposals.put(seen)
        assert store.lexicon.anchored(sight, [("command", "=npm test")]) == (seen.id,)
        with store.transaction():
            store.erasure.withdraw(sight, [seen.id])
        assert store.lexicon.anchored(sight, [("command", "=npm test")]) == ()
        assert store.proposals.page(sight, ProposalFilter()).total == 0
        assert [each.target_id for each in store.feed.changes(scope, 0, 9)] == [seen.id, seen.id]

    def test_who_else_cites_it(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Memories that rest on the same piece of evidence, with any sign in its reference."""
        ref = 'session:"ä\\1"#7'
        citing = samples.memory(scope, "Cites.", evidence=(Reference(type="transcript", ref=ref, quote="words"),))
        put(store, citing, samples.memory(scope, "Cites nothing."))
        assert store.erasure.citing(sight, [ref, "session:other#1"]) == (citing.id,)

    def test_a_blanked_span_stays_empty(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Its words are found no more, its place stays, it outlives the retention, and is not filled again."""
        gone = samples.unit(scope, 1, text="the lighthouse keeper")
        stays = samples.unit(scope, 2, text="the lighthouse stairs")
        with store.transaction():
            store.archive.put_units([gone, stays])
        with store.transaction():
            assert store.erasure.blank(sight, [gone.ref, gone.ref, "session:none#1"]) == (gone.ref,)
        with store.transaction():
            assert store.archive.put_units([gone]) == 0
            store.archive.prune("2999-01-01T00:00:00.000Z")
        kept = store.archive.unit(sight, gone.ref)
        assert kept is not None
        assert (kept.text, kept.cited, kept.detail) == ("", True, (("erased", "true"),))
        with store.transaction():
            store.archive.put_units([stays])
        found = ask(store, sight, "lighthouse").best
        assert [match.unit.ref for match in found] == [stays.ref]

    def test_blanking_reaches_the_sheets(self, store: Store, scope: Scope, sight: Sight) -> None:
        """In a session large enough for an index its words leave that too."""
        units = [samples.unit(scope, number, text="zymurgy" if number == 500 else "harbour") for number in range(1_100)]
        with store.transaction():
            store.archive.put_units(units)
        with store.transaction():
            store.evidence.settle(sight)
        with store.transaction():
            store.erasure.blank(sight, [units[500].id])
        assert ask(store, sight, "zymurgy").best == ()
        assert len(ask(store, sight, "harbour").best) == 10
        assert store.upkeep.disagreements() == {}

    def test_a_command_proved_there_goes(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A recipe is the words of its span."""
        recipe = samples.recipe("s-1")
        with store.transaction():
            store.recipes.add(scope, recipe)
            store.recipes.add(scope, replace(recipe, session_id="s-2", ref="session:s-2#9"))
        with store.transaction():
            store.erasure.blank(sight, [recipe.ref])
        assert [each.session_id for each in store.recipes.find(sight, recipe.key)] == ["s-2"]

    def test_receipts_forget_it(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A receipt no longer names it, as it was rewritten; others stay."""
        one, other = samples.bundle(scope, "mem_1", "mem_2"), samples.bundle(scope, "mem_2")
        with store.transaction():
            store.usage.put(one)
            store.usage.put(other)
        with store.transaction():
            changed = store.erasure.relist(
                ["mem_1"], lambda bundle: replace(bundle, memory_ids=("mem_2",), scores=(0.5,), signature="new")
            )
        assert changed == 1
        assert (store.usage.recalls("mem_1"), store.usage.recalls("mem_2")) == (0, 2)
        assert {each.signature for each in store.usage.page(sight, "", 9)} == {"new", ""}
        assert all("mem_1" not in each.memory_ids for each in store.usage.page(sight, "", 9))


class LeaversSuite(Base):
    """`Leavers`: a person, or a repository, leaves whole."""

    def test_what_somebody_said(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """By whom, or about whom; in any case, only in sight, in order."""
        by = samples.unit(scope, 1, who="Ann", text="Deploy it.")
        about = samples.unit(scope, 2, who="bob", text="Ask ANN about it.")
        others = [samples.unit(scope, 3, who="bob", text="Done."), samples.unit(foreign, 1, who="ann")]
        with store.transaction():
            store.archive.put_units([by, about, *others])
        assert [unit.ref for unit in store.leavers.said(sight, ["ann"])] == [by.ref, about.ref]
        assert store.leavers.said(sight, ["nobody"]) == ()

    def test_what_somebody_thought_of_memories(self, store: Store, scope: Scope, sight: Sight) -> None:
        """Outcomes and flags of a writer go, and count no more; those of others stay."""
        memory = samples.memory(scope)
        put(store, memory)
        with store.transaction():
            for number, writer in enumerate(("person:ann", "person:bob")):
                store.outcomes.add(scope, samples.outcome(memory, number, by=writer))
                store.flags.put(scope, samples.flag(memory, by=writer))
        with store.transaction():
            assert store.leavers.unsay(sight, ["person:ann"]) == 2
        left = store.memories.get(sight, memory.id)
        assert left is not None
        assert (left.useful + left.against, left.flags) == (1, 1)
        assert [each.by for each in store.outcomes.of(sight, [memory.id])] == ["person:bob"]
        assert [each.by for each in store.flags.of(sight, [memory.id])] == ["person:bob"]

    def test_what_was_learnt_is_cleared(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Memories, proposals, what sessions taught and its jobs go; evidence, sessions and other jobs stay."""
        mine, theirs = samples.memory(scope), samples.memory(foreign)
        put(store, mine, theirs)
        with store.transaction():
            for owner in (scope, foreign):
                store.proposals.put(samples.proposal(owner, observation=True, trigger=(("command", "=npm test"),)))
                store.archive.put_units([samples.unit(owner, 1)])
                store.archive.put_session(samples.session(owner, owner.repo_id))
                store.threads.put(samples.thread(owner, owner.repo_id, mode="polluted"))
                store.extractions.put(samples.extraction(owner, owner.repo_id))
                store.summaries.put(samples.summary(owner))
                store.recipes.add(owner, samples.recipe("s-1"))
        with store.transaction():
            gone = store.leavers.clear(sight)
        assert dict(gone) == {"memories": 1, "proposals": 1, "extractions": 1, "recipes": 1, "jobs": 0}
        assert store.memories.count(sight) == {}
        assert store.extractions.ranks(sight) == ()
        assert store.summaries.current(sight) is None
        assert store.archive.session(sight, scope.repo_id) is not None
        assert store.archive.unit(sight, samples.unit(scope, 1).ref) is not None
        held = store.threads.get(sight, scope.repo_id)
        assert held is not None
        assert held.mode == "polluted"
        others = Sight((foreign,))
        assert store.memories.get(others, theirs.id) is not None
        assert len(store.extractions.ranks(others)) == 1
        assert store.recipes.find(others, samples.recipe("s-1").key)

    def test_a_repository_ends(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """Everything of its scopes goes, runs included; another repository's stays, and so do events and digests."""
        run = Scope(type="run", repo_id=scope.repo_id, run_id="r")
        mine, of_run, theirs = samples.memory(scope), samples.memory(run, "Of the run."), samples.memory(foreign)
        put(store, mine, of_run, theirs)
        with store.transaction():
            for owner in (scope, foreign):
                store.proposals.put(samples.proposal(owner, observation=True, trigger=(("command", "=npm test"),)))
                store.archive.put_units([samples.unit(owner, 1)])
                store.archive.put_session(samples.session(owner, owner.repo_id))
                store.threads.put(samples.thread(owner, owner.repo_id))
                store.extractions.put(samples.extraction(owner, owner.repo_id))
                store.summaries.put(samples.summary(owner))
                store.recipes.add(owner, samples.recipe("s-1"))
                store.usage.put(samples.bundle(owner, mine.id))
            store.events.append(samples.event(1, mine.id))
            store.digests.hold(scope, {"aa": "text"}, NOON)
        held = store.leavers.scopes(scope.repo_id)
        assert {each.key for each in held} == {scope.key, run.key}
        with store.transaction():
            gone = store.leavers.end(Sight(held))
        assert dict(gone) == {
            "memories": 2,
            "evidence": 1,
            "proposals": 1,
            "receipts": 1,
            "sessions": 1,
            "extractions": 1,
            "recipes": 1,
            "jobs": 0,
        }
        assert store.threads.latest(sight, 9) == ()
        assert store.summaries.current(sight) is None
        others = Sight((foreign,))
        assert store.memories.count(Sight(held)) == {}
        assert store.proposals.count(sight) == {}
        assert store.archive.sessions(sight, 9) == ()
        assert store.usage.page(sight, "", 9) == ()
        assert store.recipes.find(sight, samples.recipe("s-1").key) == ()
        assert store.leavers.said(sight, ["person"]) == ()
        assert store.lexicon.anchored(sight, [("command", "=npm test")]) == ()
        assert (store.memories.count(others), store.proposals.count(others)) == ({"active": 1}, {"pending": 1})
        assert len(store.archive.sessions(others, 9)) == len(store.usage.page(others, "", 9)) == 1
        assert store.digests.count(sight) == 1
        assert [row.target_id for row in store.events.chain()] == [mine.id]
        assert store.upkeep.disagreements() == {}


class DigestsSuite(Base):
    """`Digests`: what keeps the forgotten away."""

    def test_held_until_lifted(self, store: Store, scope: Scope, sight: Sight) -> None:
        """A digest is held once, found in its scope, and let go of only on demand."""
        with store.transaction():
            store.digests.hold(scope, {"aa": "text", "bb": "ref"}, NOON)
            store.digests.hold(scope, {"aa": "ref"}, NOON)
        assert store.digests.among(sight, ["aa", "cc", "bb"]) == {"aa", "bb"}
        assert store.digests.count(sight) == 2
        with store.transaction():
            assert store.digests.lift(sight, ["aa", "cc"]) == 1
        assert store.digests.among(sight, ["aa", "bb"]) == {"bb"}

    def test_only_in_its_scope(self, store: Store, scope: Scope, foreign: Scope, sight: Sight) -> None:
        """What one repository forgot, another may say."""
        with store.transaction():
            store.digests.hold(scope, {"aa": "text"}, NOON)
        theirs = Sight((foreign,))
        assert (store.digests.among(theirs, ["aa"]), store.digests.count(theirs)) == (frozenset(), 0)
        with store.transaction():
            assert store.digests.lift(theirs, ["aa"]) == 0
        assert store.digests.among(sight, ["aa"]) == {"aa"}
