"""The SQLite store: one file, its narrow ports, one transaction for all of them."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.model.event import Event
from learnt.model.keys import short_id
from learnt.stores.notary import Notary
from learnt.stores.sqlite import migrate, opening
from learnt.stores.sqlite.archive import SqliteArchive
from learnt.stores.sqlite.claims import SqliteClaims, SqlitePasts
from learnt.stores.sqlite.events import SqliteEvents
from learnt.stores.sqlite.feed import SqliteFeed
from learnt.stores.sqlite.ledger import SqliteLedger
from learnt.stores.sqlite.memories import SqliteMemories
from learnt.stores.sqlite.meta import SqliteMeta
from learnt.stores.sqlite.outcomes import SqliteFlags, SqliteOutcomes
from learnt.stores.sqlite.proposals import SqliteProposals
from learnt.stores.sqlite.queue import SqliteQueue
from learnt.stores.sqlite.recipes import SqliteRecipes
from learnt.stores.sqlite.scopes import Scopes
from learnt.stores.sqlite.steady import Steady
from learnt.stores.sqlite.trail import SqliteTrail
from learnt.stores.sqlite.usage import SqliteUsage
from learnt.stores.sqlite.vectors import SqliteVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.ports.cargo import Cargo
    from learnt.ports.clock import Clock
    from learnt.ports.erasure import Digests, Erasure, Leavers
    from learnt.ports.evidence import Evidence
    from learnt.ports.lexicon import Lexicon
    from learnt.ports.seals import Seals
    from learnt.ports.store import Capability
    from learnt.ports.threads import Extractions, Summaries, Threads
    from learnt.ports.upkeep import Upkeep
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.steady import SinceStart


def _untold() -> tuple[str, int]:
    """The system does not tell when it started."""
    return "", 0


class SqliteStore:
    """See `learnt.ports.store.Store`. Made by `open`; may be used by several threads, which take turns.

    Attributes:
        connection: What the ports share; only this package and its tests touch it.
    """

    lacks: frozenset[Capability] = frozenset()

    def __init__(
        self,
        connection: Connection,
        path: Path,
        now: Callable[[], str],
        since_start: SinceStart = _untold,
        seals: Seals | None = None,
    ) -> None:
        self.connection = connection
        self._now = now
        self.scopes = Scopes(connection)
        self.memories = SqliteMemories(connection, self.scopes)
        self.proposals = SqliteProposals(connection, self.scopes)
        self.events = SqliteEvents(connection, Notary(seals))
        self.trail = SqliteTrail(connection, self.events)
        self.usage = SqliteUsage(connection, self.scopes, self.memories)
        self.archive = SqliteArchive(connection, self.scopes)
        self.claims = SqliteClaims(connection, self.scopes)
        self.pasts = SqlitePasts(connection, self.scopes)
        self.recipes = SqliteRecipes(connection, self.scopes)
        self.outcomes = SqliteOutcomes(connection, self.scopes, self.memories)
        self.flags = SqliteFlags(connection, self.scopes, self.memories)
        self.vectors = SqliteVectors(connection, self.scopes)
        self.queue = SqliteQueue(connection, Steady(connection, now, since_start))
        self.ledger = SqliteLedger(connection)
        self.meta = SqliteMeta(connection, path)
        self.feed = SqliteFeed(connection)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        now: Callable[[], str] | Clock,
        read_only: bool = False,
        wait_s: float = 5.0,
        since_start: SinceStart = _untold,
        seals: Seals | None = None,
    ) -> SqliteStore:
        """The store at `path`, made or migrated where need be.

        Where nothing may be written, or with `read_only`, an existing store opens for reading and writes are refused.

        Args:
            path: The database file; its folder is made, for this user alone.
            now: The present, for the moment of a migration and of a damaged row met.
            read_only: Never write.
            wait_s: How long a write waits for other processes before `StoreBusyError`. Source: contract, `store busy`.
            since_start: See `learnt.stores.sqlite.steady.Steady`; without it the queue goes by `now`.
            seals: Keys of the audit trail; without them events are chained, not marked.

        Raises:
            StoreError: Its subclasses say why; the file is untouched.
        """
        place = Path(path).absolute()
        clock = now if callable(now) else now.now
        steps = migrate.steps()
        connection = opening.connect(place, latest=len(steps), read_only=read_only, wait_s=wait_s)
        try:
            migrate.migrate(connection, place, clock, steps)
        except BaseException:
            connection.close()
            raise
        return cls(connection, place, clock, since_start, seals)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The full-text stage."""
        from learnt.stores.sqlite.lexicon import SqliteLexicon

        return SqliteLexicon(self.connection, self.scopes, self.vectors.rows)

    @cached_property
    def evidence(self) -> Evidence:
        """The full text of evidence."""
        from learnt.stores.sqlite.evidence import SqliteEvidence

        return SqliteEvidence(self.connection, self.scopes)

    @cached_property
    def cargo(self) -> Cargo:
        """Everything in the file, to be moved."""
        from learnt.stores.sqlite.cargo import SqliteCargo
        from learnt.stores.sqlite.stow import Stow

        stow = Stow(self.connection, self.scopes, self.memories, self)
        return SqliteCargo(self.connection, self.scopes, stow.take)

    @cached_property
    def threads(self) -> Threads:
        """Sessions as they are learnt from."""
        from learnt.stores.sqlite.threads import SqliteThreads

        return SqliteThreads(self.connection, self.scopes)

    @cached_property
    def extractions(self) -> Extractions:
        """What sessions taught."""
        from learnt.stores.sqlite.threads import SqliteExtractions

        return SqliteExtractions(self.connection, self.scopes)

    @cached_property
    def summaries(self) -> Summaries:
        """What sessions are told at their start."""
        from learnt.stores.sqlite.threads import SqliteSummaries

        return SqliteSummaries(self.connection, self.scopes)

    @cached_property
    def erasure(self) -> Erasure:
        """What hangs on a memory, found and taken away."""
        from learnt.stores.sqlite.erasure import SqliteErasure

        return SqliteErasure(self.connection, self.scopes)

    @cached_property
    def leavers(self) -> Leavers:
        """Whoever, or whatever repository, leaves whole."""
        from learnt.stores.sqlite.erasure import SqliteLeavers

        return SqliteLeavers(self.connection, self.scopes, self.memories)

    @cached_property
    def digests(self) -> Digests:
        """What keeps forgotten text away."""
        from learnt.stores.sqlite.erasure import SqliteDigests

        return SqliteDigests(self.connection, self.scopes)

    @cached_property
    def upkeep(self) -> Upkeep:
        """Checking, mending and copying the file."""
        from learnt.stores.sqlite.upkeep import SqliteUpkeep

        return SqliteUpkeep(self.connection, self.scopes)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside is committed together, or rolled back on any exception.

        Rows that were found unreadable since are told of by one `invalid_load` event each.
        """
        with self.connection.transaction():
            for target in tuple(self.connection.unreadable):
                self._tell_of(target)
            yield

    def _tell_of(self, target: str) -> None:
        event_id = "evt_" + short_id(f"invalid_load\n{target}")
        if self.events.get(event_id) is None:
            self.events.append(Event(id=event_id, operation="invalid_load", target_id=target, timestamp=self._now()))

    def close(self) -> None:
        """Give the file back; safe to call twice."""
        self.connection.close()
