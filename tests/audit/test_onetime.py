"""One-time signatures."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from learnt.audit.onetime import SIGNATURE_BYTES, public, sign, signed_by

NAME = bytes.fromhex("d08fabd4a2091ff0a8cb4ed834e74534")
SEED = bytes.fromhex("558b8966c48ae9cb898b423c83443aae014a72f1b1ab5cc85cf1d892903b5439")
ROOT = "32a58885cd9ba0431235466bff9651c6c92124404d45fa53cf161c28f1ad5a8e"


def test_the_keys_are_those_of_the_standard() -> None:
    """1,024 public keys under a tree of LMS give the root of RFC 8554, appendix F, test case 2."""
    leaves = 1 << 10

    def place(at: int) -> bytes:
        return NAME + at.to_bytes(4, "big")

    level = [sha256(place(leaves + q) + b"\x82\x82" + public(NAME, q, SEED)).digest() for q in range(leaves)]
    while len(level) > 1:
        first = len(level) // 2
        level = [
            sha256(place(first + at) + b"\x83\x83" + level[2 * at] + level[2 * at + 1]).digest() for at in range(first)
        ]
    assert level[0].hex() == ROOT


@given(message=st.binary(max_size=200), number=st.integers(0, 2**32 - 1))
def test_a_signature_gives_its_public_key(message: bytes, number: int) -> None:
    """Whoever holds the public key can tell."""
    signature = sign(NAME, number, SEED, message)
    assert signed_by(NAME, number, message, signature) == public(NAME, number, SEED)


@given(at=st.integers(0, SIGNATURE_BYTES - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_gives_another_key(at: int, bit: int) -> None:
    """Wherever it is."""
    signature = bytearray(sign(NAME, 3, SEED, b"said"))
    signature[at] ^= 1 << bit
    assert signed_by(NAME, 3, b"said", bytes(signature)) != public(NAME, 3, SEED)


def test_another_message_number_or_signer_gives_another_key() -> None:
    """A signature is for one message by one key."""
    signature, key = sign(NAME, 3, SEED, b"said"), public(NAME, 3, SEED)
    other = bytes(reversed(NAME))
    assert key not in {
        signed_by(NAME, 3, b"sai", signature),
        signed_by(NAME, 4, b"said", signature),
        signed_by(other, 3, b"said", signature),
    }


@given(signature=st.binary(max_size=3_000))
def test_what_is_no_signature_is_refused(signature: bytes) -> None:
    """Any bytes may be given."""
    assert signed_by(NAME, 3, b"said", signature) != public(NAME, 3, SEED)
