"""Newer before older where two statements are about one thing; an overview over many sessions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.recall.order import HEAD, OF_SESSIONS, Placed, newer_first, spread


def placed(name: str, score: float, day: int, who: str = "person", session: str = "") -> Placed:
    """A hit said on a day of May."""
    return Placed(name, score, (f"2026-05-{day:02}", 0), who, session)


def always(_one: str, _other: str) -> float:
    """Everything is about one thing."""
    return 1.0


def names(found: tuple[tuple[str, float], ...]) -> list[str]:
    """The ids in order."""
    return [name for name, _ in found]


def test_the_newer_of_two_alike_takes_the_better_place() -> None:
    """The two change places, the hit between them stays, scores stay with the places."""
    hits = [placed("old", 0.9, 1), placed("reply", 0.85, 1, who="agent"), placed("new", 0.8, 9), placed("z", 0.1, 3)]
    assert newer_first(hits, always) == (("new", 0.9), ("reply", 0.85), ("old", 0.8), ("z", 0.1))


def test_what_is_not_alike_stays() -> None:
    """A later text on something else does not move up."""
    hits = [placed("old", 0.9, 1), placed("new", 0.8, 9)]
    assert names(newer_first(hits, lambda _one, _other: 0.4)) == ["old", "new"]


def test_a_poor_answer_stays_below() -> None:
    """A later text that hardly answers the question does not push an answer away."""
    hits = [placed("old", 0.9, 1), placed("new", 0.2, 9), *[placed(f"x{at}", 0.1, 1, who="x") for at in range(30)]]
    assert names(newer_first(hits, always))[:2] == ["old", "new"]


def test_without_a_time_nothing_moves() -> None:
    """Who cannot be dated is neither newer nor older."""
    hits = [Placed("a", 0.9), Placed("b", 0.8)]
    assert names(newer_first(hits, always)) == ["a", "b"]


def test_a_chain_of_updates_ends_with_the_newest_first() -> None:
    """Three statements of one fact stand in reverse order of time."""
    hits = [placed("one", 0.9, 1), placed("two", 0.85, 2), placed("three", 0.8, 3), placed("z", 0.1, 1, who="x")]
    assert names(newer_first(hits, always))[:3] == ["three", "two", "one"]


HITS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 28), st.sampled_from("pa")), max_size=25)


@given(HITS, st.floats(0, 1))
def test_the_newest_never_falls(rows: list[tuple[float, int, str]], like: float) -> None:
    """All come back, scores stay with places, what is beyond the head stays, and the newest is no lower."""
    rows.sort(reverse=True)
    hits = [placed(f"{at:02}", score, day, who) for at, (score, day, who) in enumerate(rows)]
    answer = newer_first(hits, lambda _one, _other: like)
    assert [score for _, score in answer] == [hit.score for hit in hits]
    assert sorted(names(answer)) == [hit.id for hit in hits]
    assert names(answer)[HEAD:] == [hit.id for hit in hits[HEAD:]]
    if hits:
        newest = max(hits[:HEAD], key=lambda hit: hit.when)
        assert names(answer).index(newest.id) <= hits.index(newest)


def test_an_overview_takes_turns_among_sessions() -> None:
    """The second hit of one session stands behind a slightly worse one of another."""
    hits = [
        placed("a1", 0.50, 1, session="a"),
        placed("a2", 0.49, 1, session="a"),
        placed("b1", 0.46, 1, session="b"),
        placed("c1", 0.20, 1, session="c"),
    ]
    assert names(spread(hits)) == ["a1", "b1", "a2", "c1"]


@given(HITS)
def test_spreading_loses_nothing(rows: list[tuple[float, int, str]]) -> None:
    """Every hit comes back once, the first stays first, hits without a session stay in order."""
    rows.sort(reverse=True)
    hits = [placed(f"{at:02}", score, day, session=session) for at, (score, day, session) in enumerate(rows)]
    answer = names(spread(hits))
    assert sorted(answer) == [hit.id for hit in hits]
    assert answer[:1] == [hit.id for hit in hits[:1]]
    bare = [Placed(hit.id, hit.score) for hit in hits]
    assert names(spread(bare)) == [hit.id for hit in bare]


def test_sessions_change_places_only_when_the_later_answers_nearly_as_well() -> None:
    """A share of the score that is enough for a turn is too little for a session."""
    hits = [placed("old", 0.9, 1), placed("new", 0.6, 9), placed("z", 0.1, 3)]
    assert names(newer_first(hits, always)) == ["new", "old", "z"]
    assert names(newer_first(hits, always, OF_SESSIONS)) == ["old", "new", "z"]
