"""What forgetting needs of a store: to find what hangs on a memory, to take it away, and to keep it away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.forget import Kin, Trace
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope, Sight


class Erasure(Protocol):
    """The ends of what `Memories.remove` leaves. Everything but `linked`, `speaking` and `citing` writes."""

    def linked(self, sight: Sight) -> tuple[Kin, ...]:
        """Every memory that was made of others, was superseded, or was worded anew, by id. Reads all rows in sight."""
        ...

    def speaking(self, sight: Sight, names: Sequence[str]) -> tuple[Proposal, ...]:
        """Proposals of any status that hold one of these ids anywhere, by id. Reads all proposals in sight."""
        ...

    def wordings(self, sight: Sight) -> tuple[tuple[str, str], ...]:
        """Id and text of every proposal in sight that has a text, by id."""
        ...

    def withdraw(self, sight: Sight, proposal_ids: Sequence[str]) -> tuple[str, ...]:
        """Remove proposals with their anchors; gives those that were there. The feed tells of observations."""
        ...

    def citing(self, sight: Sight, refs: Sequence[str]) -> tuple[str, ...]:
        """Ids of memories whose record may hold one of these references, by id. Reads all rows in sight."""
        ...

    def blank(self, sight: Sight, names: Sequence[str]) -> tuple[str, ...]:
        """Take the text of these units (references or ids) away, with its index and vectors; gives the references.

        Commands that were seen to work there go with them, and what memories were while they cited them. An empty unit
        stays in its place and is cited for ever, so that the same reference is never filled again. What
        else is known of a document (title, address, question) goes too.
        """
        ...

    def relist(self, memory_ids: Sequence[str], rewrite: Callable[[Bundle], Bundle]) -> int:
        """Take memories off the receipts that list them, each receipt as `rewrite` makes it; gives how many."""
        ...


class Leavers(Protocol):
    """Whoever, or whatever repository, is to leave whole."""

    def said(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """Evidence that one of these said, or whose text holds one of these names, in the order it was kept.

        Without regard to the case of ASCII letters. Reads all evidence in sight.
        """
        ...

    def unsay(self, sight: Sight, writers: Sequence[str]) -> int:
        """Remove the outcomes and flags of these writers, open or cleared; gives how many."""
        ...

    def scopes(self, repository_id: str) -> tuple[Scope, ...]:
        """Every scope of a repository that was ever written to: its own, and those of its runs and agents.

        Args:
            repository_id: "" for every scope there is.
        """
        ...

    def clear(self, sight: Sight) -> Mapping[str, int]:
        """Remove what was learnt in these scopes: counts by name of memories, proposals, extractions, recipes and jobs.

        Evidence, sessions and the registry of them stay, and so do events, receipts and digests. Of jobs only those of
        `learnt.model.thread.JOBS` go; a worker that holds one has lost it.
        """
        ...

    def end(self, sight: Sight) -> Mapping[str, int]:
        """Remove everything of these scopes, with all that was made of it and their other names; counts by name.

        Events stay: they hold no text. So do digests: what was forgotten before does not come back.
        """
        ...


class Digests(Protocol):
    """Keyed digests of what was forgotten. They are ids to the store, and only `lift` takes them away."""

    def hold(self, scope: Scope, digests: Mapping[str, Trace], now: str) -> None:
        """Keep these; one that is held stays as it was."""
        ...

    def among(self, sight: Sight, digests: Sequence[str]) -> frozenset[str]:
        """Those of `digests` that are held in a scope in sight."""
        ...

    def lift(self, sight: Sight, digests: Sequence[str]) -> int:
        """Let go of these, because a person says it again; gives how many were held."""
        ...

    def count(self, sight: Sight) -> int:
        """How many are held."""
        ...
