"""The tree over events, and proofs that come from strangers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.audit.tree import EMPTY, Peaks, consistency, continues, includes, inclusion, leaf, node, split

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def hashed(leaves: Sequence[bytes]) -> bytes:
    """The root as RFC 6962 writes it down."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else EMPTY
    middle = split(len(leaves))
    return node(hashed(leaves[:middle]), hashed(leaves[middle:]))


def grown(size: int, name: str = "") -> list[bytes]:
    """The hashes of so many leaves."""
    return [leaf(f"{name}{number}".encode()) for number in range(size)]


def over(leaves: Sequence[bytes]) -> Callable[[int, int], bytes]:
    """What gives the hash of a subtree."""
    return lambda low, high: hashed(leaves[low:high])


def flipped(proof: Sequence[bytes], at: int, bit: int) -> list[bytes]:
    """A proof with one bit turned."""
    spoiled = bytearray(proof[at])
    spoiled[bit // 8] ^= 1 << bit % 8
    return [*proof[:at], bytes(spoiled), *proof[at + 1 :]]


def test_the_roots_are_those_of_the_standard() -> None:
    """The eight leaves that implementations of RFC 6962 are compared by."""
    given = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    tree = Peaks()
    for each in given:
        tree.add(leaf(bytes.fromhex(each)))
    assert EMPTY.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert leaf(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert tree.root().hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


@given(size=st.integers(0, 300))
def test_a_tree_grows_to_the_root_of_its_leaves(size: int) -> None:
    """Leaf by leaf or at once."""
    tree = Peaks()
    for each in grown(size):
        tree.add(each)
    assert (tree.size, tree.root()) == (size, hashed(grown(size)))
    assert Peaks(size, tree.hashes).root() == tree.root()


def test_peaks_belong_to_a_size() -> None:
    """Another number of them is no tree."""
    with pytest.raises(ValueError, match="peaks"):
        Peaks(3, [EMPTY])


@given(data=st.data(), size=st.integers(1, 200))
def test_a_leaf_is_shown_at_its_place_and_nowhere_else(data: st.DataObject, size: int) -> None:
    """A proof holds for one leaf, one place, one size, one root."""
    index = data.draw(st.integers(0, size - 1))
    leaves = grown(size)
    root, proof = hashed(leaves), inclusion(index, size, over(leaves))
    assert len(proof) <= size.bit_length()
    assert includes(root, size, index, leaves[index], proof)
    other = data.draw(st.integers(-2, size + 2))
    if other != index:
        assert not includes(root, size, other, leaves[index], proof)
    assert not includes(root, size, index, leaf(b"another"), proof)
    assert not includes(EMPTY, size, index, leaves[index], proof)


@given(data=st.data(), size=st.integers(2, 200))
def test_a_spoiled_proof_shows_nothing(data: st.DataObject, size: int) -> None:
    """Bits turned, parts left out, added, swapped, of another length."""
    index = data.draw(st.integers(0, size - 1))
    leaves = grown(size)
    root, proof = hashed(leaves), inclusion(index, size, over(leaves))
    at = data.draw(st.integers(0, len(proof) - 1))
    spoiled = [
        flipped(proof, at, data.draw(st.integers(0, 255))),
        [*proof[:at], *proof[at + 1 :]],
        [*proof, EMPTY],
        [EMPTY, *proof],
        [*proof[:at], proof[at][:-1], *proof[at + 1 :]],
        [*proof[:at], root, *proof[at:]],
    ]
    assert not any(includes(root, size, index, leaves[index], each) for each in spoiled)


@given(data=st.data(), size=st.integers(1, 200))
def test_an_older_tree_is_shown_to_be_the_beginning(data: st.DataObject, size: int) -> None:
    """And one with another beginning is not."""
    old = data.draw(st.integers(0, size))
    leaves = grown(size)
    proof = consistency(old, size, over(leaves))
    assert continues(hashed(leaves[:old]), old, hashed(leaves), size, proof)
    if old:
        forked = [*leaves[: old - 1], leaf(b"another")]
        assert not continues(hashed(forked), old, hashed(leaves), size, proof)
        other = [leaf(b"another"), *leaves[1:]]
        assert not continues(hashed(leaves[:old]), old, hashed(other), size, consistency(old, size, over(other)))


@given(data=st.data(), size=st.integers(2, 200))
def test_a_spoiled_proof_of_growth_shows_nothing(data: st.DataObject, size: int) -> None:
    """Bits turned, parts left out, added, swapped, sizes shifted."""
    old = data.draw(st.integers(1, size - 1))
    leaves = grown(size)
    before, root, proof = hashed(leaves[:old]), hashed(leaves), consistency(old, size, over(leaves))
    at = data.draw(st.integers(0, len(proof) - 1))
    spoiled = [
        flipped(proof, at, data.draw(st.integers(0, 255))),
        [*proof[:at], *proof[at + 1 :]],
        [*proof, EMPTY],
        [before, *proof],
        [],
    ]
    assert not any(continues(before, old, root, size, each) for each in spoiled)
    assert not continues(root, old, before, size, proof)
    assert not continues(before, old - 1, root, size, proof)
    assert not continues(before, size, root, size, proof)
    assert not continues(before, old, root, old - 1, proof)


@given(st.binary(max_size=40), st.integers(-3, 40), st.integers(-3, 40), st.lists(st.binary(max_size=40), max_size=8))
def test_any_input_is_answered(root: bytes, one: int, other: int, proof: list[bytes]) -> None:
    """Nothing that comes from outside can do more than not hold."""
    assert not includes(root, one, other, root, proof) or (one, other, proof) == (1, 0, [])
    if (one, root) != (other, root):
        assert not continues(root, one, leaf(root), other, proof)
