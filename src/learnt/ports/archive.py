"""Evidence, the sessions it was read from, and commands that worked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.evidence import EvidenceUnit, Recipe, SessionRecord
    from learnt.model.scope import Scope, Sight


class Archive(Protocol):
    """Evidence and the sessions it was read from."""

    def put_units(self, units: Iterable[EvidenceUnit]) -> int:
        """Insert; gives how many were new.

        A unit whose `ref` exists in its scope is kept as it was, but `cited` is never taken back.
        """
        ...

    def unit(self, sight: Sight, ref: str) -> EvidenceUnit | None:
        """The unit with this reference or id."""
        ...

    def cite(self, sight: Sight, refs: Sequence[str]) -> None:
        """Mark units as cited."""
        ...

    def prune(self, before: str, sight: Sight | None = None) -> int:
        """Remove uncited units observed before an instant; gives how many.

        Args:
            sight: Only in these scopes; without it in the whole store, which is its owner's to say.
        """
        ...

    def put_session(self, session: SessionRecord) -> None:
        """Insert or replace by id."""
        ...

    def session(self, sight: Sight, name: str) -> SessionRecord | None:
        """By id, host session id or path."""
        ...

    def sessions(self, sight: Sight, limit: int) -> tuple[SessionRecord, ...]:
        """Latest `ended_at` first."""
        ...

    def unseen(self, lineage: str, message_ids: Sequence[str]) -> tuple[str, ...]:
        """Those of `message_ids` that were never passed for this lineage before, in order.

        They count as passed from now on.
        """
        ...


class Recipes(Protocol):
    """Commands that worked, until two sessions agree."""

    def add(self, scope: Scope, recipe: Recipe) -> None:
        """Record one sighting; the same key in the same session counts once."""
        ...

    def find(self, sight: Sight, key: str) -> tuple[Recipe, ...]:
        """All sightings of one command, oldest first."""
        ...
