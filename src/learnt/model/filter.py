"""What a listing is narrowed to, and a page of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from learnt.errors import UsageError

if TYPE_CHECKING:
    from learnt.model.kinds import Kind, ProposalStatus, Status

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
        include_expired: Without it an active memory past `expires_at` is left out.
        as_of: What held then, as far as the rows tell: valid, not expired, and not retired by then, whatever became of
            it since. Looks at every status. "" for now.
        limit: 1 to 1,000. `after` is the `next` of the page before.
    """

    statuses: tuple[Status, ...] = ("active",)
    kinds: tuple[Kind, ...] = ()
    tag: str = ""
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
        bounded(self.limit)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing: the values, how many match in all, and where the next page begins ("" at the end)."""

    values: tuple[T, ...]
    total: int
    next: str = ""
