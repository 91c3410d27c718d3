"""The dictionaries and their file: who reads sees what others committed, who commits appends what was changed."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from learnt.errors import StoreCorruptError, StoreNewerError
from learnt.stores.ephemeral.tables import Guard, Tables
from learnt.stores.jsonl.log import FILE
from learnt.stores.jsonl.rows import FORM, KEPT, Commit, Row, commit, form, header, lines, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.model.event import ChainRow
    from learnt.stores.jsonl.log import Log

_MOST_TOLD = 100
_STRETCH = 1_000


class LoggedGuard(Guard):
    """See `learnt.stores.ephemeral.tables.Guard`.

    Attributes:
        log: The file.
        unreadable: What of the file cannot be used, by its name, with the reason; at most a hundred.
    """

    def __init__(self, tables: Tables, log: Log) -> None:
        super().__init__(tables)
        self.log = log
        self._top = 0
        self._open: dict[int, list[Row]] = {}
        self.unreadable: dict[str, str] = {}
        self.refresh()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Changes inside are kept together: in the dictionaries, and by one line that commits them in the file."""
        with self._lock:
            self.check_begin()
            with self.log.held():
                self.refresh()
                with super().transaction():
                    yield

    def keep(self, before: dict[str, dict[object, object]]) -> None:
        """Append what a transaction changed.

        Raises:
            StoreError: It could not be written; nothing of it counts.
        """
        if not (changes := tuple(_changes(before, self._tables))):
            return
        if self.log.tail_bytes:  # we hold the lock: it is torn, and now becomes a line of its own
            self._tell(f"line of {self.log.tail_bytes} bytes", "torn")
        tx = self._top + 1
        head = b"" if self.log.size_bytes else header(secrets.token_hex(8))
        self.log.append(head, lines(tx, changes), commit(tx))
        self._top = tx

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Around each answer: what other threads and processes have finished is seen, and nothing else of theirs."""
        with self._lock:
            self.check_open()
            if not self._writing:
                self.refresh()
            yield

    def refresh(self) -> None:
        """Play through what was appended since.

        Raises:
            StoreCorruptError: The file is none of ours. `StoreNewerError`: that of a newer learnt.
        """
        anew, found = self.log.news()
        if anew:
            self._tables.restore(Tables().copies())
            self._top, self._open, self.unreadable = 0, {}, {}
            if found:
                self._look(found[0])
        for given in found:
            self._play(given)

    def rewrite(self) -> int:
        """Write the file anew with nothing in it but what counts; gives by how much it is smaller."""
        with self._lock:
            self.check_open()
            with self.log.held():
                self.refresh()
                head, *rest = self._lines()
                freed = self.log.rewrite(head, rest)
                self._open, self.unreadable = {}, {}
                return freed

    def everything(self) -> list[bytes]:
        """A file with nothing in it but what counts."""
        with self.reading():
            return self._lines()

    def _lines(self) -> list[bytes]:
        return [header(secrets.token_hex(8)), *(lines(None, some) for some in _some(_all(self._tables)))]

    def _look(self, first: bytes) -> None:
        found = form(first)
        if found is None:
            message, told = "The first line of the store's file is none of ours.", {"path": str(self.log.path)}
            raise StoreCorruptError(message, hint=f"Copy {FILE} before any repair.", details=told)
        if found > FORM:
            raise StoreNewerError(details={"form": found, "known": FORM})

    def _play(self, given: bytes) -> None:
        for said in read(given):
            self._hear(said, len(given))

    def _hear(self, said: Row | Commit | str, size_bytes: int) -> None:
        if isinstance(said, Commit):
            self._top = max(self._top, said.tx)
            for row in self._open.pop(said.tx, ()):
                self._apply(row)
        elif isinstance(said, Row):
            self._top = max(self._top, said.tx or 0)
            if said.tx is None:
                self._apply(said)
            else:
                self._open.setdefault(said.tx, []).append(said)
        else:
            self._tell(f"line of {size_bytes} bytes", said)

    def _apply(self, row: Row) -> None:
        """The newest row of a key counts; one that cannot be used takes away what was there."""
        held: dict[Any, Any] = getattr(self._tables, row.table, {})
        name = f"{row.table} {row.key}"
        if row.why:
            held.pop(row.key, None)
            self._tell(name, row.why)
            return
        self.unreadable.pop(name, None)
        old = held.pop(row.key, None) if row.value is None else held.get(row.key)
        if row.value is not None:
            held[row.key] = row.value
        if row.table == "events":
            self._aim(row.key, old, row.value)

    def _aim(self, event_id: str, old: ChainRow | None, new: ChainRow | None) -> None:
        """What follows from an event: it is found by what it tells of."""
        targets = self._tables.targets
        if old is not None:
            targets[old.target_id] = tuple(name for name in targets.get(old.target_id, ()) if name != event_id)
        if new is not None:
            targets[new.target_id] = (*targets.get(new.target_id, ()), event_id)

    def trouble(self) -> dict[str, str]:
        """What of the file cannot be used, a torn end included."""
        torn = {f"line of {self.log.tail_bytes} bytes": "torn"} if self.log.is_torn() else {}
        lost = {f"{row.table} {row.key}, not committed": row.why for row in self._never() if row.why}
        return {**self.unreadable, **lost, **torn}

    def _never(self) -> Iterator[Row]:
        """Rows whose transaction has no end, yet."""
        for rows in self._open.values():
            yield from rows

    def damaged(self, table: str) -> tuple[str, ...]:
        """The keys of a table whose newest row cannot be used."""
        return tuple(name.partition(" ")[2] for name in self.unreadable if name.startswith(f"{table} "))

    def _tell(self, name: str, why: str) -> None:
        if len(self.unreadable) < _MOST_TOLD:
            self.unreadable[name] = why


def _changes(before: dict[str, dict[Any, Any]], tables: Tables) -> Iterator[tuple[str, Any, Any]]:
    """What a transaction changed: table, key, and the value now or None.

    Values never change, so another one is another object; not all that is in a value counts when two are compared.
    """
    for name, kind in KEPT.items():
        was, now = before[name], getattr(tables, name)
        for key, value in now.items():
            old = was.get(key)
            if old is not value and (kind is not None or old != value):
                yield name, key, value
        yield from ((name, key, None) for key in was if key not in now)


def _all(tables: Tables) -> Iterator[tuple[str, Any, Any]]:
    for name in KEPT:
        yield from ((name, key, value) for key, value in getattr(tables, name).items())


def _some(changes: Iterable[tuple[str, Any, Any]]) -> Iterator[list[tuple[str, Any, Any]]]:
    held: list[tuple[str, Any, Any]] = []
    for each in changes:
        held.append(each)
        if len(held) >= _STRETCH:
            yield held
            held = []
    yield held
