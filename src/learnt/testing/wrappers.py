"""Stores that are slow, fail on demand or count, around any real one."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from learnt.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.ports.store import Store

_PORTS = frozenset(
    (
        *("memories", "proposals", "events", "usage", "archive", "evidence", "recipes", "ledger"),
        *("outcomes", "flags", "lexicon", "vectors", "queue", "meta", "cargo", "erasure", "digests", "leavers"),
    )
)


class _Port:
    """One narrow port whose methods call `before(name)` first."""

    def __init__(self, inner: Any, name: str, before: Callable[[str], None]) -> None:
        self._inner, self._name, self._before = inner, name, before

    def __getattr__(self, method: str) -> Any:
        found = getattr(self._inner, method)
        if not callable(found):
            return found

        def called(*values: Any, **named: Any) -> Any:
            self._before(f"{self._name}.{method}")
            return found(*values, **named)

        return called


class Wrapper:
    """A store that hands all calls on to another and tells `before` the call's name (`memories.put`, `commit`)."""

    def __init__(self, inner: Store) -> None:
        self._inner = inner

    def before(self, call: str) -> None:
        """Called first; may wait, raise or count."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return _Port(found, name, self.before) if name in _PORTS else found

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """The inner store's; `commit` is told inside it, so that a failure there undoes it."""
        with self._inner.transaction():
            yield
            self.before("commit")


class Slow(Wrapper):
    """Waits before each call."""

    def __init__(self, inner: Store, pause_s: float) -> None:
        super().__init__(inner)
        self._pause_s = pause_s

    def before(self, call: str) -> None:
        """Wait."""
        time.sleep(self._pause_s)


class Flaky(Wrapper):
    """Fails at the n-th call (from 1), once."""

    def __init__(self, inner: Store, at: int) -> None:
        super().__init__(inner)
        self._left = at

    def before(self, call: str) -> None:
        """Count down; fail at zero."""
        self._left -= 1
        if self._left == 0:
            raise StoreError(f"Failed on purpose at {call}.", code="flaky")


class Counting(Wrapper):
    """Remembers the name of every call, in order, in `calls`."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.calls: list[str] = []

    def before(self, call: str) -> None:
        """Remember."""
        self.calls.append(call)
