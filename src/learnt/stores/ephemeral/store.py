"""The bundle of the dictionary ports."""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Self

from learnt.stores.ephemeral.archive import EphemeralArchive, EphemeralRecipes
from learnt.stores.ephemeral.cargo import EphemeralCargo
from learnt.stores.ephemeral.claims import EphemeralClaims, EphemeralPasts
from learnt.stores.ephemeral.erasure import EphemeralDigests, EphemeralErasure, EphemeralLeavers
from learnt.stores.ephemeral.evidence import EphemeralEvidence
from learnt.stores.ephemeral.feed import EphemeralFeed
from learnt.stores.ephemeral.ledger import EphemeralLedger
from learnt.stores.ephemeral.lexicon import EphemeralLexicon
from learnt.stores.ephemeral.outcomes import EphemeralFlags, EphemeralOutcomes
from learnt.stores.ephemeral.queue import EphemeralQueue
from learnt.stores.ephemeral.tables import Guard, Tables
from learnt.stores.ephemeral.threads import EphemeralExtractions, EphemeralSummaries, EphemeralThreads
from learnt.stores.ephemeral.trail import EphemeralEvents, EphemeralMeta, EphemeralTrail, EphemeralUsage
from learnt.stores.ephemeral.upkeep import EphemeralUpkeep
from learnt.stores.ephemeral.vectors import EphemeralVectors
from learnt.stores.ephemeral.writings import EphemeralMemories, EphemeralProposals
from learnt.stores.notary import Notary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.ports.seals import Seals
    from learnt.ports.store import Capability


class EphemeralStore:
    """See `learnt.ports.store.Store`. May be used by several threads, which take turns.

    A transaction copies every dictionary when it begins (not what is in them), so it costs more the more is kept.

    Args:
        now: The clock of the queue; by default the process's, which nobody sets.
        seals: Keys of the audit trail; without them events are chained, not marked.

    Attributes:
        tables: Everything kept; only this package and the test suite touch it.
    """

    lacks: frozenset[Capability] = frozenset()

    def __init__(self, now: Callable[[], str] | None = None, seals: Seals | None = None) -> None:
        self.tables = Tables()
        self._guard = self._guarded(self.tables)
        self.memories = EphemeralMemories(self.tables, self._guard)
        self.proposals = EphemeralProposals(self.tables, self._guard)
        self._notary = Notary(seals)
        self._lent = False
        self.events = EphemeralEvents(self.tables, self._guard, self._notary)
        self.trail = EphemeralTrail(self.tables, self._guard, self.events)
        self.usage = EphemeralUsage(self.tables, self._guard)
        self.archive = EphemeralArchive(self.tables, self._guard)
        self.evidence = EphemeralEvidence(self.tables, self._guard)
        self.claims = EphemeralClaims(self.tables, self._guard)
        self.pasts = EphemeralPasts(self.tables, self._guard)
        self.recipes = EphemeralRecipes(self.tables, self._guard)
        self.outcomes = EphemeralOutcomes(self.tables, self._guard)
        self.flags = EphemeralFlags(self.tables, self._guard)
        self.threads = EphemeralThreads(self.tables, self._guard)
        self.extractions = EphemeralExtractions(self.tables, self._guard)
        self.summaries = EphemeralSummaries(self.tables, self._guard)
        self.lexicon = EphemeralLexicon(self.tables, self._guard)
        self.vectors = EphemeralVectors(self.tables, self._guard)
        self.queue = EphemeralQueue(self.tables, self._guard, now)
        self.ledger = EphemeralLedger(self.tables, self._guard)
        self.meta = EphemeralMeta(self.tables, self._guard)
        self.feed = EphemeralFeed(self.tables, self._guard)
        self.erasure = EphemeralErasure(self.tables, self._guard)
        self.leavers = EphemeralLeavers(self.tables, self._guard)
        self.digests = EphemeralDigests(self.tables, self._guard)
        self.cargo = EphemeralCargo(self.tables, self._guard)
        self.upkeep = EphemeralUpkeep(self.tables, self._guard)

    def marking(self, seals: Seals) -> Self:
        """Another handle of the same dictionaries, whose events are marked."""
        made = copy(self)
        made._lent = True  # noqa: SLF001 - of this very class
        made._notary = Notary(seals)  # noqa: SLF001 - the same
        made.events = EphemeralEvents(self.tables, self._guard, made._notary)  # noqa: SLF001 - the same
        made.trail = EphemeralTrail(self.tables, self._guard, made.events)
        return made

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything written inside is kept together, or undone on any exception."""
        try:
            with self._guard.transaction():
                yield
        except BaseException:
            self._notary.undone()
            raise
        self._notary.committed()

    def _guarded(self, tables: Tables) -> Guard:
        return Guard(tables)

    def close(self) -> None:
        """Refuse from now on; safe to call twice."""
        if not self._lent:
            self._guard.close()
