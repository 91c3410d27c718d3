"""Sessions as they are learnt from: the registry, what each taught, and what a session is told at its start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.extraction import Extraction
    from learnt.model.scope import Sight
    from learnt.model.thread import Rank, Summary, Thread, ThreadMode


class Threads(Protocol):
    """The registry of sessions. Everything that changes it stands inside the store's transaction."""

    def put(self, thread: Thread) -> None:
        """Insert, or replace by id; of a row that is there mode and `extracted` stay as they are."""
        ...

    def get(self, sight: Sight, thread_id: str) -> Thread | None:
        """The session with this id."""
        ...

    def latest(self, sight: Sight, limit: int) -> tuple[Thread, ...]:
        """`updated_at` descending, then id."""
        ...

    def mark(self, sight: Sight, thread_id: str, mode: ThreadMode) -> bool:
        """Set whether it is learnt from; whether it is known."""
        ...

    def worked(self, sight: Sight, thread_id: str, until: str) -> bool:
        """Set how far phase 1 has worked, "" for not at all; whether it is known."""
        ...

    def remove(self, sight: Sight, thread_ids: Sequence[str]) -> tuple[str, ...]:
        """Take sessions off the registry, and what they taught with them; gives those that were there."""
        ...


class Extractions(Protocol):
    """What sessions taught, one row a session. Writes stand inside the store's transaction."""

    def put(self, extraction: Extraction) -> bool:
        """Insert or replace by session, unless the row is of a later state of the session; whether it was written.

        What counts the use of a row, and whether a consolidation took it, stays.
        """
        ...

    def get(self, sight: Sight, session_id: str) -> Extraction | None:
        """What this session taught."""
        ...

    def many(self, sight: Sight, session_ids: Sequence[str]) -> tuple[Extraction, ...]:
        """Those of `session_ids` that `sight` may see, by session id."""
        ...

    def ranks(self, sight: Sight) -> tuple[Rank, ...]:
        """What the choice goes by, of all of them, by session id."""
        ...

    def remove(self, sight: Sight, session_ids: Sequence[str]) -> tuple[str, ...]:
        """Take rows away; gives the sessions whose rows were there, by id."""
        ...

    def select(self, sight: Sight, taken: Mapping[str, str]) -> int:
        """Mark what a consolidation took, and nothing else; gives how many are marked now.

        Args:
            taken: `source_updated_at` by session, as they were read; a row that was written anew since is not marked.
        """
        ...

    def cite(self, sight: Sight, session_ids: Sequence[str], now: str) -> int:
        """Count one use of each; gives how many are known."""
        ...


class Summaries(Protocol):
    """What starting sessions are told, one present text a scope. Writes stand inside the store's transaction."""

    def put(self, summary: Summary) -> None:
        """Make this the present one of its scope."""
        ...

    def current(self, sight: Sight) -> Summary | None:
        """The present one, the latest made of several scopes."""
        ...

    def prune(self, sight: Sight, before: str) -> int:
        """Remove those made before an instant that are not the present one; gives how many."""
        ...

    def clear(self, sight: Sight) -> int:
        """Remove all of them; gives how many."""
        ...
