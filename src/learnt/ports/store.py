"""What a store keeps and gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from learnt.model.event import ChainRow, Event
    from learnt.model.filter import MemoryFilter, Page, ProposalFilter
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Sight
    from learnt.ports.archive import Archive, Recipes
    from learnt.ports.cargo import Cargo
    from learnt.ports.claims import Claims, Pasts
    from learnt.ports.erasure import Digests, Erasure, Leavers
    from learnt.ports.evidence import Evidence
    from learnt.ports.feed import Feed
    from learnt.ports.ledger import Ledger
    from learnt.ports.lexicon import Lexicon
    from learnt.ports.meta import Meta
    from learnt.ports.outcomes import Flags, Outcomes
    from learnt.ports.queue import Queue
    from learnt.ports.threads import Extractions, Summaries, Threads
    from learnt.ports.trail import Trail
    from learnt.ports.upkeep import Upkeep
    from learnt.ports.vectors import Vectors


Capability = Literal["dense", "queue", "audit"]


class Memories(Protocol):
    """The memories themselves."""

    def get(self, sight: Sight, memory_id: str) -> Memory | None:
        """The memory whatever its status, or None when the id is unknown or belongs to a scope outside `sight`."""
        ...

    def many(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Those of `memory_ids` that `sight` may see, in the order asked for."""
        ...

    def page(self, sight: Sight, wanted: MemoryFilter, now: str) -> Page[Memory]:
        """A listing, `updated_at` descending then id."""
        ...

    def ready(self, memory: Memory) -> None:
        """Work out what the next `put` of this very value needs: outside of its transaction, so that others wait less.

        Never necessary.
        """
        ...

    def put(self, memory: Memory) -> None:
        """Insert or replace by id, with its full-text entry and anchors.

        `created_at` of an existing row stays; every other field is as given (the flows keep `valid_from` where it
        must not change).
        """
        ...

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        ...

    def stale(self, sight: Sight, pattern_set: str, limit: int) -> tuple[Memory, ...]:
        """Active memories that this pattern set has not cleared, in any order."""
        ...

    def remove(self, sight: Sight, memory_ids: Sequence[str]) -> tuple[str, ...]:
        """Take rows away with all that hangs on them (full text, anchors, vectors); gives the ids that were there.

        What is out of sight stays. Receipts keep the ids they gave. The feed tells of each.

        Raises:
            StoreBusyError: Somebody else changed one of them after it was read in this transaction.
        """
        ...


class Proposals(Protocol):
    """The queue of requests."""

    def get(self, sight: Sight, proposal_id: str) -> Proposal | None:
        """The proposal, or None when `sight` may not see it."""
        ...

    def page(self, sight: Sight, wanted: ProposalFilter) -> Page[Proposal]:
        """A listing: expected value descending, then newest, then id."""
        ...

    def saying(self, sight: Sight, text: str) -> tuple[Proposal, ...]:
        """Proposals of any status with exactly this text, by id."""
        ...

    def put(self, proposal: Proposal) -> None:
        """Insert or replace by id, with the anchors of a pending observation and the ties of an applied merge."""
        ...

    def related(self, sight: Sight, memory_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Of each of these memories, those that applied merges tie it to, by id; nothing where there are none.

        Made from the applied merges themselves (`learnt.model.relation`): nobody can give a store a relation.
        """
        ...

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        ...


class Events(Protocol):
    """The append-only, hash-chained audit trail."""

    def append(self, *events: Event) -> None:
        """Add events at the end of the chain, inside the transaction of the change they tell of.

        Several at once cost less than one after the other; the trail is the same.
        """
        ...

    def get(self, event_id: str) -> ChainRow | None:
        """The event as stored."""
        ...

    def about(self, *target_ids: str) -> tuple[ChainRow, ...]:
        """All events of these targets, oldest first."""
        ...

    def chain(self) -> Iterator[ChainRow]:
        """Every event in order of the chain, streamed."""
        ...

    def sealed(self) -> tuple[str | None, Iterator[ChainRow]]:
        """The head and the events up to it, both as of one moment, while others may go on appending."""
        ...

    def head(self) -> str | None:
        """Hash of the last event, kept beside the chain; None before the first."""
        ...


class Usage(Protocol):
    """Receipts of what was given to whom."""

    def put(self, bundle: Bundle) -> None:
        """Record one recall."""
        ...

    def page(self, sight: Sight, run_id: str, limit: int) -> tuple[Bundle, ...]:
        """Newest first; `run_id` empty for all."""
        ...

    def recalls(self, memory_id: str) -> int:
        """In how many bundles a memory was."""
        ...

    def shown(self, context: str) -> Mapping[str, str]:
        """What a context was already given: memory id -> moment."""
        ...

    def find(self, sight: Sight, bundle_id: str) -> tuple[Bundle, ...]:
        """The receipts with this id (two recalls of one millisecond share it), newest first."""
        ...

    def reward(self, sight: Sight, bundles: Sequence[Bundle], q_values: Mapping[str, float]) -> None:
        """Keep these receipts with the reward they now carry, and the new q value of each memory, by id.

        Nothing else of a memory changes, `updated_at` included; what is out of sight is passed over.

        Raises:
            StoreBusyError: Somebody else changed one of these memories after it was read in this transaction.
        """
        ...

    def valued(self, sight: Sight, above: float, limit: int) -> tuple[str, ...]:
        """Active memories whose q value was learned and lies above a bound, highest first, then by id."""
        ...

    def unrecalled(self, sight: Sight, limit: int) -> tuple[str, ...]:
        """Active memories that are in no receipt at all, latest change first, then by id."""
        ...


class Store(Protocol):
    """One file or server, as its narrow ports."""

    @property
    def lacks(self) -> frozenset[Capability]:
        """What it leaves to other stores; asked for, it raises `UnsupportedError`."""
        ...

    @property
    def memories(self) -> Memories: ...
    @property
    def proposals(self) -> Proposals: ...
    @property
    def events(self) -> Events: ...
    @property
    def trail(self) -> Trail: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def archive(self) -> Archive: ...
    @property
    def evidence(self) -> Evidence: ...
    @property
    def recipes(self) -> Recipes: ...
    @property
    def claims(self) -> Claims: ...
    @property
    def pasts(self) -> Pasts: ...
    @property
    def outcomes(self) -> Outcomes: ...
    @property
    def flags(self) -> Flags: ...
    @property
    def threads(self) -> Threads: ...
    @property
    def extractions(self) -> Extractions: ...
    @property
    def summaries(self) -> Summaries: ...
    @property
    def lexicon(self) -> Lexicon: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def queue(self) -> Queue: ...
    @property
    def ledger(self) -> Ledger: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def meta(self) -> Meta: ...
    @property
    def cargo(self) -> Cargo: ...
    @property
    def erasure(self) -> Erasure: ...
    @property
    def leavers(self) -> Leavers: ...
    @property
    def digests(self) -> Digests: ...
    @property
    def upkeep(self) -> Upkeep: ...

    def transaction(self) -> AbstractContextManager[None]:
        """Everything written inside is committed together, or rolled back on any exception. Not nested.

        Raises:
            StoreBusyError: Another process held the store beyond the wait.
        """
        ...

    def close(self) -> None:
        """Give the file back; safe to call twice."""
        ...
