"""One event proven, and the whole trail given away: both to be checked by somebody who has neither store nor keys."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from learnt.audit.statement import read, stated
from learnt.audit.tree import Peaks, includes, inclusion, leaf
from learnt.errors import NotFoundError
from learnt.flows.audit import need_trail
from learnt.flows.spans import ranges, spans
from learnt.model.chain import hash_of
from learnt.model.seal import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.audit.statement import Statement
    from learnt.flows.means import Means
    from learnt.model.checkpoint import Checkpoint
    from learnt.model.event import ChainRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """That an event is part of what a checkpoint speaks of.

    Attributes:
        row_hash: Of the event. `path`: the hashes beside its way up to the root, hex, lowest first.
        holds: Whether event, path and checkpoint agree.
    """

    event: ChainRow
    row_hash: str
    path: tuple[str, ...]
    checkpoint: Checkpoint
    statement: Statement
    holds: bool


def prove(means: Means, event_id: str) -> Proof:
    """The proof of one event by the last checkpoint; it reads at most 512 events however many there are.

    Raises:
        NotFoundError: No such event, or no checkpoint speaks of it yet.
    """
    need_trail(means)
    event = means.store.events.get(event_id)
    if event is None:
        raise NotFoundError("There is no such event.", hint="`learnt audit list` shows them.")
    found = _checkpoint(means, event.position)
    if found is None:
        raise NotFoundError("No checkpoint speaks of this event yet.", hint="`learnt audit checkpoint` makes one.")
    checkpoint, statement = found
    row_hash = hash_of(event)
    index, size = event.position - 1, statement.size
    left = Peaks(checkpoint.cut, map(bytes.fromhex, checkpoint.cut_peaks))
    path = inclusion(index, size, spans(means.store.trail, dict(ranges(left)), statement.cut))
    hashed = leaf(said(event.position, row_hash))
    return Proof(
        event=event,
        row_hash=row_hash,
        path=tuple(each.hex() for each in path),
        checkpoint=checkpoint,
        statement=statement,
        holds=includes(bytes.fromhex(statement.root), size, index, hashed, path),
    )


def _checkpoint(means: Means, position: int) -> tuple[Checkpoint, Statement] | None:
    """The largest checkpoint that its key signed and that speaks of a position; of several this machine's."""
    log = means.store.trail.end().log
    own = means.keyring.record(log).installation if means.keyring else ""
    kept = [each for each in means.store.trail.checkpoints() if each.size >= position]
    for each in sorted(kept, key=lambda one: (one.size, one.installation == own, one.epoch), reverse=True):
        if (statement := stated(each)) is not None and statement.log == log:
            return each, statement
    return None


def exported(means: Means) -> Iterator[str]:
    """The trail as lines of JSON: where it ends, all events, all checkpoints. No text, and no keys."""
    need_trail(means)
    return _exported(means)


def _exported(means: Means) -> Iterator[str]:
    trail = means.store.trail
    end, kept = trail.end(), trail.checkpoints()
    yield _line("trail", {"log": end.log, "events": end.position, "head": end.head, "seal": end.seal})
    after = max((found.cut for each in kept if (found := read(each.statement))), default=0)
    for row in trail.rows(after, end.position):
        yield _line("event", asdict(row))
    for each in kept:
        yield _line("checkpoint", {**asdict(each), "peaks": list(each.peaks), "cut_peaks": list(each.cut_peaks)})


def _line(sort: str, fields: dict[str, object]) -> str:
    return json.dumps({"type": sort, **fields}, ensure_ascii=False, separators=(",", ":"))
