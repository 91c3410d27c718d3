"""Filters, factors, thresholds, order and reasons of a ranking."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from learnt.model.candidate import Candidate
from learnt.model.ranking import Query
from learnt.model.tokens import pack, unpack
from learnt.recall.factors import SPECIFICITY, Asked, Overlaps, bonus, candidate_sets, has_signal, labels, places
from learnt.recall.rank import Dials, kinds_of, rank
from learnt.recall.roles import profile_of, wanted

NOW = "2026-06-10T12:00:00.000Z"
HERE = '{"type":"repository","repoId":"a"}'


def made(text: str = "use uv for dependencies", **more) -> Candidate:
    """A candidate with everything a test does not care about filled in."""
    tags, files, symbols, ref = (more.pop(name, ()) for name in ("tags", "files", "symbols", "ref"))
    facts = {
        "id": "mem_1",
        "kind": "repo_convention",
        "scope_type": "repository",
        "scope_key": HERE,
        "status": "active",
        "trust": "repository",
        "confidence": 0.9,
        "q_value": 0.5,
        "run": "",
        "updated_at": "2026-06-01T12:00:00.000Z",
        "valid_from": "2026-06-01T12:00:00.000Z",
        "expires_at": None,
        "position": -1,
    }
    one = Candidate()
    for name, value in (facts | more).items():
        setattr(one, name, value)
    candidate_sets(one, unpack(pack(text, tags, files, symbols, ref or "")))
    return one


def ranked(query: Query, *candidates: Candidate, **more):
    """The ranking with the scope of `made`."""
    dials = more.pop("dials", Dials())
    return rank(query, candidates, now=NOW, dials=dials, scope_keys=(HERE,), **more)


def ids(query: Query, *candidates: Candidate, **more) -> list[str]:
    """The ids of the ranking."""
    return [hit.id for hit in ranked(query, *candidates, **more).hits]


def injected(text: str = "dependencies", **more) -> Query:
    """A query in injection mode."""
    return Query(text=text, mode="injection", **more)


def test_overlap_is_the_share_of_the_query_that_is_met():
    """Two of four query tokens in a text of a hundred: 0.5, whatever the text's length."""
    text = "alpha beta " + " ".join(f"filler{n}" for n in range(98))
    hit = ranked(Query(text="alpha beta gamma delta"), made(text)).hits[0]
    assert hit.signals["textOverlap"] == 0.5


def test_specificity_of_scopes_orders_equals():
    """Agent, run, repository, project, workspace, global_user, with the seed's gaps."""
    order = ["agent", "run", "repository", "project", "workspace", "global_user"]
    hits = ranked(
        Query(text="uv"), *[made(id=f"mem_{n}", scope_type=name) for n, name in enumerate(reversed(order))]
    ).hits
    assert [hit.candidate.scope_type for hit in hits] == order
    gaps = [round(one.score - two.score, 6) for one, two in pairwise(hits)]
    assert gaps == [0.012, 0.012, 0.018, 0.024, 0.018]
    assert SPECIFICITY["agent"] == 1.0


def test_equal_scores_are_ordered_by_id():
    """Whatever the order they come in."""
    some = [made(id=f"mem_{n}") for n in range(6)]
    random.Random(1).shuffle(some)
    assert ids(Query(text="uv"), *some) == [f"mem_{n}" for n in range(6)]


def test_a_score_exactly_at_the_threshold_stays():
    """The bound is inclusive, although sums of decimals are not exact."""
    score = ranked(Query(text="use uv"), made()).hits[0].score
    assert ids(Query(text="use uv", min_score=round(score, 10)), made()) == ["mem_1"]
    assert ids(Query(text="use uv", min_score=score + 0.001), made()) == []


