"""Searching what was said and what is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.errors import EmbedderError, NotFoundError, UsageError
from learnt.flows.observe import add_document, document, documents, observe
from learnt.flows.recall import recall
from learnt.flows.reembed import reembed
from learnt.flows.remember import remember
from learnt.flows.search import search
from learnt.model.answer import Refusal
from learnt.model.evidence import Document, EvidenceUnit, Turn
from learnt.model.ranking import Query
from learnt.model.request import WriteRequest
from learnt.model.search import EvidenceFilter, SearchAnswer, SearchQuery
from learnt.settings import Settings, merged
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.embedders import CountingEmbedder, FailingEmbedder, HashEmbedder
from tests.flows.conftest import context_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.flows.means import Means

TOKEN = "ghp_" + "a1B2" * 9
CHAT = (
    ("Ann", "Shall we move the deploy to Thursday?"),
    ("Bob", "Fine. The lease pool still deadlocks, see src/jobs/lease_pool.py."),
    ("Ann", "renewLeaseBatch is the culprit, error E-1042."),
    ("Bob", "I had pasta for lunch."),
    ("Ann", "The build is green again."),
    ("Bob", "Good night."),
)


@pytest.fixture(params=["ephemeral", "sqlite"])
def desk(means: Means, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Means]:
    """The means over either store."""
    if request.param == "ephemeral":
        yield means
        return
    store = SqliteStore.open(tmp_path / "store" / "memory.db", now=means.clock.now)
    yield replace(means, store=store)
    store.close()


def chat(means: Means, session: str = "chat", at: str = "") -> tuple[str, ...]:
    return observe(means, [Turn(text=text, who=who, session=session, at=at) for who, text in CHAT])


def ask(means: Means, text: str, **given: object) -> SearchAnswer:
    return search(means, SearchQuery(text=text, **given))  # type: ignore[arg-type]


def texts(answer: SearchAnswer) -> list[str]:
    return [hit.passage or (hit.memory.text if hit.memory else "") for hit in answer.hits]


def test_what_was_said_is_found_verbatim(desk: Means) -> None:
    """The best turn first, with its place, its speaker and its score between 0 and 1."""
    refs = chat(desk)
    assert refs[:2] == ("session:chat#0", "session:chat#1")
    first = ask(desk, "why does the lease pool deadlock").hits[0]
    assert first.unit is not None
    assert (first.unit.ref, first.unit.who) == (refs[1], "Bob")
    assert first.passage == CHAT[1][1]
    assert 0 < first.score <= 1.5


@pytest.mark.parametrize(
    "question",
    ["lease batch", "renewleasebatch", "RenewLeaseBatch", "E-1042", "`renewLeaseBatch`"],
)
def test_identifiers_count_by_parts_and_whole(desk: Means, question: str) -> None:
    """However an identifier or an error code is asked for, its turn is found, and first."""
    chat(desk)
    assert texts(ask(desk, question))[0] in {CHAT[2][1], CHAT[1][1]}


@pytest.mark.parametrize(
    "question",
    ["AND", "OR not", "NEAR(", '"half', "foo:", "^ ( {", "name:bar", "x=1", "--dry-run", "lease \ud83d", "a" * 100_000],
)
def test_a_question_is_never_a_query_language(desk: Means, question: str) -> None:
    """Operators, quotation marks and brackets are words or nothing, never an error."""
    chat(desk)
    assert isinstance(ask(desk, question), SearchAnswer)


@pytest.mark.parametrize("question", ["", "   ", "???", '"', "\x00", "\u200b"])
def test_nothing_to_search_for_is_told(desk: Means, question: str) -> None:
    """An empty answer with its reason, not everything."""
    chat(desk)
    answer = ask(desk, question)
    assert answer.hits == ()
    assert answer.diagnostics["reason"] == "no_signal"


def test_other_scripts_are_found(desk: Means) -> None:
    """Chinese by its two-grams, Turkish and Greek however they are written."""
    said = ["数据迁移脚本必须先在预发环境运行", "İzmir sunucusu", "ΣΤΑΘΜΟΣ", "one", "two", "three"]
    observe(desk, [Turn(text=text, session=str(at), who="Ann") for at, text in enumerate(said)])
    for question, text in (("预发环境", said[0]), ("迁移", said[0]), ("izmir", said[1]), ("σταθμος", said[2])):
        assert texts(ask(desk, question))[0] == text


def test_a_quoted_phrase_stands_first(desk: Means) -> None:
    """What holds the words next to one another goes before what only holds them."""
    filler = [Turn(text=f"filler {at}", session=f"f{at}") for at in range(6)]
    observe(
        desk,
        [
            Turn(text="open the door, half the team said, half open", session="a"),
            Turn(text="the breaker stays half shut and never open; half of it is open", session="b"),
            *filler,
        ],
    )
    assert texts(ask(desk, 'what is "half open"'))[0].startswith("open the door")


def test_memories_and_evidence_are_one_list(desk: Means) -> None:
    """`where` narrows it; each hit is one of the two."""
    chat(desk)
    remember(desk, WriteRequest(text="The lease pool needs retry_budget > 0.", kind="repo_convention"))
    both = ask(desk, "lease pool")
    assert {hit.id[:4] for hit in both.hits} >= {"mem_", "evd_"}
    assert all(hit.memory for hit in ask(desk, "lease pool", where="memories").hits)
    assert all(hit.unit for hit in ask(desk, "lease pool", where="evidence").hits)


def test_filters_and_numbers(desk: Means) -> None:
    """Who, session and time narrow the evidence; `k` bounds the answer; nonsense is refused."""
    chat(desk, "one", "2026-03-02T08:00:00.000Z")
    chat(desk, "two")
    answer = ask(desk, "lease pool", where="evidence", wanted=EvidenceFilter(who="Bob", session="one"))
    assert {(hit.unit.who, hit.unit.session_id) for hit in answer.hits if hit.unit} == {("Bob", "one")}
    assert len(ask(desk, "lease pool", k=1).hits) == 1
    for given in ({"k": 0}, {"k": 5000}, {"where": "moon"}, {"profile": "best"}, {"group": "who"}):
        with pytest.raises(UsageError):
            ask(desk, "lease pool", **given)


def test_filters_bound_the_nearest(desk: Means) -> None:
    """What others said, in other sessions and at other times, takes no place among the nearest, however near."""
    model = HashEmbedder()
    here = replace(desk, embedder=model, asking=model)
    crowd = [
        Turn(text=f"lease pool {n}", who="Bob", session="crowd", at="2026-01-01T00:00:00.000Z") for n in range(250)
    ]
    observe(here, crowd)
    late = "2026-03-01T00:00:00.000Z"
    observe(here, [Turn(text="a pool for swimming, no lease needed", who="Ann", session="side", at=late)])
    reembed(here)
    for wanted in (
        EvidenceFilter(who="Ann"),
        EvidenceFilter(session="side"),
        EvidenceFilter(since=late),
        EvidenceFilter(since=late, until=late),
    ):
        (hit,) = ask(here, "lease pool", profile="dense", wanted=wanted).hits
        assert hit.unit is not None
        assert hit.unit.who == "Ann"
    early = ask(here, "lease pool", k=300, profile="dense", wanted=EvidenceFilter(until="2026-02-01T00:00:00.000Z"))
    assert {hit.unit.who for hit in early.hits if hit.unit} == {"Bob"}


def test_evidence_that_meaning_does_not_reach_is_told(desk: Means) -> None:
    """Where memories have vectors and evidence has none, the answer says so; a failure comes before what is missing."""
    model = HashEmbedder()
    here = replace(desk, embedder=model, asking=model)
    assert "denseEvidence" not in ask(here, "lease").diagnostics
    remember(here, WriteRequest(text="Leases are renewed.", kind="lesson"))
    chat(here)
    diagnostics = ask(here, "lease pool").diagnostics
    assert diagnostics["arms"]["dense"] == "ran"  # type: ignore[index]
    assert diagnostics["denseEvidence"] == "stale generation"
    reembed(here)
    assert "denseEvidence" not in ask(here, "lease pool").diagnostics
    failing = FailingEmbedder(code="timeout")
    arms = ask(replace(here, asking=failing), "lease pool").diagnostics["arms"]
    assert arms["dense"] == "failed: timeout"  # type: ignore[index]


def test_files_of_the_task_count(desk: Means) -> None:
    """What was said where a file was touched comes before the same words elsewhere; an absolute path is the same."""
    here = replace(desk, embedder=HashEmbedder(), asking=HashEmbedder())
    for session, path in (("one", "src/jobs/lease_pool.py"), ("two", "src/web/page.py")):
        observe(here, [Turn(text=f"Edit {path}", who="agent", session=session, type="call")])
        observe(here, [Turn(text="the retry is wrong", who="Bob", session=session)])
    reembed(here)
    for file, session in (("src/web/page.py", "two"), (f"{here.place.root}/src/jobs/lease_pool.py", "one")):
        for group in ("", "session"):
            first = ask(here, "the retry is wrong", files=(file,), group=group).hits[0]
            assert first.unit is not None
            assert first.unit.session_id == session
            assert first.signals["file"] > 0
    assert all("file" not in hit.signals for hit in ask(here, "the retry is wrong").hits)
    named = ask(here, "the retry in lease_pool.py is wrong", group="session").hits
    assert next(hit.unit.session_id for hit in named if hit.unit) == "one"


def test_sessions_are_found_by_their_best_turns(desk: Means) -> None:
    """One hit a session, with the other turns that counted."""
    chat(desk, "one")
    observe(desk, [Turn(text="the lease was signed", session="two"), Turn(text="nothing", session="three")])
    answer = ask(desk, "lease pool deadlock", where="evidence", group="session")
    sessions = [hit.unit.session_id for hit in answer.hits if hit.unit]
    assert sessions == ["one", "two"]
    assert answer.hits[0].others


def test_a_secret_is_never_kept(desk: Means) -> None:
    """Turns and documents are redacted before they are stored."""
    observe(desk, [Turn(text=f"use {TOKEN} for now", session="s")])
    kept = add_document(desk, Document(text=f"token {TOKEN}", title=f"about {TOKEN}"))
    assert isinstance(kept, EvidenceUnit)
    assert TOKEN not in str(ask(desk, "use token now")) + str(kept)


def test_older_redaction_is_repeated(desk: Means) -> None:
    """What another pattern set redacted is redacted again before it is shown."""
    unit = EvidenceUnit(
        id="evd_0",
        scope=desk.context.sight.one("repository"),
        type="reply",
        ref="session:s#0",
        session_id="s",
        who="agent",
        at="",
        text=f"remember {TOKEN} please",
        clearance="older",
    )
    with desk.store.transaction():
        desk.store.archive.put_units([unit])
    (hit,) = ask(desk, "remember").hits
    assert TOKEN not in hit.passage
    assert TOKEN not in document(desk, "evd_0").text


def test_turns_are_kept_once_and_numbered_on(desk: Means) -> None:
    """The same key stays what it was; without a key the next number follows; blank turns are passed over."""
    first = observe(desk, [Turn(text="a b c", session="s", key="k"), Turn(text="d", session="s")])
    again = observe(
        desk, [Turn(text="other", session="s", key="k"), Turn(text="e", session="s"), Turn(text=" ", session="s")]
    )
    assert first == ("session:s#k", "session:s#0")
    assert again == ("session:s#k", "session:s#1", "")
    assert document(desk, "session:s#k").text == "a b c"
    with pytest.raises(UsageError):
        observe(desk, [Turn(text="x", session=" ")])


def test_documents_are_cut_listed_and_bounded(desk: Means) -> None:
    """At most 4,000 characters, white space collapsed, the oldest gone when there are too many."""
    settings, _ = merged(Settings(), {"evidence": {"cache_max_records": 2}}, person=True)
    desk = replace(desk, settings=settings)
    for at in range(3):
        kept = add_document(
            desk,
            Document(
                text=f"text  {at}\n" + "word " * 2000, title=f"T{at}", captured_at=f"2026-05-0{at + 1}T00:00:00.000Z"
            ),
        )
        assert isinstance(kept, EvidenceUnit)
        assert kept.ref == f"evidence-cache:{kept.id}"
        assert kept.text.startswith(f"text {at} word")
        assert len(kept.text) <= 4000
    page = documents(desk, 10)
    assert [dict(unit.detail)["title"] for unit in page.values] == ["T2", "T1"]
    assert isinstance(add_document(desk, Document(text=" \n ")), Refusal)
    with pytest.raises(NotFoundError):
        document(desk, "evd_unknown")
    with pytest.raises(UsageError):
        add_document(desk, Document(text="x", source_type="rumour"))


def test_off_means_nothing_is_kept_or_found(desk: Means) -> None:
    """A repository that is taken out keeps no turn, no document, and answers that it is off."""
    chat(desk)
    settings, _ = merged(Settings(), {"memory": {"enabled": False}}, person=False)
    off = replace(desk, settings=settings)
    assert chat(off, "later") == ()
    assert isinstance(add_document(off, Document(text="x")), Refusal)
    assert ask(off, "lease").diagnostics["reason"] == "disabled"
    assert not ask(desk, "lease", wanted=EvidenceFilter(session="later"), where="evidence").hits


def test_another_repository_finds_nothing(desk: Means) -> None:
    """Evidence is of its repository, and found there alone."""
    chat(desk)
    other = replace(desk, context=context_of("repo-b"))
    assert ask(other, "lease pool").hits == ()
    with pytest.raises(NotFoundError):
        document(other, "session:chat#1")


def test_recall_lifts_what_its_evidence_supports(desk: Means) -> None:
    """In the default profile, a little, and only where cited evidence holds what the memory leaves out."""
    refs = observe(desk, [Turn(text="the walrus host answered 502 during the migration", session="s")])
    rows = [
        WriteRequest(text="Deploys need the staging proxy first.", kind="repo_convention", evidence=refs),
        WriteRequest(text="Deploys need the feature flag first.", kind="repo_convention"),
    ]
    for row in rows:
        remember(desk, row)
    asked = "deploys walrus migration"
    default = recall(desk, Query(text=asked))
    lifts = [hit.signals.get("evidenceOverlap", 0.0) for hit in default.hits]
    assert default.hits[0].memory.text == rows[0].text
    assert lifts[0] == pytest.approx(2 / 3)
    assert lifts[1:] == [0.0]
    lexical = recall(desk, Query(text=asked, profile="lexical"))
    assert all("evidenceOverlap" not in hit.signals for hit in lexical.hits)
    unrelated = recall(desk, Query(text="deploys first"))
    assert all("evidenceOverlap" not in hit.signals for hit in unrelated.hits)


def test_vectors_join_in(desk: Means) -> None:
    """With an embedder the dense arm runs and every profile answers; without one the profile `dense` says so."""
    chat(desk)
    with pytest.raises(EmbedderError):
        ask(desk, "lease pool", profile="dense")
    lexical = ask(desk, "lease pool", profile="lexical")
    embedder = HashEmbedder()
    dense = replace(desk, embedder=embedder, asking=embedder)
    reembed(dense)
    for profile in ("default", "dense", "hybrid", "hybrid+rerank"):
        answer = ask(dense, "lease pool", profile=profile)
        assert answer.hits
        assert dict(answer.diagnostics["arms"])["dense"] == "ran"  # type: ignore[call-overload]
    assert ask(dense, "lease pool", profile="lexical").hits == lexical.hits
    assert all(0 <= hit.score <= 1 for hit in ask(dense, "the lease pool").hits)


def test_a_long_reply_is_embedded_by_its_beginning(means: Means) -> None:
    """What a person wrote is found by any of its passages, an agent's words by the first one only."""
    embedder = CountingEmbedder()
    here = replace(means, embedder=embedder, asking=embedder)
    text = "The first matter is the weather. " * 40 + "The last matter is the harvest. " * 40
    observe(here, [Turn(text=text, who="Ann", session="a"), Turn(text=text, who="agent", type="reply", session="b")])
    reembed(here)
    said = [piece for call in embedder.calls for piece in call]
    assert sum(piece.startswith("Ann said") for piece in said) > 1
    assert [piece.startswith('agent said, "The first') for piece in said].count(True) == 1
    assert sum(piece.startswith("agent said") for piece in said) == 1


