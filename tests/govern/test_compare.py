"""What a new text changes in an old one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.govern.compare import compared
from learnt.model.piece import Piece

texts = st.text(st.sampled_from("ab c.\n é"), max_size=40)


@given(texts, texts)
def test_both_texts_can_be_read_off_the_pieces(old: str, new: str) -> None:
    """What stays and goes is the old text, what stays and is new the new one; no piece is empty."""
    pieces = compared(old, new)
    assert "".join(each.text for each in pieces if each.type != "new") == old
    assert "".join(each.text for each in pieces if each.type != "gone") == new
    assert all(each.text for each in pieces)


def test_words_change_whole() -> None:
    """Not letters; what goes stands before what comes, and words that change together stand together."""
    assert compared("Use npm test now.", "Use pnpm run now.") == (
        Piece("same", "Use "),
        Piece("gone", "npm test"),
        Piece("new", "pnpm run"),
        Piece("same", " now."),
    )


def test_over_long_texts_are_not_compared() -> None:
    """They are shown as one taken away and one put in."""
    old, new = "a " * 3_000, "b " * 3_000
    assert compared(old, new) == (Piece("gone", old), Piece("new", new))
