"""Nothing of a forgotten text is left in any file, over random histories (bar F1 of the security reference)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from learnt.forget.closure import closure
from learnt.model.answer import Written
from learnt.model.forget import Forgotten, kin_of
from learnt.testing import samples
from tests.forget.history import History, pieces

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("seed", range(8))
def test_no_piece_is_left(tmp_path: Path, seed: int) -> None:
    """After forget and compact no twelve bytes of it are in any file; the closure is the model's."""
    history = History(tmp_path, seed)
    history.fill()
    before = {memory.id: memory for memory in history.all()}
    target = history.chance.choice(sorted(before))
    family = {name: kin_of(memory) for name, memory in before.items()}
    expected = closure([target], family)
    done = history.engine.forget([target])
    assert isinstance(done, Forgotten)
    assert (set(done.deleted), set(done.restored)) == (set(expected.deleted), set(expected.restored))
    history.engine.compact(confirm=True)
    left = {memory.id: memory for memory in history.all()}
    assert not set(left) & set(done.deleted)
    assert {before[name].status for name in set(before) - set(left) - set(done.deleted)} <= {"superseded", "deleted"}
    assert all(left[name].status == "active" for name in done.restored)
    history.engine.close()
    gone = history.gone(done.deleted, before, left.values())
    held = list(history.files())
    assert not [piece for piece in sorted(gone) if any(piece in each for each in held)][:3]


def test_out_of_a_full_block(tmp_path: Path) -> None:
    """In a scope large enough for blocks of full text its words leave these too."""
    history = History(tmp_path, 1)
    first = history.engine.remember("Seed.", kind="lesson")
    assert isinstance(first, Written)
    scope = first.memory.scope
    texts = [history.words() for _ in range(2_100)]
    with history.means.store.transaction():
        for text in texts:
            history.means.store.memories.put(samples.memory(scope, text))
    doomed = samples.memory(scope, texts[77])
    assert isinstance(history.engine.forget([doomed.id]), Forgotten)
    history.engine.compact(confirm=True)
    history.engine.close()
    held = list(history.files())
    assert not [piece for piece in sorted(pieces(texts[77])) if any(piece in each for each in held)]
    assert any(texts[78].encode() in each for each in held)
