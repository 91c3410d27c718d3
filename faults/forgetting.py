"""F1: what was forgotten and compacted is in no file, over random histories."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import Tally
from learnt.forget.closure import closure
from learnt.model.forget import Forgotten, kin_of
from tests.forget.history import History

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faults.verdict import Scale, Verdict


def verdicts(scale: Scale) -> Iterator[Verdict]:
    """Random memories that hang on one another; one of them forgotten."""
    tally = Tally("F1", "a memory forgotten, then compacted, in random histories: no 12 bytes of it in any file")
    for seed in range(scale.histories):
        folder = Path(tempfile.mkdtemp(prefix="faults-"))
        tally.tried += 1
        _one(tally, folder, seed)
        shutil.rmtree(folder)
    yield tally.verdict()


def _one(tally: Tally, folder: Path, seed: int) -> None:
    history = History(folder, seed)
    history.fill()
    before = {memory.id: memory for memory in history.all()}
    target = history.chance.choice(sorted(before))
    expected = closure([target], {name: kin_of(memory) for name, memory in before.items()})
    done = history.engine.forget([target])
    if not isinstance(done, Forgotten):
        tally.expect(False, f"history {seed}: refused: {done.code}")
        return
    tally.expect(set(done.deleted) == set(expected.deleted), f"history {seed}: not what hangs on it went")
    tally.expect(set(done.restored) == set(expected.restored), f"history {seed}: not what it held back came back")
    history.engine.compact(confirm=True)
    left = history.all()
    history.engine.close()
    gone = history.gone(done.deleted, before, left)
    held = list(history.files())
    found = [piece for piece in sorted(gone) if any(piece in each for each in held)]
    tally.expect(not found, f"history {seed}: {len(found)} pieces are left")
