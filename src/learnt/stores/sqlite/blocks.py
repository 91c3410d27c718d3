"""Blocks of the full text: 2,048 memories of a scope each, made when full, kept current afterwards.

FTS5 is quick to write and slow to rank in a large scope: a row it matched costs a microsecond or more, and a prompt
matches half of them. A block says for each term which of its memories hold it, so a scope is ranked with a few
operations on long bit sets. Making a block costs some 40 ms once in 2,048 writes; a memory in a full block that
changes costs one small update a term.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from struct import pack, unpack
from typing import TYPE_CHECKING

from learnt.stores.sqlite.bits import positions
from learnt.stores.sqlite.narrow import BITS_BYTES, BLOCK, SQL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.stores.sqlite.connection import Connection

_SPARSE = 48
_LONGEST = 65_535


def note(connection: Connection, number: int, row: int, old: str, new: str, *, known: bool) -> None:
    """Keep the blocks current after a memory's indexed terms went from `old` to `new`; inside its transaction.

    Args:
        row: The memory's row, scope number in the upper half.
        old: Its terms as they were in `memory_fts`, each with the scope's prefix; "" while not active.
        known: The memory is not new: what others remember of the scope's terms no longer holds.
    """
    if old == new:
        return
    sequence = row & 0xFFFFFFFF
    full = int((connection.row(SQL["blocks"], (number,)) or (0,))[0])
    if known:
        connection.write(SQL["changed"], (number,))
    if sequence < full * BLOCK:
        _amend(connection, number, sequence, _bare(old, number), _bare(new, number))
    elif (sequence + 1) % BLOCK == 0:
        close(connection, number, (sequence + 1) // BLOCK)


def close(connection: Connection, number: int, blocks: int) -> None:
    """Make the blocks of a scope that are full and not made yet, up to `blocks` of them in all."""
    full = int((connection.row(SQL["blocks"], (number,)) or (0,))[0])
    for block in range(full, blocks):
        _make(connection, number, block)
    if blocks > full:
        connection.write(SQL["closed"], {"no": number, "blocks": blocks})


def _bare(terms: str, number: int) -> list[str]:
    """Terms without the scope's prefix."""
    skip = len(str(number)) + 1
    return [term[skip:] for term in terms.split()]


def _make(connection: Connection, number: int, block: int) -> None:
    first = (number << 32) | (block * BLOCK)
    held: defaultdict[str, list[int]] = defaultdict(list)
    lengths = [0] * BLOCK
    for row, terms in connection.rows(SQL["tail_terms"], {"first": first, "end": first + BLOCK}):
        position = int(row) - first
        bare = _bare(str(terms), number)
        lengths[position] = min(len(bare), _LONGEST)
        for term in bare:
            held[term].append(position)
    postings = ((number, term, block, *packed(positions)) for term, positions in sorted(held.items()))
    connection.write_many(SQL["put_posting"], postings)
    connection.write(SQL["put_lengths"], (number, block, pack(f"<{BLOCK}H", *lengths)))


def packed(positions_: Sequence[int]) -> tuple[bytes, bytes]:
    """Positions (with repeats) as the columns `docs` and `repeats`."""
    held, repeats = dict.fromkeys(positions_), b""
    if len(held) < len(positions_):
        counts = sorted(Counter(positions_).items())
        repeats = b"".join(pack("<HH", at, min(often, _LONGEST)) for at, often in counts if often > 1)
    if len(held) < _SPARSE:
        return pack(f"<{len(held)}H", *sorted(held)), repeats
    bits = bytearray(BITS_BYTES)
    for at in held:
        bits[at >> 3] |= 1 << (at & 7)
    return bytes(bits), repeats


def unpacked(docs: bytes, repeats: bytes) -> dict[int, int]:
    """How often each position holds the term."""
    held = positions(int.from_bytes(docs, "little"), BLOCK) if len(docs) == BITS_BYTES else _numbers(docs)
    counts = dict.fromkeys(held, 1)
    pairs = _numbers(repeats)
    counts.update(zip(pairs[::2], pairs[1::2], strict=True))
    return counts


def amended(docs: bytes, repeats: bytes, position: int, often: int) -> tuple[bytes, bytes]:
    """The columns with the term `often` times (0: not at all) at one position; a list that grew long becomes bits."""
    pairs = _numbers(repeats)
    kept = [pair for pair in zip(pairs[::2], pairs[1::2], strict=True) if pair[0] != position]
    if often > 1:
        kept = sorted([*kept, (position, min(often, _LONGEST))])
    repeated = b"".join(pack("<HH", *pair) for pair in kept)
    if len(docs) == BITS_BYTES:
        bits = bytearray(docs)
        bit = 1 << (position & 7)
        bits[position >> 3] = bits[position >> 3] | bit if often else bits[position >> 3] & ~bit
        return bytes(bits) if any(bits) else b"", repeated
    held = sorted({*_numbers(docs)} - {position} | ({position} if often else set()))
    if len(held) >= 2 * _SPARSE:
        return sum(1 << at for at in held).to_bytes(BITS_BYTES, "little"), repeated
    return pack(f"<{len(held)}H", *held), repeated


def _numbers(packed_: bytes) -> tuple[int, ...]:
    return unpack(f"<{len(packed_) // 2}H", packed_)


def _amend(connection: Connection, number: int, sequence: int, old: list[str], new: list[str]) -> None:
    block, position = divmod(sequence, BLOCK)
    counts = Counter(new)
    was = Counter(old)
    for term in sorted(was.keys() | counts.keys()):
        if was[term] == counts[term]:
            continue
        held = connection.row(SQL["posting"], (number, term, block)) or (b"", b"")
        docs, repeats = amended(held[0], held[1], position, counts[term])
        if docs:
            connection.write(SQL["put_posting"], (number, term, block, docs, repeats))
        else:
            connection.write(SQL["drop_posting"], (number, term, block))
    row = connection.row(SQL["block_lengths"], (number, block))
    lengths = bytearray(row[0] if row else bytes(2 * BLOCK))
    lengths[2 * position : 2 * position + 2] = pack("<H", min(len(new), _LONGEST))
    connection.write(SQL["put_lengths"], (number, block, bytes(lengths)))
