"""What every part of the suite starts from: a store, its raw side, and a scope nobody used before."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Protocol

import pytest

from learnt.model.scope import Scope, Sight
from learnt.testing import samples
from learnt.testing.fakes import FixedClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.ports.store import Store

_NUMBERS = count(1)
_MISSING = "A store's test class gives this fixture."


class OnPurposeError(Exception):
    """What a test fails a transaction with."""


def undone(store: Store, write: Callable[[], object], error: BaseException | None = None) -> None:
    """Do `write` in a transaction that then fails.

    Raises:
        OnPurposeError: Always (or `error`).
    """
    with store.transaction():
        write()
        raise error or OnPurposeError


class Raw(Protocol):
    """Access that bypasses the store, as another program with the right to write would have it."""

    def spoil(self, memory_id: str) -> bool:
        """Make a memory's row undecodable; False where a store cannot hold such a row."""
        ...

    def spoil_unit(self, unit_id: str) -> bool:
        """Change one character of a unit's text; False where a store would not notice, and need not."""
        ...

    def change_event(self, event_id: str, column: str, value: str | None) -> None:
        """Overwrite `reason`, `timestamp`, `event_json` or `prev_hash` of an event."""
        ...

    def drop_event(self, event_id: str) -> None:
        """Remove an event."""
        ...

    def set_head(self, head: str | None) -> None:
        """Overwrite or remove the stored head of the chain."""
        ...


class Base:
    """A store's test class gives the fixtures `reopen` and `raw`; the rest follows from them."""

    @pytest.fixture
    def clock(self) -> FixedClock:
        """The clock of the stores that `reopen` gives."""
        return FixedClock()

    @pytest.fixture
    def reopen(self) -> Callable[[], Store]:
        """Opens the same store once more, as another process would (or gives the one there is)."""
        pytest.fail(_MISSING)

    @pytest.fixture
    def raw(self, reopen: Callable[[], Store]) -> Raw:
        """Access to the store of `reopen` that bypasses it."""
        pytest.fail(_MISSING)

    @pytest.fixture
    def store(self, reopen: Callable[[], Store]) -> Iterator[Store]:
        """An open store."""
        store = reopen()
        yield store
        store.close()

    @pytest.fixture
    def scope(self) -> Scope:
        """A repository nobody used before."""
        return samples.repository(f"repo-{next(_NUMBERS)}")

    @pytest.fixture
    def sight(self, scope: Scope) -> Sight:
        """A reader of that repository alone."""
        return Sight((scope,))

    @pytest.fixture
    def foreign(self) -> Scope:
        """Another repository nobody used before."""
        return samples.repository(f"repo-{next(_NUMBERS)}")
