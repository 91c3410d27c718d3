"""What came of one sort of fault."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One bar: how often a fault was made, and how often what must hold did not.

    Attributes:
        bar: The bar of the security reference it counts for: C1 to C5, F1.
        fault: What was done, in words.
        tried: How often.
        broken: What did not hold, in words; empty when all did.
        told: What else is worth knowing.
    """

    bar: str
    fault: str
    tried: int
    broken: tuple[str, ...] = ()
    told: str = ""

    @property
    def met(self) -> bool:
        """Whether everything held, and anything was tried at all."""
        return self.tried > 0 and not self.broken


@dataclass(slots=True)
class Tally:
    """A verdict in the making."""

    bar: str
    fault: str
    tried: int = 0
    broken: list[str] = field(default_factory=list)

    def expect(self, holds: object, what: str) -> None:
        """Count one thing that must hold."""
        if not holds:
            self.broken.append(what)

    def verdict(self, told: str = "") -> Verdict:
        """What came of it."""
        return Verdict(bar=self.bar, fault=self.fault, tried=self.tried, broken=tuple(self.broken), told=told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much is tried: a test tries little of everything.

    Attributes:
        kills: Random kills. `processes`, `writes`: of contention. `runs`: simulated leases. `histories`: forgotten
            stores. `every`: every so many-th failing call, page, byte.
    """

    kills: int = 1_000
    processes: int = 8
    writes: int = 500
    transactions: int = 10_000
    runs: int = 10_000
    histories: int = 200
    every: int = 1


SMALL = Scale(kills=5, processes=4, writes=20, transactions=240, runs=200, histories=4, every=131)
