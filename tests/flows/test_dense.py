"""Vectors through the rooms: write, recall by every profile, re-embedding, and everything that can go wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest

from learnt.errors import EmbedderError
from learnt.flows.arms import ready
from learnt.flows.decide import decide
from learnt.flows.lease import TERM_S
from learnt.flows.means import Means
from learnt.flows.propose import propose
from learnt.flows.recall import recall
from learnt.flows.reembed import Progress, Reembedded, catch_up, reembed
from learnt.flows.remember import remember
from learnt.flows.share import Share
from learnt.flows.undo import undo
from learnt.model.answer import Decided, Proposed, Refusal, Undone, Written
from learnt.model.job import JobRequest
from learnt.model.memory import Memory
from learnt.model.proposal import Decision
from learnt.model.ranking import Query, Ranking
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.ports.embedder import Absent, Embedder, Reranker
from learnt.testing.embedders import (
    CountingEmbedder,
    CrookedEmbedder,
    FailingEmbedder,
    FailingReranker,
    HashEmbedder,
    ReversingReranker,
    SilentEmbedder,
    SlowEmbedder,
    nans,
    short,
    zeros,
)
from learnt.testing.fakes import FixedClock, SequenceIds


class _Ids(SequenceIds):
    """Every id is new, every marker the same, so that two answers can be compared byte for byte."""

    numbers: Iterator[int] = count(1_000_000)  # beyond those of the means a test began with

    def new(self, prefix: str) -> str:
        return f"{prefix}_{next(self.numbers):016x}"

    def marker(self) -> str:
        return "00000000"


def having(means: Means, embedder: Embedder | Absent, reranker: Reranker | Absent | None = None) -> Means:
    """The same means with models."""
    models = {"embedder": embedder, "asking": embedder, **({"reranker": reranker} if reranker else {})}
    still = {"share": Share(), "monotonic_s": lambda: 0.0}
    return replace(means, ids=_Ids(), **still, **models)  # type: ignore[arg-type]


def wrote(means: Means, text: str, **fields: object) -> Memory:
    answer = remember(means, WriteRequest(text=text, **{"kind": "repo_convention", **fields}))  # type: ignore[arg-type]
    assert isinstance(answer, Written)
    return answer.memory


def asked(means: Means, text: str, profile: str = "hybrid", **fields: object) -> Ranking:
    fields = {"min_score": 0.0, "max_items": 20, **fields}
    return recall(means, Query(text=text, profile=profile, **fields))  # type: ignore[arg-type]


def arm(ranking: Ranking, name: str = "dense") -> str:
    return str(ranking.diagnostics["arms"][name])  # type: ignore[index]


def ids(ranking: Ranking) -> list[str]:
    return [hit.memory.id for hit in ranking.hits]


def done(answer: Reembedded | Refusal) -> Progress:
    assert isinstance(answer, Reembedded)
    return answer.targets[0]


class Meanings(HashEmbedder):
    """Knows that some words mean the same."""

    def embed(self, texts):
        return super().embed([text.lower().replace("kitten", "cat").replace("automobile", "car") for text in texts])


def test_meaning_is_found(means: Means) -> None:
    """What shares no word with the question comes first by its vector, in every profile with vectors."""
    here = having(means, Meanings())
    cat = wrote(here, "kitten kitten")
    wrote(here, "something else")
    for profile in ("hybrid", "dense", "default"):
        answer = asked(here, "cat", profile)
        assert (ids(answer)[0], arm(answer)) == (cat.id, "ran")
    assert asked(here, "cat", "hybrid").diagnostics["fusionActive"] is True
    assert "fusionActive" not in asked(here, "cat", "lexical").diagnostics


@pytest.mark.parametrize("profile", ["hybrid", "hybrid+rerank", "default"])
@pytest.mark.parametrize(
    ("embedder", "word"),
    [
        (Absent("off"), "off"),
        (Absent("no embedder"), "no embedder"),
        (FailingEmbedder(code="unreachable"), "failed: unreachable"),
        (SilentEmbedder(1), "failed: no_vector"),
        (CrookedEmbedder({"red fox": zeros(64)}), "failed: vector"),
        (CrookedEmbedder({"red fox": nans(64)}), "failed: vector"),
        (CrookedEmbedder({"red fox": short(64)}), "failed: vector"),
        (HashEmbedder(name="other"), "stale generation"),
        (HashEmbedder(32), "stale generation"),
    ],
)
@pytest.mark.parametrize("mode", ["manual", "injection"])
def test_a_dense_arm_that_does_not_run_changes_nothing(
    means: Means, profile: str, embedder: Embedder | Absent, word: str, mode: str
) -> None:
    """Items, order, scores, signals, block and counts are those of an answer without vectors; the arm says why."""
    here = having(means, HashEmbedder())
    for text in ("red fox", "red fox jumps", "lazy dog", "fox and dog"):
        wrote(here, text)
    plain = asked(
        having(means, Absent("no embedder")), "red fox", "default" if profile == "default" else "lexical", mode=mode
    )
    answer = asked(having(means, embedder), "red fox", profile, mode=mode)
    assert arm(answer) == word
    assert answer.hits == plain.hits
    assert answer.prompt_block == plain.prompt_block
    assert {**answer.diagnostics, "arms": 0} == {**plain.diagnostics, "arms": 0}


def test_cosine_alone_needs_vectors(means: Means) -> None:
    """The profile for measuring never passes words off as vectors."""
    wrote(means, "red fox")
    with pytest.raises(EmbedderError) as caught:
        asked(means, "red fox", "dense")
    assert (caught.value.error_code, caught.value.exit_code) == ("no_vectors", 4)


def test_what_only_vectors_found_has_no_signals(means: Means) -> None:
    """In a scope that full text narrows, a hit of the vectors alone carries zeros; injection leaves it out."""
    here = having(means, Meanings())
    for n in range(420):
        wrote(here, f"automobile number {n}" if n < 3 else f"zebra {n}" if n < 6 else f"filler {n}")
    answer = asked(here, "zebra car", max_items=20)
    lonely = [hit for hit in answer.hits if hit.memory.text.startswith("automobile")]
    assert lonely
    assert all(not any(hit.signals.values()) for hit in lonely)
    assert all("zebra" in hit.memory.text for hit in asked(here, "zebra car", mode="injection").hits)


def test_default_keeps_the_scale_of_words(means: Means) -> None:
    """What equals the question comes first and scores as by words alone; what is nothing like it loses its text."""
    here = having(means, HashEmbedder())
    for text in ("red fox", "red fox jumps over", "lazy dog", "fox and dog and red"):
        wrote(here, text)
    before = {hit.memory.text: hit.score for hit in asked(means, "red fox", "default").hits}
    answer = asked(here, "red fox", "default")
    after = {hit.memory.text: hit.score for hit in answer.hits}
    assert before.keys() == after.keys()
    assert answer.hits[0].memory.text == "red fox"
    assert abs(after["red fox"] - before["red fox"]) < 1e-6
    assert all(before["lazy dog"] <= score <= before["red fox"] + 1e-6 for score in after.values())


def test_what_equals_the_question_needs_no_vector(means: Means) -> None:
    """Of forty alike with vectors and one without, the one that is the question comes first."""
    here = having(means, HashEmbedder())
    for n in range(40):
        wrote(here, f"the build cache of runner {n}")
    bare = wrote(having(means, Absent("off")), "the build cache")
    assert ids(asked(here, "the build cache", "default"))[0] == bare.id


def test_telling_words_count_more(means: Means) -> None:
    """Of two memories with as many words of the question the one with its rare word comes first."""
    here = having(means, HashEmbedder())
    for n in range(8):
        wrote(here, f"the deploy script of service {n}")
    rare = wrote(here, "the deploy of buildkite")
    assert ids(asked(here, "deploy script buildkite", "default"))[0] == rare.id


def test_the_meaning_of_what_was_replaced_leads_to_its_successor(means: Means) -> None:
    """Its vector finds the old statement, the new one is shown, and the old one never."""
    here = having(means, Meanings())
    old, new = wrote(here, "kitten kitten"), wrote(here, "feed the parrot")
    for n in range(5):
        wrote(here, f"unlike in every way {n}")
    with here.store.transaction():
        here.store.memories.put(replace(old, status="superseded", superseded_by=new.id))
    for mode in ("manual", "injection"):
        answer = asked(here, "cat", "default", mode=mode)
        assert ids(answer)[0] == new.id
        assert old.id not in ids(answer)
        assert old.id in answer.hits[0].reason
    assert new.id not in ids(asked(here, "cat", "default", mode="injection", kinds=("lesson",)))


def test_what_was_replaced_before_it_had_a_vector_gets_one(means: Means) -> None:
    """Its successor is then found by its meaning, and `learnt reembed` has nothing left to do."""
    old, new = wrote(means, "kitten kitten"), wrote(means, "feed the parrot")
    with means.store.transaction():
        means.store.memories.put(replace(old, status="superseded", superseded_by=new.id))
    here = having(means, Meanings())
    assert (done(reembed(here)).done, done(reembed(here)).wanted) == (2, 0)
    assert ids(asked(here, "cat", "default"))[0] == new.id


@pytest.mark.parametrize("remark", ["sounds good", "ok, go on then", "how are you?"])
def test_small_talk_injects_nothing(means: Means, remark: str) -> None:
    """It says why; asked by hand the same words are still looked up."""
    here = having(means, HashEmbedder())
    for n in range(12):
        wrote(here, f"the harvest of field number {n} is good")
    answer = asked(here, remark, "default", mode="injection")
    assert (ids(answer), answer.skip_reason, arm(answer)) == ([], "no_signal", "ran")
    assert asked(here, "is the harvest good", "default", mode="injection").hits
    assert asked(here, "good", "default").hits


def test_filters_hold_for_vectors(means: Means) -> None:
    """Kinds, exclusion, expiry and foreign scopes bound what the vectors bring."""
    here = having(means, Meanings())
    lesson = wrote(here, "kitten", kind="lesson")
    other = wrote(here, "kitten too", expires_at="2027-01-01T00:00:00.000Z")
    assert ids(asked(here, "cat", kinds=("lesson",))) == [lesson.id]
    assert set(ids(asked(here, "cat"))) == {lesson.id, other.id}
    assert isinstance(here.clock, FixedClock)
    here.clock.advance(400 * 86_400)
    assert ids(asked(here, "cat")) == [lesson.id]


def test_a_failing_embedder_never_fails_a_write(means: Means) -> None:
    """The memory is stored and found by its words; the next run embeds it."""
    broken = having(means, FailingEmbedder())
    memory = wrote(broken, "red fox")
    assert ids(asked(broken, "fox", "default")) == [memory.id]
    (state,) = means.store.vectors.state("memory")
    assert (state.embedded, state.missing, state.failed) == (0, 1, 1)
    assert done(reembed(having(means, HashEmbedder()))).done == 1
    assert arm(asked(having(means, HashEmbedder()), "fox")) == "ran"


def test_writes_that_come_fast_wait_for_their_vectors(means: Means) -> None:
    """A slow model takes no more than a share of a program's time; all that is left over is embedded by the command."""
    now = [0.0]
    slow = SlowEmbedder(0.05, wait=lambda seconds: now.__setitem__(0, now[0] + seconds))
    here = replace(having(means, slow), monotonic_s=lambda: now[0])
    for n in range(100):
        wrote(here, f"memory number {n}")
    (state,) = means.store.vectors.state("memory")
    assert (state.embedded, state.missing, state.failed) == (6, 94, 0)
    now[0] += 10
    wrote(here, "later")
    assert means.store.vectors.state("memory")[0].embedded == 7
    assert done(reembed(here)).done == 94


