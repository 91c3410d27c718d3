"""What an import tells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.parcel import Backup, Fault

Result = Literal["added", "updated", "unchanged", "kept", "quarantined"]
"""`kept`: the store holds another version, and keeps it."""

MOST_TOLD: Final = 1_000
"""Of faults and of rows that were kept; the counts are of all."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far an import is: rows looked at, of all, in both passes."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A row of which the store holds another version, which it keeps: there, newer, deleted."""

    id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of an import.

    Attributes:
        run: Its id; the events of what it changed name it. "" in a dry run.
        proven: The export was made here and holds what it held: trust stays as it was.
        doubt: Why it is not proven; "" where it is, or where the format has no proof.
        skipped: It was imported before, and nothing was done; the rest is what was told then.
        counts: Chapter -> result -> rows.
        rows: Rows of the files. `repeated`: rows that a later one of the same id replaced.
        faults: Lines that are not imported, the first of them; `invalid` counts all.
        codes: The same by what they are refused for: invalid, secret, scope_foreign, forgotten, ...
        kept: What the store kept as it is, the first of them.
        ahead: Rows whose times lie ahead of the clock here; they count from now.
        torn: Files whose last line was not written to its end.
        unembedded: Active memories that came without a vector.
    """

    run: str
    format: str
    source: str
    at: str
    dry_run: bool
    proven: bool
    doubt: str = ""
    skipped: bool = False
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rows: int = 0
    repeated: int = 0
    invalid: int = 0
    faults: tuple[Fault, ...] = ()
    codes: Mapping[str, int] = field(default_factory=dict)
    kept: tuple[Kept, ...] = ()
    ahead: int = 0
    torn: tuple[str, ...] = ()
    unembedded: int = 0
    backups: tuple[Backup, ...] = ()

    def of(self, chapter: str, *results: Result) -> int:
        """How many rows of a chapter came to one of these."""
        held = self.counts.get(chapter, {})
        return sum(held.get(each, 0) for each in results)

    @property
    def whole(self) -> bool:
        """Whether every row is in the store now."""
        return not self.invalid and not self.kept


class Notes:
    """What is noted while an import goes on.

    Attributes:
        arrived: In a dry run, the memories that would have come in, with when they were made.
    """

    def __init__(self, *, dry_run: bool = False) -> None:
        self._dry_run = dry_run
        self.counts: dict[str, Counter[str]] = {}
        self.faults: list[Fault] = []
        self.codes: Counter[str] = Counter()
        self.kept: list[Kept] = []
        self.torn: dict[str, None] = {}
        self.arrived: dict[str, str] = {}
        self.invalid = self.rows = self.repeated = self.ahead = self.unembedded = 0

    def fault(self, fault: Fault, code: str) -> None:
        """A line is not imported."""
        self.invalid += 1
        self.codes[code] += 1
        if len(self.faults) < MOST_TOLD:
            self.faults.append(fault)

    def arrive(self, name: str, made_at: str) -> None:
        """A memory comes in: rows about it may follow."""
        if self._dry_run:
            self.arrived[name] = made_at

    def in_order(self) -> tuple[Fault, ...]:
        """The faults as they stand in the files."""
        files = {name: place for place, name in enumerate(dict.fromkeys(each.file for each in self.faults))}
        return tuple(sorted(self.faults, key=lambda each: (files[each.file], each.line)))

    def keep(self, chapter: str, name: str, why: str) -> None:
        """The store keeps what it has."""
        self.count(chapter, "kept")
        if len(self.kept) < MOST_TOLD:
            self.kept.append(Kept(name, why))

    def count(self, chapter: str, result: Result) -> None:
        """One row of a chapter came to this."""
        self.counts.setdefault(chapter, Counter())[result] += 1
