"""The dictionaries behind the store, and how a change to them is undone."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from learnt.errors import StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.cargo import Sitting
    from learnt.model.checkpoint import Checkpoint
    from learnt.model.conflict import Former
    from learnt.model.event import ChainRow
    from learnt.model.evidence import EvidenceUnit, Recipe, SessionRecord
    from learnt.model.extraction import Extraction
    from learnt.model.flag import Flag
    from learnt.model.forget import Trace
    from learnt.model.job import Job
    from learnt.model.ledger import Charge
    from learnt.model.memory import Memory
    from learnt.model.outcome import Outcome
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope
    from learnt.model.thread import Summary, Thread
    from learnt.model.vector import Embedded, Generation


@dataclass(slots=True)
class Tables:
    """Everything kept. Keys that begin with a scope key keep scopes apart; dictionaries keep the order of insertion.

    The last four are what only other stores note down, kept for them when a store was moved here.
    """

    memories: dict[str, Memory] = field(default_factory=dict)
    pasts: dict[tuple[str, str], Former] = field(default_factory=dict)
    proposals: dict[str, Proposal] = field(default_factory=dict)
    events: dict[str, ChainRow] = field(default_factory=dict)
    targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bundles: dict[int, Bundle] = field(default_factory=dict)
    units: dict[tuple[str, str], EvidenceUnit] = field(default_factory=dict)
    sessions: dict[str, SessionRecord] = field(default_factory=dict)
    threads: dict[str, Thread] = field(default_factory=dict)
    extractions: dict[str, Extraction] = field(default_factory=dict)
    summaries: dict[tuple[str, str], Summary] = field(default_factory=dict)
    seen: dict[tuple[int, int], bool] = field(default_factory=dict)
    recipes: dict[tuple[str, str, str], Recipe] = field(default_factory=dict)
    outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    flags: dict[tuple[str, str, str, str], Flag] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    generations: dict[int, Generation] = field(default_factory=dict)
    vectors: dict[tuple[int, str], Embedded] = field(default_factory=dict)
    changes: dict[tuple[str, int], str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    charges: dict[str, Charge] = field(default_factory=dict)
    forgotten: dict[tuple[str, str], tuple[Trace, str]] = field(default_factory=dict)
    checkpoints: dict[tuple[str, int], Checkpoint] = field(default_factory=dict)
    nodes: dict[tuple[int, int], str] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)
    contexts: dict[str, Sitting] = field(default_factory=dict)
    moments: dict[int, tuple[str, str | None]] = field(default_factory=dict)
    tries: dict[tuple[int, str], tuple[int, str]] = field(default_factory=dict)

    def copies(self) -> dict[str, dict[object, object]]:
        """A copy of each dictionary; the values in them never change."""
        return {each.name: dict(getattr(self, each.name)) for each in fields(self)}

    def restore(self, copies: dict[str, dict[object, object]]) -> None:
        """Back to what `copies` gave."""
        for name, held in copies.items():
            setattr(self, name, held)


class Guard:
    """Lets one thread at a time change the tables, inside a transaction only."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._lock = threading.RLock()
        self._writing = False
        self._closed = False

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Changes inside are kept together, or undone on any exception."""
        with self._lock:
            self.check_begin()
            before = self._tables.copies()
            self._writing = True
            try:
                yield
                self.keep(before)
            except BaseException:
                self._tables.restore(before)
                raise
            finally:
                self._writing = False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around each change."""
        with self._lock:
            self.check_open()
            if not self._writing:
                raise StoreError("A write outside of a transaction.", code="no_transaction")
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Around each answer: no other thread's unfinished change is seen."""
        with self._lock:
            self.check_open()
            yield

    def keep(self, before: dict[str, dict[object, object]]) -> None:
        """At the end of a transaction: what was there before it; here nothing outlives the process."""

    def check_begin(self) -> None:
        """Refuse after `close`, and a transaction inside a transaction."""
        self.check_open()
        if self._writing:
            raise StoreError("A transaction inside a transaction.", code="nested_transaction")

    def check_open(self) -> None:
        """Refuse after `close`."""
        if self._closed:
            raise StoreError("The store was closed.", code="store_closed")

    def close(self) -> None:
        """From now on refuse."""
        self._closed = True


def storable(*texts: str) -> None:
    """Refuse what no database keeps as text.

    Raises:
        UsageError: A lone surrogate.
    """
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("The text holds a lone surrogate, which is no character.", code="invalid") from error
