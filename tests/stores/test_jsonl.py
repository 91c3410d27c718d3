"""The store of JSON lines passes the suite, but for what it leaves to the databases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from learnt.stores.jsonl.store import JsonlStore
from learnt.testing.suite import LinesSuite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from learnt.testing.fakes import FixedClock


class _Raw:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "memory.jsonl"

    def spoil(self, memory_id: str) -> bool:
        with self._path.open("a") as file:
            file.write(json.dumps({"in": "memories", "key": memory_id, "row": {"text": 5}}) + "\n")
        return True

    def spoil_unit(self, unit_id: str) -> bool:
        del unit_id
        return False

    def change_event(self, event_id: str, column: str, value: str | None) -> None:
        raise NotImplementedError

    def drop_event(self, event_id: str) -> None:
        raise NotImplementedError

    def set_head(self, head: str | None) -> None:
        raise NotImplementedError


class TestJsonl(LinesSuite):
    @pytest.fixture
    def reopen(self, tmp_path: Path, clock: FixedClock) -> Callable[[], JsonlStore]:
        """A folder of the test's own."""
        return lambda: JsonlStore(tmp_path / "lines", now=clock.now)

    @pytest.fixture
    def raw(self, tmp_path: Path) -> _Raw:
        """Another program that appends to the file."""
        return _Raw(tmp_path / "lines")
