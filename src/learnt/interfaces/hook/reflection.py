"""What a starting session is told of outcomes: named by the digest, read from the store.

The file only says which memories to name and what became of them. Their texts come from the rows, so that what was
forgotten, retired or not cleared since the digest was made is not shown, whatever the file holds.
"""

from __future__ import annotations

import os

from learnt.gate.clearance import PATTERN_SET
from learnt.inject.reflection import chosen, render
from learnt.interfaces.hook.known import Known, allowed, memory_of
from learnt.model.keys import collapse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from learnt.interfaces.hook.pinned import Looks
    from learnt.interfaces.hook.receipt import Offer
    from learnt.interfaces.hook.visit import Visit

MAX_BYTES = 256 * 1024
"""Source: swarm-memory seed, reflection; a test holds it equal to what is written."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_TYPE, _REGULAR = 0o170000, 0o100000


def add(visit: Visit, made: Offer, path: str, given: Collection[str], looks: Looks, max_chars: int) -> list[str]:
    """Add the block to an offer; gives the memories it is about that were not in the offer yet.

    Args:
        path: The digest.
        given: What this context was given before; it is not named again. `max_chars`: of the whole offer.
    """
    text = _read(path)
    if not text:
        return []
    rows = visit.rows("reflected", {"text": text, "pattern_set": PATTERN_SET})
    shown = frozenset(made.ids)
    met: dict[str, str | None] = {}

    def text_of(name: str) -> str | None:
        if name in given:
            return None
        if name not in met:
            met[name] = "" if name in shown else _text(visit, looks, name)
        return met[name]

    lines = chosen(rows, text_of)
    room = max_chars - len(made.text) - 2
    block, ids = render(lines, bundle_id=made.bundle, marker=made.marker, max_chars=room) if room > 0 else ("", [])
    if block:
        made.text += ("\n\n" if made.text else "") + block
    return [name for name in ids if name not in shown]


def _text(visit: Visit, looks: Looks, name: str) -> str | None:
    """The text of a memory that may be shown at a start."""
    known = _known(visit, name)
    if known is None or known.trust == "external" or not allowed(visit, known) or not known.stands(looks):
        return None
    return collapse(known.text)


def _known(visit: Visit, name: str) -> Known | None:
    for scope in visit.scopes:
        row = visit.row("warning", (name, scope.no))
        if row is not None:
            return memory_of(row, scope)
    return None


def _read(path: str) -> str:
    """The digest; "" where there is none, or no plain file of a fit size."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError:
        return ""
    try:
        facts = os.fstat(handle)
        if facts.st_mode & _TYPE != _REGULAR or facts.st_size > MAX_BYTES:
            return ""
        return os.read(handle, MAX_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return ""
    finally:
        os.close(handle)