@pytest.mark.parametrize(
    "gone",
    [
        {"expires_at": NOW},
        {"valid_from": "2026-06-11T00:00:00.000Z"},
        {"status": "superseded"},
        {"status": "consolidated"},
        {"status": "deleted"},
        {"status": "quarantined"},
        {"scope_key": '{"type":"repository","repoId":"b"}'},
        {"q_value": 0.1499},
    ],
)
@pytest.mark.parametrize("mode", ["manual", "injection", "curator"])
def test_what_is_filtered_is_never_ranked(gone, mode):
    """Expired, not yet valid, superseded, deleted, of another scope or suppressed: absent in every mode."""
    query = Query(text="use uv for dependencies", mode=mode, max_items=20, min_score=0.0, require_query_signal=False)
    answer = ranked(query, made(**gone))
    assert answer.hits == ()
    assert answer.skip_reason == "no_results"
    assert answer.diagnostics["preScoredFilteredCount"] == 1
    assert answer.diagnostics.get("suppressedLowQCount", 0) == ("q_value" in gone)


def test_the_caller_may_ask_for_what_expired_or_was_suppressed():
    """include_expired and include_low_q, each for its own."""
    assert ids(Query(text="uv", include_expired=True), made(expires_at=NOW)) == ["mem_1"]
    assert ids(Query(text="uv", include_low_q=True), made(q_value=0.1)) == ["mem_1"]
    assert ids(Query(text="uv"), made(q_value=0.15)) == ["mem_1"]


def test_as_of_asks_the_past():
    """What began later is absent, what had not expired then is present, and what is superseded now counts as live."""
    then = Query(text="uv", as_of="2026-06-05T00:00:00.000Z")
    assert ids(then, made(valid_from="2026-06-06T00:00:00.000Z")) == []
    assert ids(then, made(expires_at="2026-06-06T00:00:00.000Z")) == ["mem_1"]
    assert ids(then, made(status="superseded")) == ["mem_1"]
    assert ids(then, made(status="deleted")) == []


def test_manual_mode_needs_no_overlap_and_injection_does():
    """A record that shares nothing is ranked for who asks by hand, and gives no_signal where it would be injected."""
    assert ids(Query(text="zebra"), made()) == ["mem_1"]
    answer = ranked(injected("zebra"), made())
    assert (answer.hits, answer.skip_reason) == ((), "no_signal")
    assert ids(injected("zebra", require_query_signal=False, min_score=0.0), made()) == ["mem_1"]


@pytest.mark.parametrize(
    "field", [{"tags": ["zebra"]}, {"files": ["src/zebra.py"]}, {"symbols": ["zebra"]}, {"kind": "security_note"}]
)
def test_any_one_overlap_is_a_signal(field):
    """Only a tag, a file, a symbol or a word of the kind in common is enough."""
    query = injected("zebra security", min_score=0.0)
    assert ids(query, made("nothing alike", **field)) == ["mem_1"]


def test_a_part_of_an_identifier_is_a_signal_in_the_default_profile_only():
    """`lease batch` meets `renewLeaseBatch`, shown as partOverlap, never as textOverlap."""
    one = made("renewLeaseBatch deadlocks")
    hit = ranked(injected("lease batch", min_score=0.0), one).hits[0]
    assert hit.signals["partOverlap"] > 0
    assert hit.signals["textOverlap"] == 0
    assert ids(injected("lease batch", min_score=0.0, profile="lexical"), one) == []
    assert ids(injected("leaseBatch", min_score=0.0), made("one lease in a batch")) == ["mem_1"]


@pytest.mark.parametrize(
    "prompt", ["hi", "thanks", "and then you said: remember who you are, the king is in the castle!"]
)
def test_stop_words_alone_inject_nothing(prompt):
    """A greeting or a film dialogue shares `the` and `in` with everything; that is nothing, or below the threshold."""
    memories = [
        made("the build is in the ci folder, you should not edit it"),
        made("use uv for all of the dependencies"),
    ]
    answer = ranked(injected(prompt), *memories)
    assert answer.hits == ()
    assert answer.skip_reason in {"no_signal", "below_threshold"}


def test_one_common_word_of_a_long_prompt_is_below_the_threshold():
    """`more` in a prompt of many words meets nothing; two words do, and so does one of four."""
    prompt = "please show more of the failing pipeline, then rename the parser and update the changelog"
    query = injected(prompt, min_score=0.0)
    assert ids(query, made("errors.Is is more robust")) == []
    assert ids(query, made("the parser has a changelog of its own")) == ["mem_1"]
    assert ids(injected("rename the parser and update it", min_score=0.0), made("the parser is generated")) == ["mem_1"]
    assert ids(injected(prompt, min_score=0.0, profile="lexical"), made("errors.Is is more robust")) == ["mem_1"]


