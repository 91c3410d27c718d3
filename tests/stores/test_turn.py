"""The turn to write: a courtesy that nobody's write depends on."""

from __future__ import annotations

import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

from learnt.model.scope import Sight
from learnt.stores.sqlite.store import SqliteStore
from learnt.stores.sqlite.turn import Turn
from learnt.testing import samples
from learnt.testing.fakes import FixedClock

if TYPE_CHECKING:
    from pathlib import Path


def test_one_has_the_turn(tmp_path: Path) -> None:
    """The other waits its time and goes on without; given back, it is there for the next."""
    one, other = Turn(str(tmp_path)), Turn(str(tmp_path))
    one.take(1.0)
    other.take(0.01)
    assert (one._held, other._held) == (True, False)
    other.give()
    one.give()
    other.take(0.01)
    assert other._held
    for each in (one, other, one):
        each.close()


def test_a_holder_that_dies_gives_it_back(tmp_path: Path) -> None:
    """Whatever ends a process ends its turn."""
    child = os.fork()
    if child == 0:
        Turn(str(tmp_path)).take(0.1)
        os._exit(0)
    os.waitpid(child, 0)
    turn = Turn(str(tmp_path))
    turn.take(0.0)
    assert turn._held
    turn.close()


def test_where_there_is_none_nobody_waits(tmp_path: Path) -> None:
    """A folder that cannot be opened has no turns."""
    turn = Turn(str(tmp_path / "missing"))
    begun = time.monotonic()
    turn.take(30.0)
    turn.give()
    turn.close()
    assert time.monotonic() - begun < 15


def test_a_write_goes_on_without_the_turn(tmp_path: Path) -> None:
    """Somebody who keeps it keeps nobody from writing."""
    with closing(SqliteStore.open(tmp_path / "m.db", now=FixedClock(), wait_s=0.05)) as store:
        greedy = Turn(str(tmp_path))
        greedy.take(1.0)
        with store.transaction():
            store.memories.put(samples.memory(samples.repository("a")))
        greedy.close()
        assert store.memories.count(_sight()) == {"active": 1}


def _sight() -> Sight:
    """The one repository."""
    return Sight((samples.repository("a"),))
