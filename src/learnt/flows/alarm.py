"""What the gate refused, held, dropped or could not judge, told to the trail of events.

Names of patterns, types and ids, never a text. Source of the names: lessons seed (memory guard), swarm-memory seed
(personal data). Telling never changes what is told of: where the store takes no event now, the answer stands.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final

from learnt.errors import AuditKeyError, StoreBusyError, StoreFullError, StoreReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.gate.personal import Summary
    from learnt.model.event import ChainRow
    from learnt.model.verdict import Verdict

WRITE_REFUSED: Final = "MEMORY_WRITE_REFUSED"
RECALL_DROPPED: Final = "MEMORY_RECALL_DROPPED"
PII_REJECTED: Final = "pii_rejected"
UNSCANNED: Final = "memory.write_scan_unavailable"
DIGEST_DROPPED: Final = "memory.transcript_digest_dropped"
SECURITY: Final = (WRITE_REFUSED, RECALL_DROPPED, PII_REJECTED, UNSCANNED, DIGEST_DROPPED)
"""Events of the gate, in the order they are documented."""
TARGET: Final = "memory"
"""What an event is about that is about nothing stored: a constant, which tells nothing. Source: swarm-memory seed."""
AGAIN_S: Final = 3_600.0
"""How long a memory that was dropped is not told of again by this process. Source: lessons seed."""
_MOST: Final = 10_000
MOST_NAMED: Final = 100
"""An event about many writes names so many of them; it counts all."""


def judged(means: Means, verdict: Verdict, door: str) -> None:
    """Tell what the gate said of a write, unless it may pass; outside of any transaction.

    Args:
        door: The verb that was asked to write.
    """
    if verdict.outcome == "incomplete":
        tell(means, UNSCANNED, {"door": door, "reason": "incomplete"})
    elif verdict.outcome in {"refuse", "quarantine"}:
        found = {"patterns": list(verdict.classes), "fields": list(verdict.fields)}
        tell(means, WRITE_REFUSED, {"door": door, "verdict": verdict.outcome, **found})


@dataclass(slots=True)
class Tally:
    """What the gate said of many writes of one door: told as one event a verdict, however many there were.

    Attributes:
        incomplete: Writes whose scan did not finish.
        private: Those that were not taken for personal data.
    """

    incomplete: int = 0
    private: int = 0
    _types: set[str] = field(default_factory=set)
    _score: float = 0.0
    _counts: Counter[str] = field(default_factory=Counter)
    _names: dict[str, list[str]] = field(default_factory=dict)
    _patterns: dict[str, set[str]] = field(default_factory=dict)
    _fields: dict[str, set[str]] = field(default_factory=dict)

    def add(self, name: str, verdict: Verdict) -> None:
        """Note one write.

        Args:
            name: The id it would have had.
        """
        said = verdict.outcome
        if said == "incomplete":
            self.incomplete += 1
        elif said in {"refuse", "quarantine"}:
            self._counts[said] += 1
            names = self._names.setdefault(said, [])
            if len(names) < MOST_NAMED:
                names.append(name)
            self._patterns.setdefault(said, set()).update(verdict.classes)
            self._fields.setdefault(said, set()).update(verdict.fields)

    def add_private(self, name: str, found: Summary) -> None:
        """Note one that was not taken for personal data."""
        self.private += 1
        self._types.update(found.counts)
        self._score = max(self._score, found.score)
        names = self._names.setdefault(PII_REJECTED, [])
        if len(names) < MOST_NAMED:
            names.append(name)

    def tell(self, means: Means, door: str, run: str) -> None:
        """Tell of all that was noted; outside of any transaction."""
        for said, count in sorted(self._counts.items()):
            found = {"patterns": sorted(self._patterns[said]), "fields": sorted(self._fields[said])}
            named = {"count": count, "memories": self._names[said], "run": run}
            tell(means, WRITE_REFUSED, {"door": door, "verdict": said, **found, **named})
        if self.private:
            named = {"count": self.private, "memories": self._names[PII_REJECTED], "run": run}
            tell(means, PII_REJECTED, {"door": door, "types": sorted(self._types), "score": self._score, **named})
        if self.incomplete:
            tell(means, UNSCANNED, {"door": door, "reason": "incomplete", "count": self.incomplete, "run": run})


def tell(means: Means, operation: str, detail: Mapping[str, object]) -> None:
    """Add one event about nothing stored, where the store takes it."""
    event = means.event(operation, TARGET, means.clock.now(), detail)
    with suppress(StoreReadOnlyError, StoreBusyError, StoreFullError, AuditKeyError), means.store.transaction():
        means.store.events.append(event)


class _Told:
    """When each memory was last told of, the latest ten thousand of them."""

    def __init__(self) -> None:
        self._at: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def due(self, names: Sequence[str], now_s: float) -> list[str]:
        """Those of `names` not told of within the last hour; they count as told of from now on."""
        with self._lock:
            found = [name for name in names if now_s - self._at.get(name, -AGAIN_S) >= AGAIN_S]
            for name in found:
                self._at[name] = now_s
                self._at.move_to_end(name)
            while len(self._at) > _MOST:
                self._at.popitem(last=False)
            return found


_TOLD = _Told()


def dropped(means: Means, found: Mapping[str, Sequence[str]]) -> None:
    """Tell that recall held memories back: which, and for what patterns; each once an hour.

    Args:
        found: Names of patterns by the memory's id.
    """
    due = _TOLD.due([f"{means.identity.repository_id}\n{name}" for name in found], means.monotonic_s())
    names = [each.rpartition("\n")[2] for each in due]
    if names:
        patterns = sorted({pattern for name in names for pattern in found[name]})
        tell(means, RECALL_DROPPED, {"count": len(names), "memories": names, "patterns": patterns})


def listed(means: Means, operation: str, limit: int) -> tuple[tuple[ChainRow, ...], int]:
    """The newest events of a type, newest first, and how many there are in all; the trail is read once.

    Args:
        operation: A type of event, `security` for those of the gate, "" for all.
    """
    wanted = set(SECURITY) if operation == "security" else {operation}
    newest: deque[ChainRow] = deque(maxlen=max(1, limit))
    total = 0
    for row in means.store.events.chain():
        if not operation or row.operation in wanted:
            newest.append(row)
            total += 1
    return tuple(reversed(newest)), total
