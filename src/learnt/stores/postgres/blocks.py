"""Blocks of the full text: 2,048 memories of a scope each, made when full, kept current afterwards.

Rows after the last full block are read as they are: there are at most 2,047. Tried and rejected: a tsvector with GIN
for these (behind row-level security no condition on it can use an index, because `@@` is not leakproof), and postings
of single memories in a table (thirty more rows a write, deleted again when their block is full).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.stores.index.blocks import Block, amended, changed, packed_length
from learnt.stores.index.narrow import BLOCK
from learnt.stores.postgres.statements import load

if TYPE_CHECKING:
    from learnt.stores.postgres.connection import Connection

SQL = load("lexicon")


def note(connection: Connection, number: int, row: int, blocks: int, old: str, new: str) -> None:
    """Keep the blocks current after a memory's terms went from `old` to `new`; inside its transaction.

    Args:
        row: The memory's row, scope number in the upper half.
        blocks: How many full blocks the scope has.
        old: Its terms as they were; "" while not active.
    """
    sequence = row & 0xFFFFFFFF
    if old == new:
        return
    if sequence < blocks * BLOCK:
        _amend(connection, number, sequence, old.split(), new.split())
    elif (sequence + 1) % BLOCK == 0:
        close(connection, number, blocks, (sequence + 1) // BLOCK)


def close(connection: Connection, number: int, full: int, blocks: int) -> None:
    """Make the blocks of a scope from number `full` on, so that there are `blocks` in all."""
    for block in range(full, blocks):
        _make(connection, number, block)
    connection.write(SQL["closed"], {"scope": number, "blocks": blocks})


def _make(connection: Connection, number: int, block: int) -> None:
    first = (number << 32) | (block * BLOCK)
    rows = connection.rows(SQL["tail_terms"], {"first": first, "end": first + BLOCK})
    made = Block((row - first, terms.split(" ")) for row, terms in rows)
    terms, docs, repeats = map(list, zip(*made.postings(), strict=True)) if rows else ([], [], [])
    place = {"scope": number, "block": block}
    connection.write(SQL["put_postings"], {**place, "terms": terms, "docs": docs, "repeats": repeats})
    connection.write(SQL["put_lengths"], {**place, "lengths": made.lengths})


def _amend(connection: Connection, number: int, sequence: int, old: list[str], new: list[str]) -> None:
    block, position = divmod(sequence, BLOCK)
    counts = changed(old, new)
    place = {"scope": number, "block": block}
    rows = connection.rows(SQL["postings"], {**place, "terms": list(counts)})
    held = {term: (docs, repeats) for term, docs, repeats in rows}
    now = {term: amended(*held.get(term, (b"", b"")), position, often) for term, often in counts.items()}
    kept = {term: pair for term, pair in now.items() if pair[0]}
    columns = {"docs": [docs for docs, _ in kept.values()], "repeats": [repeats for _, repeats in kept.values()]}
    if kept:
        connection.write(SQL["put_postings"], {**place, "terms": list(kept), **columns})
    if gone := [term for term in held if term not in kept]:
        connection.write(SQL["drop_postings"], {**place, "terms": gone})
    connection.write(SQL["relength"], {**place, "at": 2 * position + 1, "length": packed_length(len(new))})
