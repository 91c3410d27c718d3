"""A verdict, and what it does to exactly what was recalled for the work it is about."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learnt.errors import UsageError
from learnt.flows.logs import recall_log, value_log
from learnt.flows.queue import pending
from learnt.flows.read import explain
from learnt.flows.recall import recall
from learnt.flows.remember import remember
from learnt.flows.reward import Work, reward
from learnt.learn.explore import LABEL
from learnt.model.answer import Written
from learnt.model.ranking import Query, Ranking
from learnt.model.request import WriteRequest
from learnt.settings import LearningSettings, Settings
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.testing.fakes import SequenceIds
from tests.flows.conftest import context_of

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.memory import Memory

TEXTS = (
    "Deploys of the harbour service wait for the lighthouse check.",
    "The lighthouse check reads its numbers from the tide table.",
    "Releases are cut on Tuesdays after the integration suite.",
)
ALONE = Settings(learning=LearningSettings(propagation_fanout=0))


@pytest.fixture
def means(means: Means) -> Means:
    """The usual means, without neighbours."""
    return replace(means, settings=ALONE)


def write(means: Means, text: str, **fields: Any) -> Memory:
    """A memory a person wrote."""
    answer = remember(means, WriteRequest(text=text, kind=fields.pop("kind", "repo_convention"), **fields))
    assert isinstance(answer, Written)
    return answer.memory


def worked(means: Means, run: str = "r-1", unit: str = "", round_: str = "") -> Means:
    """The same means in the course of some work."""
    return replace(means, context=context_of(run_id=run, unit_id=unit, round=round_))


def ask(means: Means, text: str, **fields: Any) -> Ranking:
    """A recall, a second after what was before."""
    means.clock.advance(1)  # type: ignore[attr-defined]
    return recall(means, Query(text=text, **fields))


def value(means: Means, memory: Memory) -> float:
    """What a memory is worth now."""
    held = means.store.memories.get(means.context.sight, memory.id)
    assert held is not None
    return held.q_value


def test_a_bundle_is_rewarded_once(means: Means) -> None:
    """Exactly its memories take one step; a second verdict, whatever it says, changes nothing."""
    one, other = write(means, TEXTS[0]), write(means, TEXTS[2])
    given_ = ask(means, "harbour deploys", max_items=1)
    done = reward(means, "APPROVE", Work(bundle=given_.bundle_id))
    assert [(each.id, each.q_before, each.q_after) for each in done.learned] == [(one.id, 0.5, 0.55)]
    assert (done.reason, done.bundles) == (None, (given_.bundle_id,))
    again = reward(means, "REJECT", Work(bundle=given_.bundle_id))
    assert (again.reason, again.learned) == ("already_rewarded", ())
    assert (value(means, one), value(means, other)) == (0.55, 0.5)


@pytest.mark.parametrize(("said", "expected"), [("APPROVE", 0.55), ("CONCERNS", 0.45), ("REJECT", 0.35)])
def test_what_a_verdict_is_worth(means: Means, said: Any, expected: float) -> None:
    """The seed's numbers, used as they are; the settings may say otherwise."""
    memory = write(means, TEXTS[0])
    bundle = ask(means, "harbour deploys").bundle_id
    assert reward(means, said, Work(bundle=bundle)).learned[0].q_after == expected
    kind = replace(means, settings=Settings(learning=LearningSettings(reward_concerns=0.5, propagation_fanout=0)))
    bundle = ask(kind, "harbour deploys again").bundle_id
    assert reward(kind, "CONCERNS", Work(bundle=bundle)).learned[0].q_after == pytest.approx(0.9 * expected + 0.05)
    assert value(means, memory) == pytest.approx(0.9 * expected + 0.05)


def test_a_unit_and_a_round_are_meant_exactly(means: Means) -> None:
    """Another unit and another round of the same run keep what they have; each is rewarded once."""
    memory = write(means, TEXTS[0])
    first, second = worked(means, "r", "u1", "1"), worked(means, "r", "u1", "2")
    elsewhere = worked(means, "r", "u2", "1")
    bundles = [ask(each, "harbour deploys").bundle_id for each in (first, second, elsewhere)]
    assert reward(means, "APPROVE", Work(run="r", unit="u1", round="1")).bundles == (bundles[0],)
    assert value(means, memory) == 0.55
    assert reward(means, "APPROVE", Work(run="r", unit="u1", round="1")).reason == "already_rewarded"
    assert reward(means, "APPROVE", Work(run="r", unit="u1", round="2")).bundles == (bundles[1],)
    assert value(means, memory) == 0.595
    assert reward(means, "APPROVE", Work(run="r")).bundles == (bundles[2],)
    assert reward(means, "APPROVE", Work(run="r")).reason == "already_rewarded"


