"""What a listing is narrowed to, and a page of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from learnt.model.kinds import Kind, ProposalStatus, Status

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalFilter:
    """A listing of proposals. `statuses` empty for all; `newest_first` orders by time instead of expected value."""

    statuses: tuple[ProposalStatus, ...] = ("pending",)
    observations_only: bool = False
    newest_first: bool = False
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing: the values, how many match in all, and where the next page begins ("" at the end)."""

    values: tuple[T, ...]
    total: int
    next: str = ""
