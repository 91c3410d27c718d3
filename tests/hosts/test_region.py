"""A region of ours in somebody else's file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.hosts.wiring.region import Broken, Region, found, inserted, removed

FOREIGN = st.text(alphabet=st.sampled_from("ab# \n\r\t<!->x\ufeff\udcff\u2028"), max_size=80)
BODIES = st.text(alphabet=st.sampled_from("ab- \n*"), max_size=40)


def put(text: str, body: str, name: str = "memory") -> str:
    made = inserted(text, body, name)
    assert isinstance(made, str)
    return made


@given(FOREIGN, BODIES)
def test_taken_out_again_nothing_is_left(text: str, body: str) -> None:
    """Put in and taken out, a file has its old bytes, whatever line ends it uses."""
    assert removed(put(text, body), "memory") == text


@given(FOREIGN, BODIES, BODIES)
def test_renewing_touches_nothing_else(text: str, body: str, other: str) -> None:
    """Renewed, a region is what it would be put in at once; a second time changes nothing."""
    once = put(put(text, body), other)
    assert once == put(text, other)
    assert put(once, other) == once


@given(FOREIGN, FOREIGN, BODIES)
def test_what_comes_behind_stays(text: str, behind: str, body: str) -> None:
    """What somebody writes behind a region survives its renewal and its removal, byte for byte."""
    whole = put(text, body) + behind
    assert put(whole, "new words").endswith(behind)
    assert removed(whole, "memory") == text + behind


@given(FOREIGN)
def test_two_regions_do_not_meet(text: str) -> None:
    """Each name has a region of its own."""
    both = put(put(text, "one", "memory"), "two", "skills")
    assert removed(both, "skills") == put(text, "one", "memory")
    alone = removed(both, "memory")
    assert isinstance(alone, str)
    assert found(alone, "memory") is None
    assert isinstance(found(alone, "skills"), Region)


def test_line_ends_are_kept() -> None:
    """In a file with CRLF the region has CRLF."""
    made = put("# Rules\r\n\r\nUse tabs.\r\n", "- one\n- two")
    assert made.startswith("# Rules\r\n\r\nUse tabs.\r\n\r\n<!-- learnt:begin memory")
    assert "\n" not in made.replace("\r\n", "")


def test_a_region_is_found_with_its_body() -> None:
    """What stands between the marks is the body."""
    region = found(put("x\n", "- one"), "memory")
    assert isinstance(region, Region)
    assert region.body.splitlines()[-1] == "- one"
    assert found("x\n", "memory") is None


@pytest.mark.parametrize(
    "text",
    [
        "<!-- learnt:begin memory -->\n",
        "<!-- learnt:end memory -->\n",
        "<!-- learnt:end memory -->\n<!-- learnt:begin memory -->\n",
        "<!-- learnt:begin memory -->\n<!-- learnt:begin memory -->\n<!-- learnt:end memory -->\n",
        "text <!-- learnt:begin memory -->\n<!-- learnt:end memory -->\n",
    ],
)
def test_broken_marks_change_nothing(text: str) -> None:
    """Marks that do not pair, or stand inside a line, are told, and nothing is written."""
    assert isinstance(inserted(text, "x", "memory"), Broken)
    assert isinstance(removed(text, "memory"), Broken)


def test_a_body_holds_no_mark() -> None:
    """What is written cannot end its own region."""
    assert isinstance(inserted("x", "a\n<!-- learnt:end memory -->\nb", "memory"), Broken)


def test_a_name_is_a_name() -> None:
    """An odd name is a fault of the caller."""
    with pytest.raises(ValueError, match="A B"):
        inserted("x", "y", "A B")