def test_what_comes_after_a_verdict_waits_for_the_next(means: Means) -> None:
    """The same work is rewarded once, also when it goes on recalling; several bundles of it are one step."""
    memory, here = write(means, TEXTS[0]), worked(means, "r", "u", "1")
    ask(here, "harbour deploys")
    ask(here, "deploys of the harbour")
    assert len(reward(means, "APPROVE", Work(run="r", unit="u", round="1")).bundles) == 2
    assert value(means, memory) == 0.55
    later = ask(here, "harbour service deploys").bundle_id
    assert reward(means, "APPROVE", Work(run="r", unit="u", round="1")).reason == "already_rewarded"
    assert value(means, memory) == 0.55
    assert reward(means, "APPROVE", Work(bundle=later)).reason is None


@pytest.mark.parametrize(
    "work",
    [
        Work(bundle="bundle_20260524120000_00000000"),
        Work(run="unknown"),
        Work(run="r", unit="u9"),
        Work(run="r", round="9"),
    ],
)
def test_nothing_falls_back_to_the_latest(means: Means, work: Work) -> None:
    """An unknown bundle, run, unit or round rewards nothing, and says so."""
    memory = write(means, TEXTS[0])
    ask(worked(means, "r", "u", "1"), "harbour deploys")
    before = means.store.events.head()
    done = reward(means, "APPROVE", work)
    assert (done.reason, done.learned, done.bundles) == ("no_recall_usage_for_run", (), ())
    assert value(means, memory) == 0.5
    assert means.store.events.head() == before


def test_a_recall_that_gave_nothing_is_no_work(means: Means) -> None:
    """Its receipt is there, and there is nothing to reward."""
    empty = ask(worked(means, "r"), "harbour deploys")
    assert empty.hits == ()
    assert reward(means, "APPROVE", Work(bundle=empty.bundle_id)).reason == "no_recall_usage_for_run"


def test_a_receipt_nobody_here_wrote_rewards_nothing(means: Means) -> None:
    """What was put there, or was given to another run than it says, does not count; on a server others have keys."""
    memory = write(means, TEXTS[0])
    true = ask(worked(means, "r"), "harbour deploys").bundle_id
    (held,) = means.store.usage.find(means.context.sight, true)
    for forged in (replace(held, run_id="x"), replace(held, run_id="y", signature=""), replace(held, run_id="z:")):
        with means.store.transaction():
            means.store.usage.put(forged)
        done = reward(means, "REJECT", Work(run=forged.run_id))
        assert (done.reason, done.unsigned) == ("no_recall_usage_for_run", 1)
    assert value(means, memory) == 0.5
    other = replace(means, key=b"o" * 32)
    assert reward(other, "REJECT", Work(bundle=true)).reason == "no_recall_usage_for_run"
    assert reward(replace(other, served=True), "REJECT", Work(bundle=true)).reason is None


def test_names_of_work_pass_the_gate(means: Means) -> None:
    """A run that was named by a secret is found by what is left of it, and no event holds the name."""
    write(means, TEXTS[0])
    name = "ghp_" + "a1B2" * 9
    ask(worked(means, means.gate.redact(name)), "harbour deploys")
    assert reward(means, "APPROVE", Work(run=name)).reason is None
    assert all(name not in f"{row}" for row in means.store.events.chain())


def test_the_hash_of_a_query_is_no_seal(means: Means) -> None:
    """Whoever may ask anything cannot have a receipt sealed by asking for it."""
    from learnt.model.keys import keyed_hash, sealed

    parts = ("bundle_1", "now", "r", "u", "1", "mem_a")
    text = '["bundle_1","now","r","u","1","mem_a"]'
    assert keyed_hash(means.key, text) not in sealed(means.key, parts)
    assert sealed(means.key, parts) != sealed(means.key, ("bundle_1", "now", "r", "u", "1", "mem_a", ""))


