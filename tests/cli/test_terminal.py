"""Text of others on a terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from learnt.wire.terminal import columns, line, padded, plain, wrapped

TEXTS = st.text(st.characters(codec="utf-16", categories=None), max_size=200)


@given(TEXTS)
def test_nothing_steers_the_terminal(text: str) -> None:
    """No control, format, private or surrogate character passes, but line ends, tabs and joiners."""
    hidden = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    assert not [c for c in plain(text) if unicodedata.category(c) in hidden and c not in "\n\t\u200c\u200d"]


@given(TEXTS, st.integers(5, 60))
def test_a_line_fits(text: str, most: int) -> None:
    """A line has no break and at most so many columns."""
    shown = line(text, most)
    assert len(shown.splitlines()) <= 1
    assert columns(shown) <= most


@given(TEXTS, st.integers(24, 80))
def test_wrapped_rows_fit_and_lose_nothing(text: str, width: int) -> None:
    """Rows stay within the window, and every visible character is in them in order."""
    rows = list(wrapped(text, width, "  "))
    assert all(columns(row.rstrip()) <= width for row in rows)
    kept = "".join("".join(rows).split())
    assert kept == "".join(plain(text).split())


def test_wide_and_combining_characters_are_counted_as_shown() -> None:
    """Two columns for a wide character, none for a mark."""
    assert columns("潮汐") == 4
    assert columns("e\u0301") == 1
    assert padded("潮汐", 6) == "潮汐  "
    assert line("潮汐潮汐", 5) == "潮汐…"


def test_a_long_path_is_broken_behind_a_slash() -> None:
    """A file's name stays whole where a folder ends not far before the row does."""
    path = "/home/mira/projects/ledger/internal/strategy/clean_test.go"
    assert list(wrapped(path, 50)) == ["/home/mira/projects/ledger/internal/strategy/", "clean_test.go"]
    assert next(wrapped("a/" + "b" * 30, 20)) == "a/" + "b" * 18


def test_marks_do_not_pile_up() -> None:
    """A run of combining marks is cut: it would climb over other lines."""
    assert len(plain("a" + "\u0301" * 5000)) < 20
