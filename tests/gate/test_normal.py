"""The folded copy and the way back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.gate.normal import fold, is_plain, view

TEXT = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("ab 0-\u200b\u00ad\u0301\u0327\u202e\ufeff\ufe0fаео－ＡＢﷺ…é\u1100\u1161\U000e0041\U0001f3fb"),
    ),
    max_size=80,
)


@given(TEXT)
def test_every_character_leads_back(text: str) -> None:
    """Each character of the copy has a place in the original, in order, and folding that place gives it."""
    seen = view(text)
    if is_plain(text):
        assert seen.text == text
        return
    assert len(seen.starts) == len(seen.ends) == len(seen.text)
    assert list(seen.starts) == sorted(seen.starts)
    for char, start, end in zip(seen.text, seen.starts, seen.ends, strict=True):
        assert 0 <= start < end <= len(text)
        assert char in view(text[start:end]).text


@given(TEXT, TEXT)
def test_a_planted_word_is_found_in_its_place(before: str, after: str) -> None:
    """A word split by unseen characters folds to itself, and its place in the original covers all of it."""
    planted = "n\u200be\u00ade\u2060dle"
    text = f"{before} {planted} {after}"
    seen = view(text)
    at = seen.text.index("needle", len(view(f"{before} ").text) - 1)
    start, end = seen.span(at, at + len("needle"))
    assert text[start:end] == planted


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_ascii_is_its_own_copy(text: str) -> None:
    """ASCII is not copied."""
    assert fold(text) is text
    assert is_plain(text)


@pytest.mark.parametrize("text", ["done ✓ — “fine” → next…", "数据迁移脚本", "배포는 화요일", "résumé", "🔥 path"])
def test_inert_text_is_its_own_copy(text: str) -> None:
    """An occasional dash, tick mark or emoji does not cost a normalisation."""
    assert fold(text) is text


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ＡＰＩ", "API"),
        ("ｓ\u200bｋ", "sk"),
        ("іgnоrе", "ignore"),
        ("i\u0336g\u0337n", "ign"),
        ("𝓲𝓰𝓷", "ign"),
        ("a‑b", "a-b"),
    ],
)
def test_disguises_fold_to_latin(text: str, folded: str) -> None:
    """Fullwidth, mathematical, look-alike and decorated letters are read as the Latin ones they imitate."""
    assert fold(text) == folded
    assert view(text).text == folded


def test_runs_of_marks_are_cut() -> None:
    """A run of combining marks is cut before it is normalised, which would sort it in quadratic time."""
    text = "a" + "\u0315\u0300" * 16_000
    assert len(fold(text)) < 40
    assert len(view(text).text) < 40


def test_expansion_is_bounded() -> None:
    """No character grows more than fourfold."""
    text = "\ufdfa" * 1000 + "\u3300" * 1000 + "\u2a74" * 1000
    assert len(fold(text)) <= 4 * len(text)


def test_expanding_characters_are_all_known() -> None:
    """The characters that NFKC turns into five or more are exactly those that folding replaces."""
    grown = {chr(code) for code in range(0x110000) if len(unicodedata.normalize("NFKC", chr(code))) > 4}
    assert all(len(fold(char)) <= 4 for char in grown)