def test_what_is_from_the_period_comes_first(desk: Means) -> None:
    """Of the same words on two days the day that the question names; also where vectors are."""
    here = replace(desk, embedder=HashEmbedder(), asking=HashEmbedder())
    for month in ("03", "05"):
        turn = Turn(text="We met about the lease pool.", who="Ann", session=month, at=f"2026-{month}-10T12:00:00.000Z")
        observe(here, [turn])
    reembed(here)
    for means in (desk, here):
        first = ask(means, "what about the lease pool in March 2026", where="evidence").hits[0]
        assert first.unit is not None
        assert first.unit.session_id == "03"


def test_small_talk_finds_nothing_among_much(desk: Means) -> None:
    """By the default profile where vectors are; a rare word by itself and another profile are looked up."""
    here = replace(desk, embedder=HashEmbedder(), asking=HashEmbedder())
    said = [f"It sounds good to plan the harvest of field {number}." for number in range(60)]
    observe(here, [Turn(text=text, who="Ann", session="a") for text in [*said, "Mind the quinoa."]])
    reembed(here)
    silent = ask(here, "sounds good", where="evidence")
    assert (silent.hits, silent.diagnostics["reason"]) == ((), "no_signal")
    assert ask(here, "sounds good", where="evidence", profile="hybrid").hits
    assert ask(here, "quinoa", where="evidence").hits[0].passage == "Mind the quinoa."
    assert ask(desk, "sounds good", where="evidence").hits


