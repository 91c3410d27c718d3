"""Signatures that one key makes once: LM-OTS with SHA-256, n = 32, w = 4 (RFC 8554, section 4; NIST SP 800-208).

They need nothing but a hash, so no library; and nobody who holds the public key can sign. A key must sign one message
only: two signatures by one key tell enough of it to forge others. `learnt.audit.signer` sees to that.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final

TYPE: Final = 3
"""LMOTS_SHA256_N32_W4."""

_N, _W, _P = 32, 4, 67
_LAST = (1 << _W) - 1
_SHIFT = 4
_SUM_BYTES = 2
SIGNATURE_BYTES: Final = 4 + _N + _P * _N


def _secret(place: bytes, seed: bytes, chain: int) -> bytes:
    """The start of one chain (RFC 8554, appendix A)."""
    return sha256(place + chain.to_bytes(2, "big") + b"\xff" + seed).digest()


def _advanced(place: bytes, chain: int, value: bytes, begin: int, end: int) -> bytes:
    """`value` hashed along its chain from one step up to another."""
    head = place + chain.to_bytes(2, "big")
    for step in range(begin, end):
        value = sha256(head + bytes((step,)) + value).digest()
    return value


def _place(name: bytes, number: int) -> bytes:
    if len(name) != 16:
        raise ValueError("the name of a signer has 16 bytes")
    return name + number.to_bytes(4, "big")


def _steps(digest: bytes) -> list[int]:
    """How far each chain goes: the digits of the digest, then of what is left over, so that none can only be raised."""
    digits = [half for byte in digest for half in (byte >> 4, byte & 15)]
    left = sum(_LAST - digit for digit in digits) << _SHIFT
    return [*digits, *(half for byte in left.to_bytes(_SUM_BYTES, "big") for half in (byte >> 4, byte & 15))][:_P]


def _hashed(place: bytes, salt: bytes, message: bytes) -> bytes:
    return sha256(place + b"\x81\x81" + salt + message).digest()


def public(name: bytes, number: int, seed: bytes) -> bytes:
    """The public key, 32 bytes, of the key numbered `number` of a signer; some 1,000 hashes."""
    place = _place(name, number)
    ends = b"".join(_advanced(place, at, _secret(place, seed, at), 0, _LAST) for at in range(_P))
    return sha256(place + b"\x80\x80" + ends).digest()


def sign(name: bytes, number: int, seed: bytes, message: bytes) -> bytes:
    """The signature. The salt is made from seed and message, so that the same message has the same signature."""
    place = _place(name, number)
    salt = hmac.digest(seed, b"learnt salt\0" + place + message, "sha256")
    steps = _steps(_hashed(place, salt, message))
    parts = (_advanced(place, at, _secret(place, seed, at), 0, to) for at, to in enumerate(steps))
    return TYPE.to_bytes(4, "big") + salt + b"".join(parts)


def signed_by(name: bytes, number: int, message: bytes, signature: bytes) -> bytes:
    """The public key under which a signature is right; of a signature that no key made it is one that nobody has.

    Any input is safe: what has not the form of a signature gives b"".
    """
    if len(signature) != SIGNATURE_BYTES or signature[:4] != TYPE.to_bytes(4, "big") or len(name) != 16:
        return b""
    place, salt = _place(name, number), signature[4 : 4 + _N]
    steps = _steps(_hashed(place, salt, message))
    ends = b"".join(
        _advanced(place, at, signature[4 + _N + at * _N : 4 + _N * 2 + at * _N], begin, _LAST)
        for at, begin in enumerate(steps)
    )
    return sha256(place + b"\x80\x80" + ends).digest()
