"""What crosses the port."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.providers.vectors import MOST_CHARACTERS, packed, readable
from learnt.testing.embedders import numbers

NUMBERS = st.floats(-1e300, 1e300, allow_nan=False).filter(lambda each: each == 0 or abs(each) > 1e-9)


@given(st.lists(NUMBERS, min_size=3, max_size=3))
def test_a_vector_has_length_one_or_is_none(row: list[float]) -> None:
    """Finite numbers of any size become a vector of length one; zeros become None."""
    vector = packed(row, 3)
    if not any(row):
        assert vector is None
    else:
        assert vector is not None
        assert math.hypot(*numbers(vector)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    "row",
    [
        [0.0, 0.0],
        [math.nan, 1.0],
        [math.inf, 1.0],
        [1.0],
        [1.0, 2.0, 3.0],
        [],
        None,
        "ab",
        {"0": 1},
        [None, 1.0],
        ["x", 1.0],
        [[1.0, 2.0]],
        [10**400, 1],
    ],
)
def test_what_is_no_vector_is_none(row: object) -> None:
    """Zeros, NaN, infinities, other lengths, other types: None, and no exception."""
    assert packed(row, 2) is None


def test_bytes_are_little_endian_float32() -> None:
    """(3, 4) is 0.6 and 0.8, four bytes each, the lowest first."""
    assert packed([3.0, 4.0], 2) == bytes.fromhex("9a99193f cdcc4c3f")


@given(st.text())
def test_readable_text_can_be_encoded(text: str) -> None:
    """Whatever the text, what is left of it is UTF-8, bounded, and not blank."""
    found = readable(text * 3)
    assert len(found.encode("utf-8")) <= 4 * MOST_CHARACTERS
    assert not found.isspace()


def test_a_lone_surrogate_is_replaced() -> None:
    """Half a character, as a broken transcript may hold it, does not stop the rest."""
    assert readable("\ud800 lock") == "? lock"