def test_disabled_memory_rewards_nothing(means: Means) -> None:
    """It says that it is off."""
    from learnt.settings import MemorySettings

    write(means, TEXTS[0])
    bundle = ask(means, "harbour deploys").bundle_id
    off = replace(means, settings=replace(ALONE, memory=MemorySettings(enabled=False)))
    assert reward(off, "APPROVE", Work(bundle=bundle)).reason == "memory_disabled"


@pytest.mark.parametrize("work", [Work(), Work(bundle="b", run="r"), Work(bundle="b", unit="u")])
def test_a_reward_names_one_thing(means: Means, work: Work) -> None:
    """One bundle, or one run."""
    with pytest.raises(UsageError):
        reward(means, "APPROVE", work)
    with pytest.raises(UsageError):
        reward(means, "MAYBE", Work(run="r"))  # type: ignore[arg-type]


def test_neighbours_share(means: Means) -> None:
    """What was recalled lately and is like it moves a little; what is not like it, or long ago, does not."""
    near = replace(means, settings=Settings())
    one = write(near, "The harbour deploy waits for the lighthouse check.")
    like = write(near, "The harbour deploy waits for the lighthouse numbers.")
    old = write(near, "The harbour deploy waits for the lighthouse keeper.")
    unlike = write(near, "Integration suites run on Tuesdays at noon.")
    ask(near, "lighthouse keeper", max_items=1)
    near.clock.advance(31 * 86_400)  # type: ignore[attr-defined]
    ask(near, "lighthouse numbers", max_items=1)
    ask(near, "integration suites", max_items=1)
    bundle = ask(near, "lighthouse check", max_items=1)
    assert [hit.memory.id for hit in bundle.hits] == [one.id]
    done = reward(near, "APPROVE", Work(bundle=bundle.bundle_id))
    assert [(each.id, each.q_after) for each in done.near] == [(like.id, 0.515)]
    assert [value(near, each) for each in (one, like, old, unlike)] == [0.55, 0.515, 0.5, 0.5]


def test_only_a_value_changes(means: Means) -> None:
    """Neither truth nor trust nor time of a memory; the receipt carries the reward; each step is told of."""
    memory = write(means, TEXTS[0])
    bundle = ask(means, "harbour deploys").bundle_id
    assert means.store.memories.get(means.context.sight, memory.id) == memory
    reward(means, "APPROVE", Work(bundle=bundle))
    assert means.store.memories.get(means.context.sight, memory.id) == replace(memory, q_value=0.55)
    (held,) = means.store.usage.find(means.context.sight, bundle)
    assert (held.last_reward, held.task_outcome, held.q_value) == (1.0, "APPROVE", 0.55)
    assert [each.operation for each in explain(means, memory.id).events][-1] == "reward"
    assert [each.operation for each in means.store.events.about(bundle)] == ["recall", "verdict"]


def test_a_deleted_memory_keeps_its_value(means: Means) -> None:
    """What is gone is not rewarded; the rest of the bundle is."""
    gone, stays = write(means, TEXTS[0]), write(means, TEXTS[1])
    bundle = ask(means, "lighthouse check").bundle_id
    with means.store.transaction():
        means.store.memories.put(replace(gone, status="deleted"))
    assert [each.id for each in reward(means, "APPROVE", Work(bundle=bundle)).learned] == [stays.id]


def test_rejections_suppress_and_exploration_brings_back(means: Means) -> None:
    """Below .15 it is not recalled but at the rate of exploration, marked; never injected."""
    memory = write(means, TEXTS[0])
    for number in range(3):
        ask(worked(means, f"r{number}"), "harbour deploys")
        reward(means, "REJECT", Work(run=f"r{number}"))
    assert value(means, memory) == pytest.approx(0.0935)
    hidden = [ask(means, "harbour deploys") for _ in range(19)]
    assert [each.hits for each in hidden] == [()] * 19
    assert all(each.diagnostics["suppressedLowQCount"] == 1 for each in hidden)
    assert all(ask(means, "harbour deploys", mode="injection").hits == () for _ in range(25))
    shown = ask(means, "harbour deploys")
    assert [(hit.memory.id, hit.labels) for hit in shown.hits] == [(memory.id, (LABEL,))]
    assert (shown.diagnostics["exploredCount"], shown.skip_reason) == (1, None)
    assert LABEL in shown.prompt_block
    reward(means, "APPROVE", Work(bundle=shown.bundle_id))
    assert value(means, memory) == pytest.approx(0.18415)
    assert len(ask(means, "harbour deploys").hits) == 1