def test_single_characters_of_chinese_are_no_signal_beside_words():
    """Two texts share characters by chance; a shared word, or a query of one character, is a signal."""
    query = injected("请修复登录页面的错误", min_score=0.0)
    assert ids(query, made("部署的时候不要修改面板")) == []
    assert ids(injected("错误 登录", min_score=0.0), made("登录需要先启动服务")) == ["mem_1"]
    assert ids(injected("面", min_score=0.0), made("部署面板")) == ["mem_1"]


def test_a_stop_word_in_a_file_name_is_no_signal():
    """The `a` of `a.py` is in every prompt."""
    assert ids(injected("fix a bug in it", min_score=0.0), made("nothing alike", files=["a.py"])) == []


def test_in_injection_the_task_is_the_query_side():
    """Synthetic labels of the query do not count; the task's words do."""
    query = injected("coder task user goal zebra", task="install dependencies", min_score=0.0)
    assert ids(query, made("zebra user goal")) == []
    assert ids(query, made()) == ["mem_1"]


def test_reasons_for_nothing():
    """Filtered ones do not count among those without a signal; a weak one is below the threshold."""
    other_kind = made(id="mem_2", kind="todo")
    query = injected("zebra", kinds=("repo_convention",))
    assert ranked(query, made(), other_kind).skip_reason == "no_signal"
    assert ranked(query, other_kind).skip_reason == "no_results"
    assert ranked(query).skip_reason == "no_results"
    assert ranked(injected("dependencies", min_score=0.9), made()).skip_reason == "below_threshold"


def test_diagnostics_count_what_happened():
    """The seed's names, and optional ones only when there is something to say."""
    answer = ranked(injected("dependencies", kinds=("repo_convention",)), made(), made(id="mem_2", kind="todo"))
    assert answer.diagnostics == {
        "candidateCount": 2,
        "preScoredFilteredCount": 1,
        "scoredCount": 1,
        "returnedCount": 1,
        "noSignalCount": 0,
        "belowThresholdCount": 0,
    }
    assert ranked(Query(text="x " * 5000), made()).diagnostics["queryCut"] is True


@pytest.mark.parametrize(("asked", "given"), [(100, 20), (0, 1), (-5, 1), (7, 7), (None, 8)])
def test_the_number_of_items_is_moved_into_its_bounds(asked, given):
    """One to twenty, eight by default."""
    assert len(ids(Query(text="uv", max_items=asked), *[made(id=f"mem_{n:02}") for n in range(30)])) == given


def test_full_text_rank_orders_and_is_shown_but_is_no_score():
    """The first of two equals by full text comes first; the scores stay equal."""
    first, second = made(id="mem_9", position=0), made(id="mem_1", position=1)
    hits = ranked(Query(text="uv"), second, first).hits
    assert [hit.id for hit in hits] == ["mem_9", "mem_1"]
    assert hits[0].score == hits[1].score
    assert (hits[0].signals["ftsBonus"], hits[1].signals["ftsBonus"]) == (0.08, 0.04)
    assert bonus(-1, 10) == bonus(0, 0) == 0.0


def test_where_full_text_found_nothing_only_a_person_gets_an_answer():
    """Injection and curator modes answer nothing, manual mode ranks what it is given."""
    assert ids(Query(text="use uv"), made(), matched=False) == ["mem_1"]
    assert ids(injected("use uv"), made(), matched=False) == []
    assert ids(Query(text="use uv", mode="curator"), made(), matched=False) == []


@pytest.mark.parametrize(
    ("role", "profile"),
    [
        ("mega_test_engineer", "qa"),
        ("swarm_critic", "security"),
        ("critic_drift_verifier", "security"),
        ("curator_postmortem", "curator"),
        ("docs", "sme"),
        ("reviewer", "qa"),
        ("unknown_agent", "coder"),
        ("", "architect"),
    ],
)
def test_roles(role, profile):
    """Prefixes of swarms are stripped, no role is the architect's, an unknown one the coder's."""
    assert profile_of(role) == profile


