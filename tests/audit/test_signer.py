"""Keys that move on, and statements that come from strangers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learnt.audit.signer import Signer, checkpoint, evolved
from learnt.audit.statement import VERSION, anchored, is_signed, largest_cut, line, read, stated
from learnt.audit.tree import Peaks, leaf

NAME, SECRET = bytes(range(16)), b"s" * 32
HASH = leaf(b"x").hex()
AT = "2026-05-24T12:00:00.000Z"


def signed(signer: Signer, size: int = 9, cut: int = 0) -> tuple[str, str]:
    """A statement and its signature."""
    removed = (cut, HASH, HASH) if cut else (0, "", "")
    statement, signature = signer.sign(log="ab12", size=size, root=HASH, head=HASH, at=AT, cut=removed)
    return statement.text, signature


@given(steps=st.integers(1, 6))
def test_each_key_vouches_for_the_next(steps: int) -> None:
    """From the first public key on the whole line can be followed, and no key signs twice."""
    signer = Signer.new(NAME, SECRET)
    expected, met = signer.first.hex(), set()
    for epoch in range(steps):
        statement = read(signed(signer)[0])
        assert statement is not None
        assert (statement.epoch, statement.key) == (epoch, expected)
        met.add(statement.key)
        expected, signer = statement.next, signer.after(epoch)
    assert len(met) == steps


@given(secret=st.binary(min_size=32, max_size=32), steps=st.integers(1, 5))
def test_the_past_cannot_be_worked_out(secret: bytes, steps: int) -> None:
    """What a thief of today's secret holds signs neither as an earlier epoch nor is it an earlier secret."""
    signer = Signer.new(NAME, secret)
    now = signer.after(steps - 1)
    assert now.epoch == steps
    assert now.secret not in {secret, *(signer.after(epoch).secret for epoch in range(steps - 1))}
    pretended = replace(now, epoch=0)
    assert pretended.public != signer.first
    assert now.after(0) == now
    assert evolved(now.secret) == now.after(steps).secret


def test_fresh_randomness_goes_on_under_the_same_name() -> None:
    """A rotation is signed by the key before it, and nothing of that key leads to the next."""
    signer = Signer.new(NAME, SECRET)
    fresh, public = signer.renewed(b"f" * 32)
    statement, signature = signer.sign(log="a", size=1, root=HASH, head=HASH, at=AT, cut=(0, "", ""), then=public)
    assert is_signed(statement, signature)
    assert (statement.next, fresh.epoch) == (fresh.public.hex(), 1)
    assert fresh.public != signer.after(0).public


def test_a_checkpoint_says_what_its_columns_say() -> None:
    """Whoever changes a column or the statement has no checkpoint any more."""
    statement, signature = Signer.new(NAME, SECRET).sign(log="a", size=3, root=HASH, head=HASH, at=AT, cut=(0, "", ""))
    tree = Peaks()
    for number in range(3):
        tree.add(leaf(bytes([number])))
    held = checkpoint(statement, signature, tree.hashes, [])
    assert stated(held) == statement
    other = statement.text.replace('"size":3', '"size":4')
    spoiled = [
        replace(held, size=4),
        replace(held, epoch=1),
        replace(held, cut=1),
        replace(held, installation="0" * 32),
        replace(held, statement=other),
        replace(held, statement=other, size=4),
        replace(held, signature=held.signature[:-2] + "00"),
        replace(held, signature="no hex"),
    ]
    assert not any(map(stated, spoiled))


def test_a_line_of_an_anchor_is_read_back() -> None:
    """With its proof of growth, for whoever keeps the anchor."""
    text, signature = signed(Signer.new(NAME, SECRET))
    statement = read(text)
    assert statement is not None
    found = anchored(line(checkpoint(statement, signature, [leaf(b"1"), leaf(b"2")], []), ("aa",)))
    assert found is not None
    assert (found.statement, found.signed) == (statement, True)
    forged = anchored(json.dumps({"statement": {**json.loads(text), "size": 99}, "signature": signature}))
    assert forged is not None
    assert not forged.signed


@given(st.one_of(st.text(max_size=200), st.binary(max_size=200).map(lambda raw: raw.decode("latin-1"))))
def test_any_line_is_answered(text: str) -> None:
    """An anchor may hold what others put there."""
    assert read(text) is None
    found = anchored(text)
    assert found is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("size", -1),
        ("size", True),
        ("size", "9"),
        ("size", 1 << 70),
        ("root", "ab"),
        ("root", None),
        ("head", HASH.upper()),
        ("key", [1]),
        ("next", {}),
        ("epoch", 1 << 40),
        ("cut", 10),
        ("installation", "zz"),
        ("version", VERSION + 1),
        ("log", 5),
        ("at", 7),
        ("more", 1),
    ],
)
def test_what_is_no_statement_is_refused(field: str, value: object) -> None:
    """Types, lengths, bounds, and keys that nobody knows."""
    found = json.loads(signed(Signer.new(NAME, SECRET))[0])
    assert read(json.dumps({**found, field: value}, sort_keys=True, separators=(",", ":"))) is None
    assert read("[" * 100_000) is None


def test_who_was_not_met_removes_nothing() -> None:
    """An installation that somebody invented does not say what was cut, where others are known."""
    statement, signature = Signer.new(NAME, SECRET).sign(
        log="a", size=9, root=HASH, head=HASH, at=AT, cut=(4, HASH, HASH)
    )
    held = checkpoint(statement, signature, [leaf(b"1"), leaf(b"2")], [leaf(b"3")])
    assert largest_cut([held], {}) == (held, statement)
    assert largest_cut([held], {statement.installation: (0, "")}) == (held, statement)
    assert largest_cut([held], {"0" * 32: (0, "")}) is None
    assert largest_cut([replace(held, signature="00")], {}) is None
