"""Whether the audit trail is the one that was written, held against everything outside of the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.audit.chain import verify as by_itself
from learnt.audit.judge import Case
from learnt.audit.statement import anchored, read
from learnt.audit.witness import Accepted, Anchor, Witness
from learnt.errors import UnsupportedError
from learnt.model.seal import log_key

if TYPE_CHECKING:
    from learnt.audit.report import Report
    from learnt.flows.means import Means
    from learnt.ports.anchors import Place
    from learnt.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The audit trail's report."""

    report: Report
    supported: bool = True

    @property
    def verified(self) -> bool:
        """Whether there is a trail, and it holds."""
        return self.supported and self.report.verified

    @property
    def checkpoints(self) -> int:
        """How many checkpoints hold."""
        return self.report.checkpoints


def verify(means: Means) -> Verification:
    """Walk the whole trail; cost is linear in the number of events. Writes nothing.

    Raises:
        AuditKeyError: What this machine keeps of the log cannot be read.
    """
    if "audit" in means.store.lacks:
        return Verification(report=by_itself((), None), supported=False)
    trail = means.store.trail
    end = trail.end()
    if means.keyring is None:
        return Verification(report=by_itself(trail.rows(0, end.position), end.head))
    case = Case(end, trail.checkpoints(), witness(means, end.log))
    early = next(trail.rows(-(2**63), case.after), None)
    return Verification(report=case.judged(trail.rows(case.after, end.position), early))


def need_trail(means: Means) -> None:
    """Refuse where the store answers for no trail.

    Raises:
        UnsupportedError: Such a store.
    """
    if "audit" in means.store.lacks:
        raise UnsupportedError("This store answers for no audit trail.")


def alone(store: Store) -> Report:
    """What can be told of a trail without keys and anchors: by its chain and by its own checkpoints."""
    end = store.trail.end()
    case = Case(end, store.trail.checkpoints(), Witness(served=True))
    return case.judged(store.trail.rows(case.after, end.position), None)


def witness(means: Means, log: str, *, anchors: bool = True) -> Witness:
    """What is known of a log outside of the store.

    Args:
        anchors: Read them too.
    """
    ring = means.keyring
    if ring is None:
        return Witness(served=means.served)
    record = ring.record(log)
    return Witness(
        keys={name: log_key(master, log) for name, master in ring.masters().items()},
        pinned=record.pinned,
        signed=read(record.signed) if record.signed else None,
        seen=ring.seen(log),
        start=ring.start,
        missed=ring.met(log),
        replaced=ring.replaced(log),
        accepted=Accepted(position=record.accepted[0], head=record.accepted[1], at=record.accepted[2])
        if record.accepted
        else None,
        anchors=tuple(map(_read, means.anchors)) if anchors else (),
        served=means.served,
    )


def _read(place: Place) -> Anchor:
    """What an anchor holds; lines that are none of ours are passed over."""
    lines, fault = place.lines()
    found = tuple(each for each in map(anchored, lines) if each is not None)
    return Anchor(name=place.name, lines=found, fault=fault)
