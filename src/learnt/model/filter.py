"""What a listing is narrowed to, and a page of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from learnt.errors import UsageError

if TYPE_CHECKING:
    from learnt.model.kinds import Kind, Operation, ProposalStatus, Status, Trust

T = TypeVar("T")

MOST_LISTED = 1_000
MOST_PAST = 10_000
"""Of what happened: sessions read, recalls made."""


def bounded(limit: int, most: int = MOST_LISTED) -> int:
    """How many to list, as it was given.

    Raises:
        UsageError: Not from 1 to `most`.
    """
    if not 1 <= limit <= most:
        raise UsageError(f"A listing has 1 to {most:,} entries.", code="limit")
    return limit


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """A listing of memories.

    Attributes:
        statuses: Empty for all.
        flagged: Only those with open flags.
        include_expired: Without it an active memory past `expires_at` is left out.
        as_of: What was recorded by then, in the state it had then, and of that what held then: active, valid, not
            expired, whatever became of it since. Statuses are not looked at. "" for now.
        limit: 1 to 1,000. `after` is the `next` of the page before.
    """

    statuses: tuple[Status, ...] = ("active",)
    kinds: tuple[Kind, ...] = ()
    tag: str = ""
    flagged: bool = False
    include_expired: bool = False
    as_of: str = ""
    limit: int = 50
    after: str = ""

    def __post_init__(self) -> None:
        bounded(self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalFilter:
    """A listing of proposals. `statuses` empty for all; `newest_first` orders by time instead of expected value."""

    statuses: tuple[ProposalStatus, ...] = ("pending",)
    observations_only: bool = False
    newest_first: bool = False
    limit: int = 50

    def __post_init__(self) -> None:
        bounded(self.limit, MOST_PAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """Which waiting proposals are meant; what is empty does not narrow.

    Attributes:
        session: Those that came of a session or rest on it: its id, or the beginning of one (8 characters or more).
        words: All of these stand in the text or the rationale, letter case apart.
        ids: These proposals.
        expired: Those that left the queue unanswered, instead of those that wait.
        limit: Most entries shown.
    """

    kinds: tuple[Kind, ...] = ()
    operations: tuple[Operation, ...] = ()
    trusts: tuple[Trust, ...] = ()
    session: str = ""
    words: str = ""
    ids: tuple[str, ...] = ()
    expired: bool = False
    limit: int = 50

    def __post_init__(self) -> None:
        bounded(self.limit)

    @property
    def is_open(self) -> bool:
        """Whether it means everything that waits."""
        return not (self.kinds or self.operations or self.trusts or self.session or self.words or self.ids)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing: the values, how many match in all, and where the next page begins ("" at the end)."""

    values: tuple[T, ...]
    total: int
    next: str = ""
