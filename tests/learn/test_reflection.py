"""What all outcomes come to: weights, lists, limits, and that the order in which they came means nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.learn import lessons
from learnt.learn.reflection import MOST_PROBES, Terms, Told, clipped, reflection, weight
from learnt.model.instant import plus_days
from learnt.model.outcome import RESULTS, Spot
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from learnt.model.memory import Memory
    from learnt.model.outcome import Outcome
    from learnt.model.reflection import Reflection

NOW = "2026-06-01T12:00:00.000Z"
SCOPE = samples.repository("repo-a")


def terms(stands: Callable[[Spot], bool] = lambda _: True, clean: Callable[[str], str] = str, **more: Any) -> Terms:
    """The usual terms: everything stands, nothing is redacted."""
    return Terms(now=NOW, half_life_days=30, stands=stands, clean=clean, **more)


def memory(name: str, **facts: Any) -> Memory:
    """A memory that says its name."""
    return samples.memory(SCOPE, f"Statement {name}.", **facts)


def outcomes(about: Memory, *results: str, days: float = 0, spots: Iterable[str] = (), first: int = 1) -> list[Outcome]:
    """Outcomes of one age."""
    places = tuple(Spot.of(each) for each in spots)
    return [
        samples.outcome(
            about,
            first + number,
            result=result,
            at=plus_days(NOW, -days),
            correction="So it is." if result == "corrected" else "",
            spots=places,
        )
        for number, result in enumerate(results)
    ]


def told(name: str, *results: str, **facts: Any) -> Told:
    """A memory and its outcomes."""
    about = memory(name)
    return Told(about, outcomes(about, *results, **facts))


@pytest.mark.parametrize(("days", "worth"), [(0, 1), (15, 0.707107), (30, 0.5), (60, 0.25), (90, 0.125), (-3, 1)])
def test_an_outcome_weighs_half_after_every_half_life(days: float, worth: float) -> None:
    """One of the future weighs as one of now."""
    assert weight(plus_days(NOW, -days), NOW, 30) == pytest.approx(worth, abs=1e-6)


def test_an_outcome_without_a_moment_weighs_nothing() -> None:
    """Whatever stands in its place."""
    assert [weight(text, NOW, 30) for text in ("", "yesterday", "2026")] == [0, 0, 0]


def test_where_a_memory_stands() -> None:
    """Two useful outcomes prefer it, one is tentative, both sorts are contested, the rest dead ends and corrections."""
    made = reflection(
        [
            told("preferred", "useful", "useful"),
            told("tentative", "useful", days=30),
            told("contested", "useful", "useful", "dead_end"),
            told("dead", "dead_end", days=30),
            told("wrong", "corrected"),
        ],
        7,
        terms(),
    )
    names = {
        key: [(each.text, each.score, each.positive, each.negative) for each in getattr(made, key)]
        for key in ("preferred", "tentative", "contested", "dead_ends", "corrections")
    }
    assert names == {
        "preferred": [("Statement preferred.", 2.0, 2, 0)],
        "tentative": [("Statement tentative.", 0.5, 1, 0)],
        "contested": [("Statement contested.", 1.0, 2, 1)],
        "dead_ends": [("Statement dead.", -0.5, 0, 1), ("Statement wrong.", -1.0, 0, 1)],
        "corrections": [("Statement wrong.", -1.0, 0, 1)],
    }
    assert made.corrections[0].correction == "So it is."
    assert (made.entries, made.as_of, made.dead) == (7, NOW, ())


def test_the_same_outcome_of_two_reports_counts_twice() -> None:
    """Distinct ids corroborate."""
    about = memory("a")
    twin = outcomes(about, "useful", "useful")
    assert reflection([Told(about, twin)], 1, terms()).preferred[0].positive == 2


def test_one_insight_for_every_spot_that_stands() -> None:
    """Sorted by file and symbol; a memory all of whose spots are gone is nowhere but among the dead."""
    gone = told("gone", "useful", "useful", spots=["old.py", "older.py#load"])
    here = told("here", "useful", "useful", spots=["b.py", "a.py#z", "a.py#c", "old.py"])
    made = reflection([gone, here], 2, terms(lambda spot: not spot.file.startswith("old")))
    spots = [each.spot for each in made.preferred]
    assert spots == [Spot("a.py", "c"), Spot("a.py", "z"), Spot("b.py")]
    assert made.dead == (gone.memory.id,)


def test_a_correction_stands_at_the_first_spot_newest_first() -> None:
    """One entry each."""
    about = memory("a")
    old = outcomes(about, "corrected", days=3, spots=["b.py"])
    new = outcomes(about, "corrected", days=1, spots=["a.py"], first=9)
    made = reflection([Told(about, old + new)], 1, terms())
    assert [(each.latest_at, each.spot) for each in made.corrections] == [
        (plus_days(NOW, -1), Spot("a.py")),
        (plus_days(NOW, -3), Spot("a.py")),
    ]


def test_spots_of_another_repository_are_none_here() -> None:
    """A preference of the user is not dead because another repository's file is not here."""
    about = memory("a")
    said = [samples.outcome(about, n, spots=(Spot("there.py"),), repository_id="other") for n in (1, 2)]
    made = reflection([Told(about, said)], 1, terms(lambda _: False, repository_id="here"))
    assert [each.spot for each in made.preferred] == [None]


def test_after_many_probes_the_rest_is_taken_to_stand() -> None:
    """Nobody waits for a work tree of a million files."""
    asked: list[str] = []

    def gone(spot: Spot) -> bool:
        asked.append(spot.file)
        return False

    some = [told(f"{n}", "useful", spots=[f"f{n}-{m}.py" for m in range(20)]) for n in range(MOST_PROBES // 20 + 1)]
    made = reflection(some, len(some), terms(gone))
    assert len(asked) == MOST_PROBES
    assert len(made.dead) == MOST_PROBES // 20
    assert len(made.tentative) == 20


def test_order_and_bound_of_a_list() -> None:
    """Highest score, then id, then spot; at most two hundred."""
    some = [told(f"{n}", "useful", days=n % 7) for n in range(230)]
    made = reflection(some, 230, terms())
    places = [(-each.score, each.memory_id) for each in made.tentative]
    assert places == sorted(places)
    assert len(made.tentative) == 200


def test_a_long_text_is_cut() -> None:
    """At 512 characters, the last an ellipsis."""
    assert clipped("x" * 512) == "x" * 512
    assert (len(clipped("x" * 513)), clipped("x" * 513)[-1]) == (512, "…")


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, list[tuple[str, float, list[str]]]]]:
    """Some memories, each with outcomes: result, age in days, spots."""
    spots = st.lists(st.sampled_from(["a.py", "a.py#x", "b.py", "gone.py"]), max_size=3, unique=True)
    one = st.tuples(st.sampled_from(RESULTS), st.floats(0, 400), spots)
    return [(name, draw(st.lists(one, min_size=1, max_size=6))) for name in draw(st.sets(st.sampled_from("abcdef")))]


def _told(name: str, said: list[tuple[str, float, list[str]]]) -> Told:
    about = memory(name)
    return Told(about, [each for n, one in enumerate(said) for each in _one(about, n, *one)])


def _one(about: Memory, number: int, result: str, days: float, spots: list[str]) -> list[Outcome]:
    return outcomes(about, result, days=days, spots=spots, first=number)