def test_a_server_that_is_down_is_left_alone_for_a_while(means: Means) -> None:
    """One write waits for it, the next ones do not."""
    now = [0.0]
    embedder = CountingEmbedder()
    down = FailingEmbedder(embedder)
    here = replace(having(means, down), monotonic_s=lambda: now[0])
    wrote(here, "red fox")
    wrote(replace(here, embedder=embedder), "lazy dog")
    now[0] = 31
    wrote(replace(here, embedder=embedder), "grey cat")
    assert embedder.calls == [("grey cat",)]


def test_only_what_lasts_is_embedded_and_once(means: Means) -> None:
    """Scratch and known statements cost nothing."""
    embedder = CountingEmbedder()
    here = having(means, embedder)
    wrote(here, "red fox")
    wrote(here, "red fox")
    wrote(here, "for now", kind="scratch")
    assert embedder.calls == [("red fox",)]


def test_a_new_model_waits_for_its_vectors(means: Means) -> None:
    """Fifty memories of an 8-dimensional model, then a 12-dimensional one: recall by words, store, re-embed, recall."""
    old, new = having(means, HashEmbedder(8)), having(means, HashEmbedder(12))
    for n in range(50):
        wrote(old, f"memory number {n}")
    assert arm(asked(new, "memory number 7")) == "stale generation"
    assert ready(new)["dense"] == "stale generation"
    wrote(new, "one more")
    (state,) = means.store.vectors.state("memory")
    assert (state.version, state.embedded) == ("hash:8", 50)
    result = done(reembed(new))
    assert (result.done, result.failed, result.current, result.removed) == (51, 0, True, 50)
    assert (arm(asked(new, "memory number 7")), arm(asked(old, "memory number 7"))) == ("ran", "stale generation")
    assert [each.version for each in means.store.vectors.state("memory")] == ["hash:12"]


