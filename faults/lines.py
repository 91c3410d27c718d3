"""C3, a store of lines: its last transaction cut at every byte."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from learnt.model.filter import MemoryFilter
from learnt.model.scope import Sight
from learnt.stores.jsonl.log import FILE
from learnt.stores.jsonl.rows import is_whole
from learnt.stores.jsonl.store import JsonlStore
from learnt.testing import samples
from learnt.testing.fakes import NOON, FixedClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.verdict import Scale, Verdict

_SCOPE = samples.repository("lines")
_SIGHT = Sight((_SCOPE,))


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Cut anywhere in the last transaction: it counts for nothing, is told of where a line is torn, and stays there."""
    tally = Tally("C3", "the file of a store of lines cut at every byte of its last transaction")
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    file = folder / FILE
    _put(folder, "One.")
    begun = file.stat().st_size
    _put(folder, "Two.")
    whole = file.read_bytes()
    for length in range(begun, len(whole), scale.every):
        tally.tried += 1
        for wrong in _cut(folder, whole, length):
            tally.expect(False, f"cut at {length}: {wrong}")
    shutil.rmtree(folder)
    yield tally.verdict("the torn line is told of as unreadable, and kept in the file until it is written anew")


def _cut(folder: Path, whole: bytes, length: int) -> Iterator[str]:
    file = folder / FILE
    file.write_bytes(whole[:length])
    torn = whole[:length].rpartition(b"\n")[2]
    committed = length >= len(whole) - 1  # the end of the last line alone is missing
    if (held := _texts(folder)) != ({"One.", "Two."} if committed else {"One."}):
        yield f"holds {held}"
    with closing(_opened(folder)) as store:
        told = bool(store.meta.gaps().get("unreadable"))
    if told != (bool(torn) and not is_whole(torn)):
        yield f"a torn line of {len(torn)} bytes was {'told of' if told else 'passed over'}"
    _put(folder, "Three.")
    if _texts(folder) != (held | {"Three."}):
        yield "writes do not go on"
    if not file.read_bytes().startswith(whole[:length]):
        yield "something was cut off"
    with closing(_opened(folder)) as store:
        store.upkeep.shrink()
        if store.meta.gaps():
            yield "written anew, something is torn"
    if _texts(folder) != (held | {"Three."}):
        yield "written anew, it holds something else"


def _opened(folder: Path) -> JsonlStore:
    return JsonlStore(folder, now=FixedClock().now)


def _put(folder: Path, text: str) -> None:
    with closing(_opened(folder)) as store, store.transaction():
        store.memories.put(samples.memory(_SCOPE, text))
        store.events.append(samples.event(ord(text[0]) + ord(text[1])))


def _texts(folder: Path) -> set[str]:
    with closing(_opened(folder)) as store:
        return {memory.text for memory in store.memories.page(_SIGHT, MemoryFilter(), NOON).values}