@given(histories(), st.randoms(use_true_random=False))
def test_the_digest_does_not_depend_on_the_order(history: Any, chance: Any) -> None:
    """Outcomes and memories in any order give the same bytes."""
    some = [_told(*each) for each in history]
    shuffled = [Told(each.memory, chance.sample(each.outcomes, len(each.outcomes))) for each in some]
    chance.shuffle(shuffled)

    def made(given: list[Told]) -> Reflection:
        return reflection(given, 9, terms(lambda spot: spot.file != "gone.py"))

    assert lessons.as_json(made(shuffled), "p") == lessons.as_json(made(some), "p")
    assert lessons.as_markdown(made(shuffled)) == lessons.as_markdown(made(some))


@given(histories())
def test_every_memory_stands_in_one_place(history: Any) -> None:
    """In one list, or among the dead; corrections are beside."""
    some = [_told(*each) for each in history]
    made = reflection(some, 9, terms(lambda spot: spot.file != "gone.py"))
    found = [
        {each.memory_id for each in one} for one in (made.preferred, made.tentative, made.contested, made.dead_ends)
    ]
    every = [*[name for one in found for name in one], *made.dead]
    assert sorted(every) == sorted(each.memory.id for each in some)


def test_the_keys_of_the_file() -> None:
    """Those of the seed, in its spelling, and whether the present gate cleared each."""
    about = memory("a", clearance="p")
    said = outcomes(about, "corrected", spots=["a.py#x"])
    made = reflection([Told(about, said)], 3, terms(pattern_set="p"))
    body = json.loads(lessons.as_json(made, "p"))
    assert list(body) == [
        *("patternSet", "preferred", "tentative", "contested", "deadEnds", "corrections"),
        *("deadAnchorMemoryIds", "generatedFrom"),
    ]
    assert body["generatedFrom"] == {"entries": 3, "asOf": NOW}
    assert body["deadEnds"] == [
        {
            "memoryId": about.id,
            "text": "Statement a.",
            "anchor": {"file": "a.py", "symbol": "x"},
            "score": -1.0,
            "positiveOutcomes": 0,
            "negativeOutcomes": 1,
            "latestAt": NOW,
            "resolution": "dead_end",
            "cleared": True,
        }
    ]
    corrected = body["corrections"][0]
    assert (corrected["correction"], corrected["correctedBy"], corrected["cleared"]) == ("So it is.", "person", False)


def test_a_file_has_a_bound() -> None:
    """What leaves first are the tentative, then corrections, from the end; no more of them than needed."""
    big = "x" * 500
    few = [Told(samples.memory(SCOPE, f"{n} {big}"), []) for n in range(900)]
    kinds = [["useful"], ["corrected"], ["useful", "dead_end"], ["useful", "useful"]]
    some = [
        Told(each.memory, outcomes(each.memory, *kinds[n % 4], spots=[f"{'d' * 40}/{n}.py"]))
        for n, each in enumerate(few)
    ]
    made = reflection(some, 900, terms())
    body = lessons.as_json(made, "p")
    held = json.loads(body)
    assert len(body) <= lessons.MAX_BYTES < len(body) + 900
    assert (len(held["tentative"]), len(held["corrections"]), len(held["deadEnds"])) == (0, 0, 0)
    assert 0 < len(held["contested"]) < len(held["preferred"]) == 200
    every = [made.preferred, made.tentative, made.contested, made.dead_ends, made.corrections]
    kept = [held[name] for name in ("preferred", "tentative", "contested", "deadEnds", "corrections")]
    assert held["leftOut"] == sum(map(len, every)) - sum(map(len, kept)) > 0
    text = lessons.as_markdown(made)
    assert len(text) <= lessons.MAX_BYTES
    assert b"more have no room here" in text


def test_markdown_holds_no_markup_of_others() -> None:
    """A text is one line, and what would be markup is escaped."""
    about = samples.memory(SCOPE, "# Run `x`\n- [a](b) <script>")
    text = lessons.as_markdown(reflection([Told(about, outcomes(about, "useful", "useful"))], 1, terms())).decode()
    assert "\\# Run \\`x\\` - \\[a\\](b) \\<script\\>" in text
    assert text.count("\n- ") == 1
