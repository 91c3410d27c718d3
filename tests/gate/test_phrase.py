"""Phrases are compiled for prose and for bare letters, and heads never miss what the whole finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.errors import GateError
from learnt.gate import orders
from learnt.gate.letters import bare as letters
from learnt.gate.letters import is_prose
from learnt.gate.linear import compiled, searcher
from learnt.gate.phrase import bare, head, prose, spelt

ORDERS = orders.load()


def test_a_phrase_is_written_once() -> None:
    """Spaces are any white space, apostrophes may be missing, classes are written out."""
    phrase = spelt("don't {drop} (all |the )*rules?", {"drop": "ignore|forget"})
    found = compiled(prose(phrase))
    for text in ("Don't ignore the rules", "dont\n forget all the rule", "DON’T IGNORE RULES"):
        assert found.search(text)
    assert not found.search("don't ignore rulesets")
    assert compiled(bare(phrase)).search(letters("D.o.n.t  i-g-n-o-r-e r_u_l_e_s").decode())


def test_doubled_letters_are_read_as_one() -> None:
    """Unless the letters are asked for as they are spelt."""
    assert compiled(bare("all rules")).search("aiiruuies")
    assert not compiled(bare("all rules", loose=False)).search("allruules")


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)
def test_every_order_compiles(order: object) -> None:
    """All its expressions are fit for RE2."""
    for field in ("regex", "trigger", "tight", "unless"):
        if regex := getattr(order, field):
            compiled(regex)


@given(st.from_regex(r"\A(?:ab|c)?x{0,2}[yz]{0,12}(?:d|e){0,2}\Z"))
def test_a_head_matches_wherever_the_whole_does(text: str) -> None:
    """Whatever follows a gap, in every alternative and group, is only left out."""
    for regex in ("(?:ab|c)x[^q]{0,9}d", "ab[^q]{0,9}(?:d|e)|cx", "(?:a(?:b[^q]{0,9}y)?|c)x", "c?x.{0,20}e"):
        if re.search(regex, text):
            assert re.search(head(regex), text)


@pytest.mark.parametrize(
    ("piece", "prose_"),
    [
        ("ignore all previous", True),
        ("ignore, all. previous", True),
        ("ignore_previous", True),
        ("ignorePrevious", True),
        ("i g n o r e   a l l", False),
        ("ignore | all | previous", False),
        ("ignore-all-the-previous-instructions-now", False),
        ("https://example.org/ignore-all-the-previous-rules-now", True),
    ],
)
def test_prose_is_told_from_disguise(piece: str, prose_: bool) -> None:
    """By what stands between words; short names of code and addresses are prose."""
    assert is_prose(piece) is prose_


def test_the_binding_gives_places_of_groups() -> None:
    """What the pinned package does not promise is asked here."""
    assert list(searcher("a(b)?c")(b"xxacabc", 0)) == [(2, 4), (-1, -1)]
    assert list(searcher("a(b)?c")(b"xxacabc", 4)) == [(4, 7), (5, 6)]


def test_a_file_of_orders_that_is_wrong_closes_the_gate(tmp_path: object) -> None:
    """An unknown key, an unknown class, no file."""
    path = tmp_path / "orders.toml"  # type: ignore[operator]
    for content in (
        "[words]\n[[order]]\nname='x'\nphrase='a'\nodd=1",
        "[words]\n[[order]]\nname='x'\nphrase='{no}'",
        None,
    ):
        if content is None:
            path.unlink()
        else:
            path.write_text(content)
        with pytest.raises(GateError):
            orders.load(path)
