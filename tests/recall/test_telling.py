"""Likeness and words in one share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.recall.telling import Words, is_idle, rarities, text_shares, worth

unit = st.floats(0, 1)
pairs = st.lists(st.tuples(unit, st.one_of(st.none(), st.floats(-1, 1))), min_size=1, max_size=30)


@given(pairs, st.booleans())
def test_a_share_lies_between_nothing_and_all(found: list[tuple[float, float | None]], named: bool) -> None:
    """0 to 1 for every known cosine, none for an unknown one; what has all of both has 1."""
    words, cosines = [each for each, _ in found], [each for _, each in found]
    shares = text_shares([*words, 1.0], [*cosines, 1.0], named=named)
    assert shares[-1] == 1.0
    for share, cosine in zip(shares, cosines, strict=False):
        assert (share is None) == (cosine is None)
        assert share is None or 0.0 <= share <= 1.0


@given(pairs, st.booleans())
def test_neither_half_is_ignored(found: list[tuple[float, float | None]], named: bool) -> None:
    """Of two candidates the one with no fewer words and no less likeness never has the smaller share."""
    words, cosines = [each for each, _ in found], [0.0 if each is None else each for _, each in found]
    shares = text_shares(words, cosines, named=named)
    listed = [(word, cosine, share or 0.0) for word, cosine, share in zip(words, cosines, shares, strict=True)]
    for one in listed:
        assert all(other[2] >= one[2] - 1e-9 for other in listed if other[0] >= one[0] and other[1] >= one[1])


def test_rare_words_are_worth_more() -> None:
    """What one candidate holds tells more than what nine hold; all of the question is 1, none of it 0."""
    held = [frozenset({"deploy"})] * 8 + [frozenset({"buildkite"}), frozenset({"deploy", "buildkite"}), frozenset()]
    found = worth(held, rarities(("deploy", "buildkite"), held))
    assert found[0] < found[8] < found[9]
    assert (round(found[9], 9), found[10]) == (1.0, 0.0)


def test_a_question_without_words_says_nothing() -> None:
    """Stop words alone leave the likeness to decide."""
    held = [frozenset[str](), frozenset[str]()]
    assert worth(held, rarities((), held)) == [0.0, 0.0]


def test_small_talk_is_idle_and_work_is_not() -> None:
    """Unlike anything and of common words: silence. A near memory, or one that holds most of the words, speaks up."""
    one = frozenset({"good"})
    talk = Words([one, frozenset()], [0.3, 0.0], {"good": 0.3, "sounds": 0.9}, narrowed=False)
    assert is_idle("sounds good", talk, 0.3)
    assert not is_idle("sounds good", talk, 0.45)
    both = frozenset({"staging", "empty"})
    work = Words([both, frozenset()], [0.6, 0.0], {"staging": 0.3, "empty": 0.3, "morning": 0.4}, narrowed=False)
    assert not is_idle("staging empty this morning", work, 0.3)
    narrowed = Words([one] * 9, [0.5] * 9, {"good": 0.1}, narrowed=True)
    assert not is_idle("good", narrowed, 0.44)
    assert is_idle("good", Words([one] * 9, [0.5] * 9, {"good": 0.1}, narrowed=False), 0.44)


def test_where_nothing_is_remembered_nothing_is_known() -> None:
    """Without candidates a remark is idle, and nothing fails."""
    assert is_idle("sounds good", Words([], [], {}, narrowed=False), 0.0)