def test_a_failing_text_is_counted_and_comes_again(means: Means) -> None:
    """Every seventh of forty fails: the others are embedded, the second run asks for these alone, none twice."""
    for n in range(40):
        wrote(means, f"memory number {n}")
    first = CountingEmbedder(SilentEmbedder(7))
    result = done(reembed(having(means, first)))
    assert (result.wanted, result.done, result.failed) == (40, 35, 5)
    texts = [text for call in first.calls for text in call]
    assert len(texts) == len(set(texts)) == 40
    second = CountingEmbedder()
    assert done(reembed(having(means, second))).done == 5
    assert sum(map(len, second.calls)) == 5
    assert done(reembed(having(means, CountingEmbedder()))).wanted == 0


def test_the_old_model_answers_until_all_is_embedded(means: Means) -> None:
    """One failure keeps the new generation waiting."""
    old = having(means, HashEmbedder())
    for n in range(10):
        wrote(old, f"memory number {n}")
    other = HashEmbedder(name="other")
    assert not done(reembed(having(means, SilentEmbedder(7, other)))).current
    assert arm(asked(old, "memory number 3")) == "ran"
    assert done(reembed(having(means, other))).current
    assert arm(asked(having(means, other), "memory number 3")) == "ran"


def test_a_killed_run_goes_on_where_it_stopped(means: Means) -> None:
    """What was embedded before stays; the dead run's lease gives way when it is over."""

    class Killed(BaseException):
        pass

    def kill(progress: Progress) -> None:
        raise Killed

    for n in range(100):
        wrote(means, f"memory number {n}")
    with pytest.raises(Killed):
        reembed(having(means, HashEmbedder()), tell=kill)
    embedder = CountingEmbedder()
    assert done(reembed(having(means, embedder))).done == 68
    assert sum(map(len, embedder.calls)) == 68


