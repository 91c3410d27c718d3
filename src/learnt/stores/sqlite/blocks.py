"""Blocks of the full text: 2,048 memories of a scope each, made when full, kept current afterwards.

FTS5 is quick to write and slow to rank in a large scope: a row it matched costs a microsecond or more, and a prompt
matches half of them. A block says for each term which of its memories hold it, so a scope is ranked with a few
operations on long bit sets. Making a block costs some 40 ms once in 2,048 writes; a memory in a full block that
changes costs one small update a term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.stores.index.blocks import Block, amended, changed, relengthed
from learnt.stores.index.narrow import BLOCK
from learnt.stores.sqlite.narrow import SQL

if TYPE_CHECKING:
    from learnt.stores.sqlite.connection import Connection


def note(
    connection: Connection, number: int, row: int, old: str, new: str, *, known: bool, full: int | None = None
) -> None:
    """Keep the blocks current after a memory's indexed terms went from `old` to `new`; inside its transaction.

    Args:
        row: The memory's row, scope number in the upper half.
        old: Its terms as they were in `memory_fts`, each with the scope's prefix; "" while not active.
        known: The memory is not new: what others remember of the scope's terms no longer holds.
        full: How many full blocks the scope has, where that is known.
    """
    if old == new:
        return
    sequence = row & 0xFFFFFFFF
    if full is None:
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
    rows = connection.rows(SQL["tail_terms"], {"first": first, "end": first + BLOCK})
    made = Block((int(row) - first, _bare(str(terms), number)) for row, terms in rows)
    postings = ((number, term, block, docs, repeats) for term, docs, repeats in made.postings())
    connection.write_many(SQL["put_posting"], postings)
    connection.write(SQL["put_lengths"], (number, block, made.lengths))


def _amend(connection: Connection, number: int, sequence: int, old: list[str], new: list[str]) -> None:
    block, position = divmod(sequence, BLOCK)
    for term, often in changed(old, new).items():
        held = connection.row(SQL["posting"], (number, term, block)) or (b"", b"")
        docs, repeats = amended(held[0], held[1], position, often)
        if docs:
            connection.write(SQL["put_posting"], (number, term, block, docs, repeats))
        else:
            connection.write(SQL["drop_posting"], (number, term, block))
    row = connection.row(SQL["block_lengths"], (number, block))
    connection.write(SQL["put_lengths"], (number, block, relengthed(row[0] if row else b"", position, len(new))))
