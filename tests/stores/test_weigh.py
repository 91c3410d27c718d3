"""How often a memory holds a term, as blocks say it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from learnt.stores.index.blocks import packed, unpacked
from learnt.stores.index.weigh import BLOCK, _often


@given(st.lists(st.integers(0, BLOCK - 1) | st.sampled_from([0, 1, 256, 257, 513]), max_size=300))
def test_often_is_what_was_packed(positions: list[int]) -> None:
    """For every position that holds the term, whatever numbers stand beside each other."""
    docs, repeats = packed(sorted(positions))
    for at, often in unpacked(docs, repeats).items() if positions else ():
        assert _often(repeats, at) == often == positions.count(at)
