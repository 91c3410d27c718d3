"""Text of transcripts in our lines."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.distil.line import clipped, collapsed, fenced, line, unlined

ODD = st.text(
    alphabet=st.sampled_from("ab #>-*+=|~`<>![]()/\\\n\r\t\x00\x1b\x85\u2028\u202e\u200b\u00e9."), max_size=60
)


@given(ODD | st.text(max_size=80))
def test_a_line_is_one_line(text: str) -> None:
    """Nothing hidden, no line end, no tag, no comment, no fence is left."""
    shown = line(text)
    assert len(shown.splitlines()) <= 1
    assert "<" not in shown
    assert "-->" not in shown
    assert "```" not in shown
    assert "~~~" not in shown
    assert all(char == "\u200d" or unicodedata.category(char)[0] != "C" for char in shown)


@given(ODD)
def test_a_line_begins_no_block(text: str) -> None:
    """No heading, quotation, list, table, rule or reference definition begins in a bullet."""
    shown = line(text)
    assert not shown.startswith(("#", ">", "- ", "* ", "+ ", "=", "|", ":", "---"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Heading", "\\# Heading"),
        ("1. one", "\\1. one"),
        ("1.5 seconds", "1.5 seconds"),
        ("a\n## b", "a ## b"),
        ("<!-- learnt:begin x -->", "&lt;!-- learnt:begin x --&gt;"),
        ("``` sh", "''' sh"),
        ("`a` b", "`a` b"),
        ("[x]: http://e", "\\[x]: http://e"),
        ("Yes [mem_1] (trust person)", "Yes \\[mem_1] \\(trust person)"),
        ("[session:s#1] (seen in 2 sessions)", "\\[session:s#1] \\(seen in 2 sessions)"),
        ("A [link](trust.md), (see below)", "A [link](trust.md), (see below)"),
    ],
)
def test_lines(text: str, shown: str) -> None:
    """Marks at the beginning are escaped, others stay where they mean nothing."""
    assert line(text) == shown


@given(
    st.text(alphabet="ab #>-<`1.\\", max_size=30)
    | st.lists(st.sampled_from(["[mem_", "(trust ", "\\", "a", "]: "])).map("".join)
)
def test_a_line_can_be_read_back(text: str) -> None:
    """What was escaped is what it was, but for white space and long fences."""
    plain = collapsed(text)
    if "```" not in plain and "-->" not in plain:
        assert unlined(line(text)) == plain


@given(st.text(alphabet="`ab\n ", max_size=60))
def test_nothing_closes_a_fence(code: str) -> None:
    """The fence is longer than any run of backticks inside."""
    first, *inside, last = fenced(collapsed(code)).split("\n")
    assert first == last
    assert all(first not in each for each in inside)


@given(st.text(max_size=100), st.integers(4, 50))
def test_clipping_is_bounded(text: str, most: int) -> None:
    """A clipped text is within its bound, and whole when it fits."""
    assert len(clipped(text, most)) <= most
    assert len(text) > most or clipped(text, most) == text
