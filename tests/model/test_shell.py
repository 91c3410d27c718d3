"""A command taken apart."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from learnt.model.shell import BLANKS, essential, simple


def test_blanks_are_what_python_calls_white_space() -> None:
    """The written-out list is complete, so that a word ends where it did character by character."""
    assert set(BLANKS) == {chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()}


@given(st.lists(st.text("ab1-/=.é%", min_size=1), min_size=1, max_size=12), st.sampled_from(BLANKS.replace("\n", "")))
def test_plain_words_stay_whole(words: list[str], blank: str) -> None:
    """Words without special characters come back as they were, whatever white space is between them."""
    assert simple(blank.join(words)) == ((tuple(words), ""),)


@given(st.text("ab =\"'$()<>|&;#\\\n`", max_size=40))
def test_a_command_is_taken_apart_the_same_again(command: str) -> None:
    """What is remembered of a command is what was found out about it."""
    assert essential(command) == essential(command)
    assert simple(command) == simple(command)
