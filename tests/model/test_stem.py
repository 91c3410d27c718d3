"""Forms of one word meet in one stem."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.model.stem import porter, stem

PAPER = (
    "caresses caress, ponies poni, ties ti, cats cat, feed feed, agreed agre, plastered plaster, motoring motor, "
    "sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss, "
    "fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, conditional condit, "
    "rational ration, valenci valenc, digitizer digit, operator oper, feudalism feudal, decisiveness decis, "
    "hopefulness hope, formaliti formal, sensitiviti sensit, triplicate triplic, formative form, formalize formal, "
    "electrical electr, hopeful hope, goodness good, revival reviv, allowance allow, inference infer, airliner airlin, "
    "adjustable adjust, defensible defens, irritant irrit, replacement replac, adjustment adjust, adoption adopt, "
    "communism commun, activate activ, effective effect, probate probat, rate rate, cease ceas, controll control, "
    "roll roll"
)


@pytest.mark.parametrize("pair", PAPER.split(", "))
def test_the_examples_of_the_paper_come_out(pair: str) -> None:
    """Words printed in Porter's article with their stems give these stems."""
    word, expected = pair.split()
    assert porter(word) == expected


@pytest.mark.parametrize(("short", "long"), [("cfg", "configuration"), ("str", "strings"), ("tmp", "temporary")])
def test_a_short_form_is_its_word(short: str, long: str) -> None:
    """What identifiers abbreviate is found by the whole word, and the other way round."""
    assert stem(short) == stem(long)


@pytest.mark.parametrize("term", ["renew_lease", "e1042", "2023", "straße", "記憶", "-kind"])
def test_what_is_no_plain_word_stays(term: str) -> None:
    """Identifiers, numbers and other scripts have no English endings."""
    assert stem(term) == term


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=30))
def test_a_stem_is_never_longer_nor_empty(word: str) -> None:
    """Whatever the letters, a stem holds something of its word and adds no more than one letter."""
    found = porter(word)
    assert len(found) <= len(word) + 1
    assert bool(found) == bool(word)