def test_a_second_run_is_refused_by_name(means: Means) -> None:
    """While one runs another does not start, and says who runs; a dead one gives way after a while."""
    for n in range(3):
        wrote(means, f"memory number {n}")
    answers: list[object] = []
    other = having(means, HashEmbedder())
    reembed(having(means, HashEmbedder()), tell=lambda _: answers.append(reembed(other)))
    assert isinstance(answers[0], Refusal)
    assert answers[0].code == "conflict"
    assert str(answers[0].details["owner"]) in answers[0].message
    with means.store.transaction():
        job = means.store.queue.enqueue(JobRequest(id="x", kind="reembed", key=HashEmbedder().version, watermark=9))
        means.store.queue.lease("dead", ("reembed",), TERM_S, job.id)
    assert isinstance(reembed(other), Refusal)
    assert isinstance(means.clock, FixedClock)
    means.clock.advance(TERM_S)
    assert isinstance(reembed(other), Reembedded)


def test_a_capture_catches_up(means: Means) -> None:
    """What was written without a model is embedded a little at a time; another model's store is left alone."""
    for n in range(50):
        wrote(means, f"memory number {n}")
    assert catch_up(means) == 0
    here = having(means, HashEmbedder())
    assert [catch_up(here, 40), catch_up(here, 40), catch_up(here, 40)] == [40, 10, 0]
    wrote(means, "one more")
    assert catch_up(having(means, HashEmbedder(name="other"))) == 0
    assert catch_up(having(means, FailingEmbedder())) == 0
    assert catch_up(here) == 1