def test_a_review_brings_back(means: Means) -> None:
    """What somebody asked for in spite of its outcomes may be rewarded like anything."""
    memory = write(means, TEXTS[0])
    with means.store.transaction():
        means.store.usage.reward(means.context.sight, (), {memory.id: 0.149})
    assert ask(means, "harbour deploys").hits == ()
    bundle = ask(means, "harbour deploys", include_low_q=True).bundle_id
    assert reward(means, "APPROVE", Work(bundle=bundle)).learned[0].q_after == pytest.approx(0.2341)
    assert len(ask(means, "harbour deploys").hits) == 1


def test_exactly_the_threshold_is_recalled(means: Means) -> None:
    """.15 is not below .15."""
    memory = write(means, TEXTS[0])
    with means.store.transaction():
        means.store.usage.reward(means.context.sight, (), {memory.id: 0.15})
    assert len(ask(means, "harbour deploys").hits) == 1


def test_a_higher_value_ranks_higher(means: Means) -> None:
    """Two equal memories at .9 and .5 stand .04 apart."""
    low, high = write(means, "Harbour deploys wait one."), write(means, "Harbour deploys wait two.")
    with means.store.transaction():
        means.store.usage.reward(means.context.sight, (), {high.id: 0.9})
    hits = ask(means, "harbour deploys").hits
    assert [hit.memory.id for hit in hits] == [high.id, low.id]
    assert hits[0].score - hits[1].score == pytest.approx(0.04)


def test_promotion_candidates_wait_in_pending(means: Means) -> None:
    """Above .85 and recalled more than five times."""
    memory, other = write(means, TEXTS[0]), write(means, TEXTS[2])
    with means.store.transaction():
        means.store.usage.reward(means.context.sight, (), {memory.id: 0.86, other.id: 0.85})
    for _ in range(5):
        ask(means, "harbour deploys integration suite")
    assert pending(means).promotion_candidates == ()
    ask(means, "harbour deploys integration suite")
    assert [each.id for each in pending(means).promotion_candidates] == [memory.id]


def test_the_logs_tell(means: Means) -> None:
    """Who recalled what, what never was, and how each value came about."""
    memory, never = write(means, TEXTS[0], confidence=0.8), write(means, TEXTS[2])
    here = worked(means, "r", "u", "1")
    ask(here, "harbour deploys", max_items=1, role="coder")
    ask(means, "lighthouse harbour", max_items=1)
    reward(means, "REJECT", Work(run="r", unit="u", round="1"))
    log = recall_log(means)
    assert (log.total, log.recalls[memory.id].count, log.never) == (2, 2, (never.id,))
    assert recall_log(means, "r").never == ()
    assert dict(recall_log(means, "r").by_role) == {"coder": (1, (memory.id,))}
    (one,) = value_log(means)
    assert (one.memory.id, one.recalls, one.promotable, one.suppressed) == (memory.id, 2, False, False)
    assert [(each.verdict, each.q_before, each.q_after, each.shared) for each in one.past] == [
        ("REJECT", 0.5, 0.35, False)
    ]
    assert one.belief == pytest.approx(4 * 0.8 / 5)
    assert ask(means, "harbour deploys", max_items=1).hits[0].belief == one.belief
    assert ask(means, "integration suite", max_items=1).hits[0].belief == 0.9


verdicts = st.lists(st.sampled_from(("APPROVE", "REJECT", "CONCERNS")), min_size=3, max_size=3)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(verdicts, st.permutations(range(3)), st.lists(st.integers(0, 2), max_size=3))
def test_the_order_of_units_does_not_matter(
    means: Means, said: list[Any], order: list[int], repeated: list[int]
) -> None:
    """Three units that share memories, verdicts in any order and some twice: every value comes out the same."""
    found = []
    for turn in (range(3), (*order, *repeated)):
        fresh = replace(means, store=EphemeralStore(means.clock.now), ids=SequenceIds(), settings=Settings())
        made = [write(fresh, text) for text in TEXTS]
        for number, question in enumerate(("harbour lighthouse", "lighthouse tide", "harbour releases")):
            ask(worked(fresh, "r", f"u{number}"), question)
        for number in turn:
            reward(fresh, said[number], Work(run="r", unit=f"u{number}"))
        found.append([value(fresh, memory) for memory in made])
    assert found[0] == found[1]
