"""What may be stored at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.gate.hygiene import clip, fit, repair


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200b" * 5, ".", "--- ...", "\u2060\ufeff", "\u0301", "\U000e0041" * 3]
)
def test_nothing_to_read_is_refused(text: str) -> None:
    """Empty, blank, invisible and punctuation-only texts have one reason."""
    problem = fit(text)
    assert problem is not None
    assert problem.code == "empty"


@pytest.mark.parametrize("text", ["a", "7", "🔥", "数", "→ ✓", "line\n\tnext\r\n"])
def test_anything_to_read_is_fit(text: str) -> None:
    """A letter, a digit or a sign that means something by itself is enough."""
    assert fit(text) is None


def test_the_limit_is_2000_characters() -> None:
    """2,000 characters fit, 2,001 do not, and the message names the limit."""
    assert fit("a" * 2000) is None
    problem = fit("a" * 2001)
    assert problem is not None
    assert problem.code == "too_long"
    assert "2000" in problem.message


@pytest.mark.parametrize(("text", "place"), [("alpha\x00beta", 5), ("col\x1b[31mred", 3), ("a\x7f", 1), ("a\x9b", 1)])
def test_controls_are_refused(text: str, place: int) -> None:
    """NUL, escape and their like are refused, with the place."""
    problem = fit(text)
    assert problem is not None
    assert (problem.code, problem.place) == ("control", place)


def test_half_pairs_are_refused() -> None:
    """Half of a surrogate pair is refused in a direct write."""
    problem = fit("ok \ud83d")
    assert problem is not None
    assert problem.code == "surrogate"


@given(st.text(alphabet=st.characters(), max_size=50))
def test_repaired_text_can_be_stored(text: str) -> None:
    """Repair keeps the length, encodes, and leaves no control character; it changes nothing twice."""
    mended = repair(text)
    assert len(mended) == len(text)
    assert mended.encode().decode() == mended
    assert "\x00" not in mended
    assert repair(mended) == mended


@given(st.text(max_size=60), st.integers(0, 60))
def test_a_clipped_text_is_a_beginning(text: str, limit: int) -> None:
    """What is clipped is a beginning of the text within the limit."""
    assert text.startswith(clip(text, limit))
    assert len(clip(text, limit)) <= max(limit, 0)


def test_a_clip_never_cuts_a_placeholder() -> None:
    """A cut inside a placeholder ends before it."""
    text = "see [REDACTED:env_secret] there"
    assert clip(text, 12) == "see "
    assert clip(text, 26) == text[:26]


def test_a_clip_never_cuts_a_character() -> None:
    """A cut inside a joined emoji or between a letter and its mark ends before it."""
    assert clip("a👩🏽b", 2) == "a"
    assert clip("cafe\u0301", 4) == "caf"