def test_a_dry_run_only_counts(means: Means) -> None:
    """Nothing is written, nothing is embedded."""
    wrote(means, "red fox")
    embedder = CountingEmbedder()
    result = done(reembed(having(means, embedder), dry_run=True))
    assert (result.wanted, result.done, embedder.calls, means.store.vectors.state("memory")) == (1, 0, [], ())


def test_an_embedder_that_is_gone_ends_the_run(means: Means) -> None:
    """It does not fail ten thousand texts one after another."""
    for n in range(50):
        wrote(means, f"memory number {n}")
    answer = reembed(having(means, FailingEmbedder()))
    assert isinstance(answer, Reembedded)
    assert answer.stopped == "unreachable"
    assert answer.targets[0].failed == 3
    with pytest.raises(EmbedderError):
        reembed(having(means, Absent("no embedder")))


def test_a_reranker_turns_the_first_twenty(means: Means) -> None:
    """The best twenty in its order, the rest unmoved; a failure keeps the order."""
    here = having(means, HashEmbedder())
    for n in range(25):
        wrote(here, f"memory number {n}")
    fused = asked(here, "memory number 3", "hybrid", max_items=20)
    turned = asked(having(means, HashEmbedder(), ReversingReranker()), "memory number 3", "hybrid+rerank", max_items=20)
    assert (ids(turned), arm(turned, "rerank")) == (ids(fused)[::-1], "ran")
    failed = asked(having(means, HashEmbedder(), FailingReranker()), "memory number 3", "hybrid+rerank", max_items=20)
    assert (ids(failed), arm(failed, "rerank")) == (ids(fused), "failed: unreachable")


def test_a_late_answer_is_not_reranked(means: Means) -> None:
    """Beyond the latency budget the fused order is the answer."""
    here = replace(having(means, HashEmbedder(), ReversingReranker()), monotonic_s=(float(n) for n in count()).__next__)
    wrote(here, "red fox")
    assert arm(asked(here, "red fox", "hybrid+rerank"), "rerank") == "failed: latency"


def _deleted(means: Means, memory: Memory) -> str:
    """Soft-delete a memory; gives the event to undo."""
    answer = propose(means, ProposalRequest(operation="delete", target_id=memory.id, rationale="wrong"))
    assert isinstance(answer, Proposed)
    decided = decide(means, Decision(proposal_id=answer.proposal.id, action="accept"))
    assert isinstance(decided, Decided)
    return decided.event


def _missing(means: Means) -> int:
    return sum(each.missing for each in means.store.vectors.state("memory"))


def test_undo_of_a_deletion_brings_the_vector_back(means: Means) -> None:
    """What was deleted is found by meaning again at once; with a model that is down it is one more for `reembed`."""
    here = having(means, Meanings())
    cat = wrote(here, "kitten kitten")
    wrote(here, "something else")
    event = _deleted(here, cat)
    assert isinstance(undo(here, event), Undone)
    assert ids(asked(here, "cat", "dense"))[0] == cat.id
    assert _missing(here) == 0
    event = _deleted(here, cat)
    assert isinstance(undo(having(here, FailingEmbedder(code="unreachable")), event), Undone)
    assert _missing(here) == 1
    reembed(here)
    assert _missing(here) == 0


def test_what_is_said_again_has_a_vector_of_the_present_model(means: Means) -> None:
    """A statement retired before the model changed is active again, and found by meaning."""
    here = having(means, Meanings())
    cat = wrote(here, "kitten kitten")
    wrote(here, "something else")
    with here.store.transaction():
        here.store.memories.put(replace(cat, status="superseded"))
    new = having(means, Meanings(name="new"))
    assert isinstance(reembed(new), Reembedded)
    assert wrote(new, "kitten kitten").status == "active"
    assert _missing(new) == 0
    assert ids(asked(new, "cat", "dense"))[0] == cat.id
