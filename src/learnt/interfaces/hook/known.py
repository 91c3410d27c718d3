"""A memory or an observation as a hook reads it, and whether it may be shown here and now."""

from __future__ import annotations

from learnt.gate.clearance import PATTERN_SET
from learnt.inject.block import Shown
from learnt.recall.factors import labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from learnt.interfaces.hook.pinned import Looks
    from learnt.interfaces.hook.visit import ScopeRow, Visit

TRUST_RANK = {"person": 0, "repository": 1, "tool": 2, "agent": 3, "external": 4}
OBSERVATIONS_SCANNED = 64
"""The newest observations of a scope that are looked at. Source: part 1, a bounded scan."""

MAX_ITEMS = 20
"""The most a recall ranks. Source: swarm-memory seed, gateway."""


class Known:
    """One memory, or one observation (`observed`).

    Attributes:
        flags: How many readers have flagged it.
        dispute: What there is to say of others that disagree; "" for nothing.
        label: What there is to say of its code beside the work tree; "" for nothing.
        run: The run or session that wrote it; "" when unknown.
        quote, ref: Of an observation: the words it rests on, and where they stand.
        signals: Of an observation: its packed token sets.
    """

    __slots__ = (
        "clearance",
        "confidence",
        "dispute",
        "expires_at",
        "flags",
        "id",
        "kind",
        "label",
        "observed",
        "q_value",
        "quote",
        "ref",
        "run",
        "scope",
        "signals",
        "text",
        "trust",
        "updated_at",
        "valid_from",
    )

    id: str
    kind: str
    trust: str
    confidence: float
    q_value: float
    updated_at: str
    expires_at: str | None
    valid_from: str
    clearance: str
    text: str
    run: str
    flags: int

    def __init__(self, scope: ScopeRow) -> None:
        self.scope = scope
        self.observed = False
        self.flags = 0
        self.quote = self.ref = self.signals = self.label = self.dispute = ""

    def worth(self) -> tuple[float, ...]:
        """How valuable it is where nothing was asked, best first: no flags, trust, q, confidence; then the newer."""
        return (min(self.flags, 3), TRUST_RANK.get(self.trust, 4), -self.q_value, -self.confidence)

    def stands(self, looks: Looks) -> bool:
        """Whether the code it rests on is still there; says in `label` what became of it. Observations have no pins."""
        label = "" if self.observed else looks.label(self.id)
        self.label = label or ""
        return label is not None

    def shown(self, visit: Visit, score: float | None = None) -> Shown:
        """The item for the block."""
        source = self.ref
        if not source and not self.observed:
            row = visit.row("detail", (self.id,))
            source = str(row[3]) if row else ""
        return Shown(
            id=self.id,
            kind=self.kind,
            scope=self.scope.type,
            trust=self.trust,
            confidence=self.confidence,
            updated_at=self.updated_at,
            text=self.text,
            score=score,
            source=source,
            labels=(
                *labels(self.confidence, observation=self.observed, flagged=self.flags),
                *filter(None, (self.label, self.dispute, visit.label)),
            ),
            quote=self.quote,
        )


def memory_of(row: tuple[Any, ...], scope: ScopeRow) -> Known:
    """The memory of a row of `latest` or `warning`."""
    known = Known(scope)
    (
        known.id,
        known.kind,
        known.trust,
        known.confidence,
        known.q_value,
        known.updated_at,
        known.expires_at,
        known.valid_from,
        known.clearance,
        known.text,
        known.run,
        known.flags,
    ) = row
    return known


def observation_of(visit: Visit, row: tuple[Any, ...], scope: ScopeRow) -> Known:
    """The observation of a row of `observations` or `observation`."""
    known = Known(scope)
    known.observed = True
    known.id, known.updated_at, known.clearance, known.text, known.signals, proposal = row
    known.valid_from, known.q_value = known.updated_at, 0.5
    detail = visit.row("observation_detail", (proposal,)) or ("lesson", "agent", 0.5, None, "", "", "")
    (
        known.kind,
        known.trust,
        known.confidence,
        known.expires_at,
        known.quote,
        known.ref,
        known.run,
    ) = detail
    return known


def observations(visit: Visit) -> Iterator[Known]:
    """The newest observations of the repository here that may be shown, newest first."""
    for scope in visit.scopes:
        if scope.type == "repository":
            for row in visit.rows("observations", (scope.no, OBSERVATIONS_SCANNED)):
                known = observation_of(visit, row, scope)
                if allowed(visit, known):
                    yield known


def allowed(visit: Visit, known: Known) -> bool:
    """Whether it holds now, is not excluded, and was cleared by the present pattern set (else it is counted)."""
    limits = visit.limits
    if known.expires_at and known.expires_at <= visit.now:
        return False
    if known.valid_from > visit.now or known.q_value < limits.suppressed_below or known.kind in limits.exclude_kinds:
        return False
    if known.observed and known.trust == "external":
        return False
    return cleared(visit, known.clearance)


def cleared(visit: Visit, clearance: str) -> bool:
    """Whether the present pattern set cleared a text; one it did not is counted, to be scanned by the next command."""
    if clearance == PATTERN_SET:
        return True
    visit.uncleared += 1
    return False