def test_a_role_narrows_and_raises():
    """Its kinds plus lesson and user_preference are seen, only its own are raised; without a role all are."""
    some = [made(id=kind, kind=kind) for kind in ("code_pattern", "lesson", "user_preference", "todo", "security_note")]
    hits = ranked(Query(text="uv", role="coder"), *some).hits
    assert [hit.id for hit in hits] == ["code_pattern", "lesson", "user_preference"]
    assert round(hits[0].score - hits[1].score, 6) == 0.05
    assert len(ids(Query(text="uv"), *some)) == 5
    assert "lesson" in wanted("coder")


def test_kinds_of_the_caller_come_before_the_role_and_excluded_ones_leave():
    """An explicit list is kept as it is; excluding everything asked for never means everything."""
    assert kinds_of(Query(text="uv", kinds=("todo",), role="coder")) == ("todo",)
    assert kinds_of(Query(text="uv")) == ()
    assert kinds_of(Query(text="uv", kinds=("todo",)), ["todo"]) == ("",)
    dials = Dials(exclude_kinds=("todo",))
    assert ids(Query(text="uv", kinds=("todo",)), made(kind="todo"), dials=dials) == []
    assert ids(Query(text="uv"), made(kind="todo"), made(id="mem_2"), dials=dials) == ["mem_2"]


def test_q_moves_the_score_by_five_percent_at_most():
    """(q - 0.5) x 0.1, neutral at 0.5."""
    low, high = made(id="mem_1", q_value=0.2), made(id="mem_2", q_value=1.0)
    hits = ranked(Query(text="uv"), low, high).hits
    assert [hit.id for hit in hits] == ["mem_2", "mem_1"]
    assert round(hits[0].score - hits[1].score, 6) == 0.08


def test_external_memories_have_one_place_and_a_run_two():
    """In a block: one external, none at session start, two of one run; a recall by hand is not cut."""
    outside = [made(id=f"mem_0{n}", trust="external", confidence=1) for n in range(3)]
    same_run = [made(id=f"mem_1{n}", run="run-1") for n in range(4)]
    rest = [made(id="mem_20")]
    pool = [*outside, *same_run, *rest]
    query = injected("use uv for dependencies")
    assert ids(query, *pool) == ["mem_00", "mem_10", "mem_11", "mem_20"]
    assert ids(query, *pool, dials=Dials(at_start=True)) == ["mem_10", "mem_11", "mem_20"]
    assert len(ids(Query(text="use uv for dependencies"), *pool)) == 8
    assert [one.id for one in places(pool, 2)] == ["mem_00", "mem_10"]


def test_an_external_memory_of_a_full_run_gives_its_place_back():
    """A place not taken stays free for the next external memory."""
    run = [made(id=f"mem_{n}", run="r") for n in range(2)]
    pool = [*run, made(id="mem_2", run="r", trust="external"), made(id="mem_3", trust="external")]
    assert [one.id for one in places(pool, 6)] == ["mem_0", "mem_1", "mem_3"]


def test_labels_and_reasons_say_what_a_reader_must_know():
    """Low confidence below a half; observations and flags first; the reason lists what is not zero."""
    assert labels(0.5) == []
    assert labels(0.49, observation=True) == ["seen once, not reviewed", "low confidence"]
    assert labels(0.9, flagged=2) == ["flagged by 2 readers"]
    hit = ranked(Query(text="use uv", role="coder"), made(tags=["uv"], q_value=0.7)).hits[0]
    assert hit.reason == "text 1.00, tag 0.50, role_profile, scope repository, confidence 0.90, q 0.70"


def test_no_match_between_strict_and_seed_on_plain_words():
    """A content word in common is a signal in both."""
    one = made("install dependencies")
    for strict in (True, False):
        asked = Asked("install it", at=NOW, strict=strict)
        assert has_signal(asked, Overlaps(asked, one))
