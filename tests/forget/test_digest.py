"""What keeps a forgotten text away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.forget.digest import digest, digests, plain

KEY = b"k" * 32


@pytest.mark.parametrize("other", ["use PNPM, here!", " Use  pnpm here", "Üse pnpm here", "Use ｐｎｐｍ here."])
def test_another_way_of_writing_it_is_the_same(other: str) -> None:
    """Case, accents, width, punctuation and white space do not walk around a digest."""
    assert digest(KEY, "text", other) == digest(KEY, "text", "Use pnpm here.")


def test_another_statement_is_another() -> None:
    """Other words, another key, or a reference of the same letters make another digest."""
    one = digest(KEY, "text", "Use pnpm here.")
    assert one not in {digest(KEY, "text", "Use npm here."), digest(b"o" * 32, "text", "Use pnpm here.")}
    assert digest(KEY, "ref", "Use pnpm here.") != one


def test_signs_alone_are_told_apart() -> None:
    """Texts without letters are not all one."""
    assert plain("🚀") != plain("🔥")


def test_no_key_no_digest() -> None:
    """Without a key anybody could open it with guesses."""
    with pytest.raises(ValueError, match="key"):
        digest(b"", "text", "x")


@given(st.text())
def test_a_digest_shows_nothing(text: str) -> None:
    """32 hex digits, whatever the text; the same every time."""
    made = digests(KEY, [text], [text])
    assert set(made.values()) == {"text", "ref"}
    assert all(len(each) == 32 and int(each, 16) >= 0 for each in made)
    assert made == digests(KEY, [text], [text])