def test_of_two_statements_of_one_day_the_later_stands_first(desk: Means) -> None:
    """Turns of one time are ordered by their numbers; a search embeds the question and nothing else."""
    counting = CountingEmbedder()
    wired = replace(desk, embedder=counting, asking=counting)
    told = ["The deploy budget limit is 40 hours.", *(f"Lunch was {n}." for n in range(30))]
    told.append("The deploy budget limit is 55 hours and that is the deploy limit.")
    day = "2026-05-07T09:00:00.000Z"
    observe(wired, [Turn(text=text, who="Ann", session="chat", at=day) for text in told])
    reembed(wired)
    counting.calls.clear()
    question = "What is the deploy budget limit now?"
    answer = ask(wired, question, where="evidence")
    assert texts(answer)[:2] == [told[-1], told[0]]
    assert counting.calls == [(question,)]


def test_an_answer_says_how_far_it_may_be_trusted_to_exist(desk: Means) -> None:
    """A question about one person has more confidence when that person's words answer it."""
    wired = replace(desk, embedder=HashEmbedder(), asking=HashEmbedder())
    observe(wired, [Turn(text=f"My {thing} is painted blue.", who="Ann", session="chat") for thing in ("boat", "door")])
    observe(wired, [Turn(text="Good night.", who="Bob", session="chat")])
    reembed(wired)
    own, other = (ask(wired, f"What did {who} paint blue, the boat?", where="evidence") for who in ("Ann", "Bob"))
    assert float(str(own.diagnostics["confidence"])) > float(str(other.diagnostics["confidence"]))
    assert "confidence" not in ask(wired, "the boat", profile="lexical").diagnostics
