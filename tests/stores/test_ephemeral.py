"""The store of dictionaries passes the suite."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from learnt.model.cargo import HEAD
from learnt.testing.handles import Shared
from learnt.testing.suite import StoreSuite

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.stores.ephemeral import EphemeralStore
    from learnt.testing.fakes import FixedClock


class _Raw:
    def __init__(self, store: EphemeralStore) -> None:
        self._tables = store.tables

    def spoil(self, memory_id: str) -> bool:
        return False

    def spoil_unit(self, unit_id: str) -> bool:
        del unit_id
        return False

    def change_event(self, event_id: str, column: str, value: str | None) -> None:
        self._tables.events[event_id] = replace(self._tables.events[event_id], **{column: value})  # type: ignore[arg-type]

    def drop_event(self, event_id: str) -> None:
        del self._tables.events[event_id]

    def set_head(self, head: str | None) -> None:
        self._tables.facts.pop(HEAD, None)
        self._tables.facts |= {HEAD: head} if head else {}


class TestEphemeral(StoreSuite):
    @pytest.fixture
    def reopen(self, clock: FixedClock) -> Callable[[], EphemeralStore]:
        """The one store there is."""
        return Shared(clock.now).opened

    @pytest.fixture
    def raw(self, reopen: Callable[[], EphemeralStore]) -> _Raw:
        """Its dictionaries."""
        return _Raw(reopen())
