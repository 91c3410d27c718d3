"""What a move of a store is told and tells, and what bringing a schema to the present did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.model.keys import short_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.audit.report import Report
    from learnt.model.cargo import Chapter
    from learnt.ports.store import Store


@dataclass(frozen=True, slots=True)
class Way:
    """From where to where.

    Attributes:
        source, target: Where the stores lie, without passwords.
        open: Opens the target, which is made where there is none.
        person: The fact of the target that says who the person of its URL was here; "" where that names nobody.
    """

    source: str
    target: str
    open: Callable[[], Store]
    person: str = ""

    @property
    def origin(self) -> str:
        """What tells an interrupted move of this source from one of another."""
        return short_id(self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far a move is: rows of one chapter carried, or read back, out of all rows of all chapters.

    Attributes:
        phase: moving or checking.
    """

    phase: str
    chapter: Chapter
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One chapter at both ends: how many rows, and the digest of all of them."""

    chapter: Chapter
    rows: int
    digest: str
    arrived: int
    arrived_digest: str

    @property
    def equal(self) -> bool:
        """Whether the target holds exactly what the source gave."""
        return (self.rows, self.digest) == (self.arrived, self.arrived_digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What became of a move.

    Attributes:
        source, target: Where the stores lie, without passwords.
        as_of: The moment of the source that the target shows.
        chain: The target's audit trail, verified. A trail that was broken before is moved as it is.
        resumed: It went on where an earlier run stopped.
        restarted: What an earlier run had carried was removed first, because the source is no longer the same.
        changed: Somebody wrote to the source since `as_of`; that is not in the target.
        damaged: Chapter and name of rows of the source that cannot be read, and stay behind.
        left: How many rows of chapters stay behind because the target does not keep such.
    """

    source: str
    target: str
    as_of: str
    chapters: tuple[Account, ...]
    chain: Report
    resumed: bool
    restarted: bool
    changed: bool
    damaged: tuple[tuple[Chapter, str], ...]
    left: tuple[tuple[Chapter, int], ...] = ()

    @property
    def verified(self) -> bool:
        """Whether every chapter is equal at both ends."""
        return all(each.equal for each in self.chapters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgraded:
    """What bringing a schema to the present did.

    Attributes:
        store: Where the store lies, without a password.
        before: Version found; 0 where there was no store.
        applied: Names of the steps applied, oldest first.
    """

    store: str
    before: int
    now: int
    applied: tuple[str, ...]
