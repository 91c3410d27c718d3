"""Stores made for one measurement and gone after it."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import ConfigError
from learnt.evals.golden import ASKED_AT
from learnt.stores.jsonl.store import JsonlStore
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from learnt.ports.store import Store

    Fresh = Mapping[str, Callable[[], AbstractContextManager[Store]]]
    """What makes an empty store for one measurement, by the name a report gives it."""


@contextmanager
def folder() -> Iterator[Path]:
    """A folder of our own that is gone afterwards."""
    try:
        made = tempfile.TemporaryDirectory(prefix="learnt-evaluate-", ignore_cleanup_errors=True)
    except OSError as error:
        raise ConfigError(f"No temporary folder can be made: {error}", hint="Set TMPDIR.", code="unwritable") from None
    with made as name:
        yield Path(name).resolve()


@contextmanager
def store(provider: str) -> Iterator[Store]:
    """An empty store of this provider, in a folder of its own."""
    with folder() as place:
        made: Store = (
            SqliteStore.open(place / "memory.db", now=lambda: ASKED_AT)
            if provider == "sqlite"
            else JsonlStore(place, now=lambda: ASKED_AT)
        )
        try:
            yield made
        finally:
            made.close()


HERE: Fresh = {name: partial(store, name) for name in ("local-jsonl", "sqlite")}
"""The stores that need nothing but this machine, by the names of the swarm-memory seed."""
