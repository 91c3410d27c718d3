"""The store of JSON lines: the ports of the dictionaries over a guard that keeps a file."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.errors import StoreError, UsageError
from learnt.model.event import Event
from learnt.model.keys import short_id
from learnt.stores.ephemeral.store import EphemeralStore
from learnt.stores.ephemeral.trail import EphemeralMeta
from learnt.stores.ephemeral.upkeep import EphemeralUpkeep
from learnt.stores.jsonl.guard import LoggedGuard
from learnt.stores.jsonl.limits import LineCargo, LineQueue, LineVectors
from learnt.stores.jsonl.log import Log
from learnt.stores.jsonl.rows import FORM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from learnt.ports.store import Capability
    from learnt.stores.ephemeral.tables import Tables

LACKS: Final[frozenset[Capability]] = frozenset({"dense", "queue", "audit"})


class JsonlStore(EphemeralStore):
    """See `learnt.ports.store.Store`. Everything is in memory, too: a start reads the file through.

    Args:
        folder: Where the file lies; made, for this user alone.
        now: The present.
        wait_s: How long a write waits for other processes before `StoreBusyError`.
    """

    lacks = LACKS

    def __init__(self, folder: str | Path, *, now: Callable[[], str], wait_s: float = 5.0) -> None:
        self._now = now
        self.log = Log(Path(folder).absolute(), wait_s)
        super().__init__(now)
        self.vectors = LineVectors(self.tables, self._guard)
        self.queue = LineQueue(self.tables, self._guard, now)
        self.meta = LineMeta(self.tables, self._lines)
        self.cargo = LineCargo(self.tables, self._guard)
        self.upkeep = LineUpkeep(self.tables, self._lines)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside is committed by one line, or counts for nothing.

        Memories that were found unreadable since are told of by one `invalid_load` event each.
        """
        with super().transaction():
            for target in self._lines.damaged("memories"):
                event_id = "evt_" + short_id(f"invalid_load\n{target}")
                if self.events.get(event_id) is None:
                    told = Event(id=event_id, operation="invalid_load", target_id=target, timestamp=self._now())
                    self.events.append(told)
            yield

    def _guarded(self, tables: Tables) -> LoggedGuard:
        self._lines = LoggedGuard(tables, self.log)
        return self._lines


class LineMeta(EphemeralMeta):
    """See `learnt.ports.meta.Meta`."""

    def __init__(self, tables: Tables, guard: LoggedGuard) -> None:
        super().__init__(tables, guard)
        self._lines = guard

    def describe(self) -> Mapping[str, object]:
        """Where the file is, how large, and what of it cannot be used."""
        with self._lines.reading():
            log = self._lines.log
            return {
                "engine": "jsonl",
                "path": str(log.path),
                "schema_version": FORM,
                "journal_mode": "lines",
                "size_bytes": log.size_bytes,
                "read_only": log.read_only,
                "unreadable": self._lines.trouble(),
                "lacks": sorted(LACKS),
            }

    def gaps(self) -> Mapping[str, int]:
        """How much of the file cannot be used."""
        with self._lines.reading():
            found = len(self._lines.trouble())
            return {"unreadable": found} if found else {}


class LineUpkeep(EphemeralUpkeep):
    """See `learnt.ports.upkeep.Upkeep`."""

    def __init__(self, tables: Tables, guard: LoggedGuard) -> None:
        super().__init__(tables, guard)
        self._lines = guard

    def shrink(self, *, whole: bool = True) -> Mapping[str, int]:
        """The file written anew, with nothing in it but what counts."""
        del whole
        return {"freed_bytes": self._lines.rewrite(), "log_bytes": 0}

    def backup(self, path: str) -> int:
        """The lines that count, in a new file.

        Raises:
            UsageError: `backup_exists`.
            StoreError: It cannot be written.
        """
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except FileExistsError:
            raise UsageError(f"There is {path} already.", code="backup_exists") from None
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise StoreError(f"The copy cannot be written: {why}.", code="backup_failed") from error
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(self._lines.everything())
            return Path(path).stat().st_size
        except OSError as error:
            Path(path).unlink(missing_ok=True)
            raise StoreError(f"The copy cannot be written: {error.strerror}.", code="backup_failed") from error
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise
