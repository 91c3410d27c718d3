"""The trail signed, anchored, cut at its beginning, taken as it is, and marked with another key from now on."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.audit import signer as signing
from learnt.audit.chain import earliest
from learnt.audit.signer import Signer
from learnt.audit.statement import line, read, stated
from learnt.audit.tree import Peaks, consistency
from learnt.audit.walk import Walk
from learnt.errors import AuditKeyError
from learnt.flows.audit import verify, witness
from learnt.flows.decide import person_required
from learnt.flows.spans import Growing, ranges, spans
from learnt.model.event import GENESIS
from learnt.model.instant import plus_days

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.audit.report import Divergence
    from learnt.audit.statement import Statement
    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.model.checkpoint import Checkpoint, End
    from learnt.model.keyring import Record
    from learnt.ports.anchors import Place
    from learnt.ports.seals import Keyring


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """What became of a checkpoint at one anchor; `fault` is "" where it was put."""

    name: str
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A checkpoint that was made, or the last one where nothing had happened since.

    Attributes:
        proof: That its tree begins with that of the checkpoint before, hex.
        removed: How many events were cut off. `event`: the event that tells of it; "" where nothing was made.
        anchors: One for each place.
    """

    checkpoint: Checkpoint
    proof: tuple[str, ...]
    anchors: tuple[Put, ...]
    removed: int = 0
    event: str = ""

    @property
    def anchored(self) -> bool:
        """Whether every place took it."""
        return not any(each.fault for each in self.anchors)


@dataclass(frozen=True, slots=True)
class Broken:
    """The trail does not hold, so nothing was signed."""

    divergence: Divergence


class _BrokenError(Exception):
    """Ends the transaction in which the trail was found not to hold."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.detail)
        self.divergence = divergence


@dataclass(slots=True)
class _Base:
    """What a checkpoint goes on from: the last one made here, with its tree; or the beginning."""

    statement: Statement | None
    tree: Peaks
    cut: tuple[int, str, str]
    cut_peaks: list[bytes]

    @property
    def head(self) -> str:
        """The hash of the last event it speaks of."""
        return self.statement.head if self.statement else (self.cut[2] or GENESIS)


def checkpoint(
    means: Means, *, before: str = "", accept: bool = False, renew: bool = False
) -> Signed | Broken | Refusal:
    """Sign the trail as it is and put that into every anchor. Only what came since the last one is read.

    Args:
        before: Remove events older than this instant, which what is signed then says.
        accept: A person takes the trail as it is, whatever does not hold; that is an event, and `verify` tells of it.
        renew: Go on with fresh randomness: what was known of the present key is of no use any more.

    Raises:
        AuditKeyError: The folder of keys cannot be read or written.
        StoreError: The store cannot be written.
    """
    if (before or accept or renew) and (refused := person_required(means, "audit checkpoint")):
        return refused
    return _checkpoint(means, before, accept=accept, renew=renew)


def tend(means: Means) -> Signed | Broken | None:
    """What the settings ask for, where it is time: a checkpoint, and old events removed. None where nothing is due."""
    if not due(means):
        return None
    days = means.own.audit.retention_days
    return _checkpoint(means, plus_days(means.clock.now(), -days) if days else "")


def _checkpoint(means: Means, before: str, *, accept: bool = False, renew: bool = False) -> Signed | Broken:
    ring = _ring(means)
    if before and (first := verify(means).report.divergence):
        return Broken(first)
    ahead = _ahead(means, ring, marked=not accept)
    try:
        with means.store.transaction():
            signed, record = _made(means, ring, ahead, before, accept=accept, renew=renew)
    except _BrokenError as error:  # the event of the checkpoint is undone with it
        return Broken(error.divergence)
    if record is not None:
        ring.keep(record)
        if accept:
            ring.settle(record.log)
    return replace(signed, anchors=_anchored(means, signed))


def rotate(means: Means) -> tuple[str, str, Signed] | Broken | Refusal:
    """Mark events with a fresh key from now on, and sign with fresh randomness after this checkpoint.

    Gives the names of the old and the new key. The old one stays in the folder of keys, to verify with.
    """
    if refused := person_required(means, "audit rotate"):
        return refused
    old, new = _ring(means).rotate()
    now = means.clock.now()
    with means.store.transaction():
        means.store.events.append(means.event("audit_key", new, now, {"from": old, "to": new}))
    done = _checkpoint(means, "", renew=True)
    return (old, new, done) if isinstance(done, Signed) else done


def due(means: Means) -> bool:
    """Whether so much happened since the last checkpoint of this machine that it is time for another."""
    if means.keyring is None or not means.own.audit.checkpoint_events:
        return False
    end = means.store.trail.end()
    if not end.log:
        return False
    last = read(means.keyring.record(end.log).signed)
    return end.position - (last.size if last else 0) >= means.own.audit.checkpoint_events


def _ring(means: Means) -> Keyring:
    if means.keyring is None:
        raise AuditKeyError("This store is opened without a folder of keys.")
    return means.keyring


@dataclass(slots=True)
class _Ahead:
    """What was read before the store was locked."""

    end: End
    kept: tuple[Checkpoint, ...]
    record: Record
    base: _Base
    tree: Growing
    walk: Walk


def _ahead(means: Means, ring: Keyring, *, marked: bool) -> _Ahead:
    """Everything since the last checkpoint made here, gone through."""
    trail = means.store.trail
    end, kept = trail.end(), trail.checkpoints()
    record = ring.record(end.log)
    base = _base(record, kept, end)
    tree = Growing(base.tree)
    keys = witness(means, end.log, anchors=False).keys if marked else {}
    walk = Walk(keys, (), tree, base.head)
    walk.go(trail.rows(tree.size, end.position))
    return _Ahead(end, kept, record, base, tree, walk)


def _made(
    means: Means, ring: Keyring, ahead: _Ahead, before: str, *, accept: bool, renew: bool
) -> tuple[Signed, Record | None]:
    """The checkpoint, in the store; and what to keep beside it, once it is committed."""
    trail, now = means.store.trail, means.clock.now()
    if trail.checkpoints() != ahead.kept or trail.end().log != ahead.end.log:
        ahead = _ahead(means, ring, marked=not accept)
    base, record = ahead.base, ahead.record
    if base.statement and trail.end().position == base.statement.size and not (before or accept or renew):
        last = next(each for each in ahead.kept if each.statement == record.signed)
        return Signed(checkpoint=last, proof=(), anchors=()), None
    event = means.event("audit_accept" if accept else "checkpoint", "audit", now, {"before": trail.end().position})
    means.store.events.append(event)
    end = trail.end()
    if not end.log:
        raise AuditKeyError("No key can be kept, so nothing can be signed: `learnt doctor` names the folder.")
    record = record if record.log == end.log else ring.record(end.log)
    ahead.walk.go(trail.rows(ahead.end.position, end.position))
    ahead.walk.finish(end)
    if not accept and (fault := earliest(ahead.walk.faults)):
        raise _BrokenError(fault)
    cut, cut_peaks, removed = _cut(means, base, end, before)
    signer = _signer(record, ahead.kept)
    fresh, public = signer.renewed(secrets.token_bytes(32)) if renew else (signer.after(signer.epoch), b"")
    tree = ahead.walk.tree
    statement, signature = signer.sign(
        log=end.log, size=end.position, root=tree.root().hex(), head=end.head or "", at=now, cut=cut, then=public
    )
    made = signing.checkpoint(statement, signature, tree.hashes, cut_peaks)
    proof = _proof(means, base, end.position)
    trail.keep(made, ahead.tree.nodes)
    record = _recorded(record, signer, fresh, statement, ahead.kept)
    if accept:
        own = signer.installation.hex()
        pinned = {**record.pinned, own: (signer.epoch, statement.key)}
        record = replace(record, accepted=(end.position, end.head or "", now), pinned=pinned)
    return Signed(checkpoint=made, proof=proof, anchors=(), removed=removed, event=event.id), record


def _base(record: Record, kept: tuple[Checkpoint, ...], end: End) -> _Base:
    """The last checkpoint made here, if it is still there and the trail reaches it."""
    mine = [each for each in kept if each.installation == record.installation and each.statement == record.signed]
    found = stated(mine[-1]) if mine else None
    cuts = [each for each in (stated(one) for one in kept if one.cut) if each is not None]
    largest = max(cuts, key=lambda each: each.cut, default=None)
    row = next((each for each in kept if largest and each.statement == largest.text), None)
    cut = (largest.cut, largest.cut_root, largest.cut_head) if largest else (0, "", "")
    cut_peaks = [bytes.fromhex(each) for each in row.cut_peaks] if row else []
    if found is not None and found.size <= end.position and found.size >= cut[0]:
        return _Base(found, Peaks(found.size, map(bytes.fromhex, mine[-1].peaks)), cut, cut_peaks)
    return _Base(None, Peaks(cut[0], cut_peaks), cut, cut_peaks)


def _signer(record: Record, kept: tuple[Checkpoint, ...]) -> Signer:
    """Who signs: past every key that has signed something that is in the store."""
    if not record.installation:
        return Signer.new(secrets.token_bytes(16), secrets.token_bytes(32))
    epoch, key = record.pinned[record.installation]
    signer = Signer(
        installation=bytes.fromhex(record.installation),
        epoch=record.epoch,
        secret=bytes.fromhex(record.secret),
        first=bytes.fromhex(key),
        began=epoch,
    )
    used = max((each.epoch for each in kept if each.installation == record.installation), default=-1)
    return signer.after(used)


def _recorded(
    record: Record, signer: Signer, fresh: Signer, statement: Statement, kept: tuple[Checkpoint, ...]
) -> Record:
    own = signer.installation.hex()
    pinned: Mapping[str, tuple[int, str]] = {
        **_met(kept, statement.log),
        **record.pinned,
        own: record.pinned.get(own, (signer.epoch, statement.key)),
    }
    return replace(
        record, installation=own, epoch=fresh.epoch, secret=fresh.secret.hex(), pinned=pinned, signed=statement.text
    )


def _met(kept: tuple[Checkpoint, ...], log: str) -> dict[str, tuple[int, str]]:
    """The first keys of the installations that signed here."""
    found: dict[str, tuple[int, str]] = {}
    for each in sorted(kept, key=lambda one: (one.installation, one.epoch)):
        if each.installation not in found and (said := stated(each)) is not None and said.log == log:
            found[each.installation] = (said.epoch, said.key)
    return found


def _cut(means: Means, base: _Base, end: End, before: str) -> tuple[tuple[int, str, str], list[bytes], int]:
    """Remove what is older than an instant, but the last event; how far, and what is left of it in the tree."""
    if not before:
        return base.cut, base.cut_peaks, 0
    trail, tree = means.store.trail, Peaks(base.cut[0], base.cut_peaks)
    until, walk = base.cut[0], Walk({}, (), tree, base.cut[2] or GENESIS)
    for row in trail.rows(until, end.position - 1):
        if row.timestamp >= before:
            break
        until = row.position
    walk.go(trail.rows(tree.size, until))
    if until == base.cut[0]:
        return base.cut, base.cut_peaks, 0
    return (until, tree.root().hex(), walk.hashed or ""), tree.hashes, trail.cut(until)


def _proof(means: Means, base: _Base, size: int) -> tuple[str, ...]:
    """That the tree begins with the one signed before."""
    if base.statement is None:
        return ()
    known = dict(ranges(base.tree))
    return tuple(each.hex() for each in consistency(base.tree.size, size, spans(means.store.trail, known)))


def _anchored(means: Means, signed: Signed) -> tuple[Put, ...]:
    text = line(signed.checkpoint, signed.proof)
    return tuple(Put(name=place.name, fault=_put(place, text, again=not signed.event)) for place in means.anchors)


def _put(place: Place, text: str, *, again: bool) -> str:
    """Add the line, unless it is there."""
    if again and any(each.strip() == text for each in place.lines()[0]):
        return ""
    return place.put(text)
