"""Which memories share in a reward."""

from __future__ import annotations

from array import array
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from learnt.learn.closeness import closeness
from learnt.learn.near import Reach, Told, nearest, words
from learnt.testing import samples

HERE, THERE = samples.repository("here"), samples.repository("there")
texts = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "the"]), max_size=6).map(" ".join)
SOURCE = samples.memory(HERE, "alpha beta gamma delta")


def test_words_leave_out_what_says_nothing() -> None:
    """Three characters and more of letters, digits and underscores; no stop words."""
    assert words("The PNPM_store, is at 42 or 404!") == {"pnpm_store", "404"}
    told = Told()
    assert told.overlap("alpha beta") == 0.0
    told.add("alpha beta")
    told.add("alpha beta gamma")
    assert told.overlap("beta gamma delta") == 2 / 4
    assert told.overlap("the of and") == 0.0


def test_like_words_share() -> None:
    """At the threshold, of the same kind and scope, active; not the source itself."""
    near = samples.memory(HERE, "alpha beta gamma other")
    at_bound = samples.memory(HERE, "alpha beta")
    far = samples.memory(HERE, "alpha other words here")
    kind = samples.memory(HERE, "alpha beta gamma delta", kind="lesson")
    scope = samples.memory(THERE, "alpha beta gamma delta")
    gone = replace(samples.memory(HERE, "alpha beta gamma delta epsilon"), status="superseded")
    every = (near, at_bound, far, kind, scope, gone, SOURCE)
    assert nearest([SOURCE], every, Reach(overlap=0.5)) == (near, at_bound)
    assert nearest([SOURCE], every, Reach(overlap=0.5, fanout=0)) == ()


def test_the_most_alike_come_first() -> None:
    """Twenty of twenty-five, highest overlap first, equal ones by id."""
    close = [samples.memory(HERE, f"alpha beta gamma delta extra{number}") for number in range(15)]
    less = [samples.memory(HERE, f"alpha beta gamma extra{number}") for number in range(10)]
    found = nearest([SOURCE], (*less, *close), Reach())
    assert len(found) == 20
    assert [each.id for each in found[:15]] == sorted(each.id for each in close)
    assert [each.id for each in found[15:]] == sorted(each.id for each in less)[:5]


def test_meaning_crosses_kinds_but_no_scopes() -> None:
    """By vectors any kind shares; never another scope, however near."""
    other = samples.memory(HERE, "wholly different", kind="lesson")
    stranger = samples.memory(THERE, "wholly different", kind="lesson")
    vectors = {
        SOURCE.id: (array("f", [1.0, 0.0]).tobytes(),),
        other.id: (array("f", [0.0, 1.0]).tobytes(), array("f", [0.8, 0.6]).tobytes()),
        stranger.id: (array("f", [1.0, 0.0]).tobytes(),),
    }
    cosine = closeness(vectors, {SOURCE.id})
    assert nearest([SOURCE], (other, stranger), Reach(), cosine) == (other,)
    assert nearest([SOURCE], (other, stranger), Reach(cosine=0.9), cosine) == ()
    assert nearest([SOURCE], (other,), Reach(), closeness({}, {SOURCE.id})) == ()


@given(st.lists(texts, min_size=1, max_size=4), texts, st.floats(0.01, 1))
def test_what_is_left_out_is_below(sources: list[str], text: str, least: float) -> None:
    """The best of all pairs, counted one by one; with a bound, what is at or above it is exact."""
    told = Told()
    for each in sources:
        told.add(each)
    exact = 0.0
    for each in sources:
        one, two = words(each), words(text)
        exact = max(exact, len(one & two) / len(one | two) if one | two else 0.0)
    assert told.overlap(text) == exact
    found = told.overlap(text, least)
    assert found == exact or (found == 0.0 and exact < least)
