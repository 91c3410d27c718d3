"""The PostgreSQL store: one tenant of one database, its narrow ports, one transaction for all of them."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from learnt.errors import StoreError
from learnt.model.event import Event
from learnt.model.keys import short_id
from learnt.stores.notary import Notary
from learnt.stores.postgres import opening
from learnt.stores.postgres.address import address
from learnt.stores.postgres.archive import PostgresArchive
from learnt.stores.postgres.claims import PostgresClaims, PostgresPasts
from learnt.stores.postgres.events import PostgresEvents
from learnt.stores.postgres.ledger import PostgresLedger
from learnt.stores.postgres.memories import PostgresMemories
from learnt.stores.postgres.meta import PostgresMeta
from learnt.stores.postgres.outcomes import PostgresFlags, PostgresOutcomes
from learnt.stores.postgres.proposals import PostgresProposals
from learnt.stores.postgres.recipes import PostgresRecipes
from learnt.stores.postgres.scopes import Scopes
from learnt.stores.postgres.trail import PostgresTrail
from learnt.stores.postgres.usage import PostgresUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.ports.cargo import Cargo
    from learnt.ports.clock import Clock
    from learnt.ports.erasure import Digests, Erasure, Leavers
    from learnt.ports.evidence import Evidence
    from learnt.ports.feed import Feed
    from learnt.ports.lexicon import Lexicon
    from learnt.ports.queue import Queue
    from learnt.ports.seals import Seals
    from learnt.ports.store import Capability
    from learnt.ports.threads import Extractions, Summaries, Threads
    from learnt.ports.upkeep import Upkeep
    from learnt.ports.vectors import Vectors
    from learnt.stores.postgres.connection import Connection


class PostgresStore:
    """See `learnt.ports.store.Store`. Made by `open`; may be used by several threads.

    Attributes:
        connection: What the ports share; only this package and its tests touch it.
    """

    lacks: frozenset[Capability] = frozenset()

    def __init__(
        self,
        connection: Connection,
        shown: str,
        now: Callable[[], str],
        jobs_now: Callable[[], str] | None = None,
        seals: Seals | None = None,
    ) -> None:
        self.connection = connection
        self._now = now
        self._jobs_now = jobs_now
        self._told: set[str] = set()
        self.scopes = Scopes(connection)
        self.memories = PostgresMemories(connection, self.scopes)
        self.proposals = PostgresProposals(connection, self.scopes)
        self.events = PostgresEvents(connection, Notary(seals))
        self.trail = PostgresTrail(connection, self.events)
        self.usage = PostgresUsage(connection, self.scopes)
        self.archive = PostgresArchive(connection, self.scopes)
        self.claims = PostgresClaims(connection, self.scopes)
        self.pasts = PostgresPasts(connection, self.scopes)
        self.recipes = PostgresRecipes(connection, self.scopes)
        self.outcomes = PostgresOutcomes(connection, self.scopes)
        self.flags = PostgresFlags(connection, self.scopes)
        self.ledger = PostgresLedger(connection)
        self.meta = PostgresMeta(connection, shown)

    @classmethod
    def open(
        cls,
        url: str,
        *,
        now: Callable[[], str] | Clock,
        read_only: bool = False,
        wait_s: float = 5.0,
        jobs_now: Callable[[], str] | None = None,
        seals: Seals | None = None,
    ) -> PostgresStore:
        """The store at a `postgresql://` URL, its tables made or migrated where need be.

        Where the server only reads, or with `read_only`, writes are refused.

        Args:
            url: As the driver takes it; of its parameters `tenant` is ours.
            now: The present, for the moment of a migration and of a damaged row met.
            read_only: Never write.
            wait_s: How long a transaction waits for others before `StoreBusyError`. Source: contract, `store busy`.
            jobs_now: A clock for jobs in place of the server's, for tests.
            seals: Keys of the audit trail; without them events are chained, not marked.

        Raises:
            ConfigError: The URL is none.
            StoreError: Its subclasses, codes and hints say why; the database is untouched.
        """
        where = address(url)
        clock = now if callable(now) else now.now
        connection = opening.connect(where, clock, read_only=read_only, wait_s=wait_s)
        return cls(connection, where.shown, clock, jobs_now, seals)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The full-text stage."""
        from learnt.stores.postgres.lexicon import PostgresLexicon

        return PostgresLexicon(self.connection, self.scopes)

    @cached_property
    def evidence(self) -> Evidence:
        """The full text of evidence."""
        from learnt.stores.postgres.evidence import PostgresEvidence

        return PostgresEvidence(self.connection, self.scopes)

    @cached_property
    def threads(self) -> Threads:
        """Sessions as they are learnt from."""
        from learnt.stores.postgres.threads import PostgresThreads

        return PostgresThreads(self.connection, self.scopes)

    @cached_property
    def extractions(self) -> Extractions:
        """What sessions taught."""
        from learnt.stores.postgres.threads import PostgresExtractions

        return PostgresExtractions(self.connection, self.scopes)

    @cached_property
    def summaries(self) -> Summaries:
        """What sessions are told at their start."""
        from learnt.stores.postgres.threads import PostgresSummaries

        return PostgresSummaries(self.connection, self.scopes)

    @cached_property
    def erasure(self) -> Erasure:
        """What hangs on a memory, found and taken away."""
        from learnt.stores.postgres.erasure import PostgresErasure

        return PostgresErasure(self.connection, self.scopes)

    @cached_property
    def leavers(self) -> Leavers:
        """Whoever, or whatever repository, leaves whole."""
        from learnt.stores.postgres.erasure import PostgresLeavers

        return PostgresLeavers(self.connection, self.scopes, self.memories)

    @cached_property
    def digests(self) -> Digests:
        """What keeps forgotten text away."""
        from learnt.stores.postgres.erasure import PostgresDigests

        return PostgresDigests(self.connection, self.scopes)

    @cached_property
    def upkeep(self) -> Upkeep:
        """Checking and mending."""
        from learnt.stores.postgres.upkeep import PostgresUpkeep
        from learnt.stores.postgres.vectors import PostgresVectors

        return PostgresUpkeep(self.connection, self.scopes, PostgresVectors(self.connection, self.scopes).shelve)

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors of memories and evidence."""
        from learnt.stores.postgres.vectors import PostgresVectors

        return PostgresVectors(self.connection, self.scopes)

    @cached_property
    def queue(self) -> Queue:
        """Work that waits."""
        from learnt.stores.postgres.queue import PostgresQueue

        return PostgresQueue(self.connection, self._jobs_now)

    @cached_property
    def feed(self) -> Feed:
        """What changed since somebody last looked."""
        from learnt.stores.postgres.feed import PostgresFeed

        return PostgresFeed(self.connection)

    @cached_property
    def cargo(self) -> Cargo:
        """Everything of the tenant, to be moved."""
        from learnt.stores.postgres.cargo import PostgresCargo

        return PostgresCargo(self.connection, self.scopes, self)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside is committed together, or rolled back on any exception.

        Rows that were found unreadable since are told of by one `invalid_load` event each.
        """
        with self.connection.transaction():
            for target in sorted(self.connection.unreadable.keys() - self._told):
                self._tell_of(target)
            yield
        self.events.remember()

    def _tell_of(self, target: str) -> None:
        event_id = "evt_" + short_id(f"invalid_load\n{target}")
        self.connection.lock((event_id,))  # another process may be about to tell the same
        if self.events.get(event_id) is not None:
            self._told.add(target)
        else:  # told only when it is committed, which the next transaction sees
            self.events.append(Event(id=event_id, operation="invalid_load", target_id=target, timestamp=self._now()))

    def close(self) -> None:
        """Give the connections back; safe to call twice."""
        with suppress(StoreError):  # a witness less
            self.events.remember(anyway=True)
        self.connection.close()
