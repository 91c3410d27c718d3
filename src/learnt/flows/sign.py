"""A checkpoint made: the trail gone through since the last one, signed, and its beginning cut off on request."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.audit import signer as signing
from learnt.audit.chain import earliest
from learnt.audit.signer import Signer
from learnt.audit.statement import largest_cut, read, stated
from learnt.audit.tree import Peaks, consistency
from learnt.audit.walk import Walk
from learnt.errors import AuditKeyError
from learnt.flows.audit import witness
from learnt.flows.spans import LEVEL, Growing, ranges, spans
from learnt.model.event import GENESIS
from learnt.model.signed import Divergence, Signed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from learnt.audit.statement import Statement
    from learnt.flows.means import Means
    from learnt.model.checkpoint import Checkpoint, End
    from learnt.model.keyring import Record
    from learnt.ports.seals import Keyring
    from learnt.ports.trail import Trail


class BrokenError(Exception):
    """Ends the transaction in which the trail was found not to hold."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.detail)
        self.divergence = divergence


@dataclass(slots=True)
class Base:
    """What a checkpoint goes on from: the last one made here, with its tree; or the beginning."""

    statement: Statement | None
    tree: Peaks
    cut: tuple[int, str, str]
    cut_peaks: list[bytes]

    @property
    def head(self) -> str:
        """The hash of the last event it speaks of."""
        return self.statement.head if self.statement else (self.cut[2] or GENESIS)


@dataclass(slots=True)
class Ahead:
    """What was read before the store was locked."""

    end: End
    kept: tuple[Checkpoint, ...]
    record: Record
    base: Base
    tree: Growing
    walk: Walk


def ahead_of(means: Means, ring: Keyring, *, marked: bool) -> Ahead:
    """Everything since the last checkpoint made here, gone through."""
    trail = means.store.trail
    end, kept = trail.end(), trail.checkpoints()
    record = ring.record(end.log)
    base = _base(trail, record, kept, end)
    tree = Growing(base.tree)
    keys = witness(means, end.log, anchors=False).keys if marked else {}
    walk = Walk(keys, (), tree, base.head)
    walk.go(trail.rows(tree.size, end.position))
    return Ahead(end, kept, record, base, tree, walk)


def made(
    means: Means, ring: Keyring, ahead: Ahead, before: str, *, accept: bool, renew: bool
) -> tuple[Signed, Record | None]:
    """The checkpoint, in the store; and what to keep beside it, once it is committed."""
    trail, now = means.store.trail, means.clock.now()
    if trail.checkpoints() != ahead.kept or trail.end().log != ahead.end.log:
        ahead = ahead_of(means, ring, marked=not accept)
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
    if not accept and (fault := earliest((*ahead.walk.faults, *_alarms(ring, record, end)))):
        raise BrokenError(fault)
    proof = _proof(means, base, end.position)  # before any event that it is made of leaves
    cut, cut_peaks, removed = _cut(means, base, end, before)
    signer = _signer(record, ahead.kept)
    fresh, public = signer.renewed(secrets.token_bytes(32)) if renew else (signer.after(signer.epoch), b"")
    tree = ahead.walk.tree
    statement, signature = signer.sign(
        log=end.log, size=end.position, root=tree.root().hex(), head=end.head or "", at=now, cut=cut, then=public
    )
    kept = signing.checkpoint(statement, signature, tree.hashes, cut_peaks)
    trail.keep(kept, ahead.tree.nodes)
    record = _recorded(record, signer, fresh, statement, ahead.kept)
    if accept:
        own = signer.installation.hex()
        pinned = {**record.pinned, own: (signer.epoch, statement.key)}
        record = replace(record, accepted=(end.position, end.head or "", now), pinned=pinned)
    return Signed(checkpoint=kept, proof=proof, anchors=(), removed=removed, event=event.id), record


def _alarms(ring: Keyring, record: Record, end: End) -> Iterator[Divergence]:
    """What is known to be wrong without a walk: the trail is not what this machine saw or signed."""
    missed, signed = ring.met(end.log), read(record.signed)
    since = record.accepted[0] if record.accepted else 0
    if missed is not None and not missed.restarted and missed.found >= since:
        detail = f"a writer found the trail to end at {missed.found}, although event {missed.seen} had been seen"
        yield Divergence(position=missed.found + 1, id="", detail=detail, kind="rolled_back")
    if signed is not None and signed.size > end.position:
        detail = f"the trail ends at {end.position}, and this machine signed {signed.size} events"
        yield Divergence(position=end.position + 1, id="", detail=detail, kind="rolled_back")
    if other := ring.replaced(end.log):
        detail = f"another log lay here ({other}); it is gone, or was put in the place of this one"
        yield Divergence(position=1, id="", detail=detail, kind="replaced")


def _base(trail: Trail, record: Record, kept: tuple[Checkpoint, ...], end: End) -> Base:
    """The last checkpoint made here, if it is still there and the trail reaches it."""
    mine = [each for each in kept if each.installation == record.installation and each.statement == record.signed]
    found = stated(mine[-1]) if mine else None
    removed = largest_cut(kept, record.pinned)
    cut = (removed[1].cut, removed[1].cut_root, removed[1].cut_head) if removed else (0, "", "")
    cut_peaks = [bytes.fromhex(each) for each in removed[0].cut_peaks] if removed else []
    if found is not None and cut[0] <= found.size <= end.position and _has_nodes(trail, cut[0], found.size):
        return Base(found, Peaks(found.size, map(bytes.fromhex, mine[-1].peaks)), cut, cut_peaks)
    return Base(None, Peaks(cut[0], cut_peaks), cut, cut_peaks)


def _has_nodes(trail: Trail, cut: int, size: int) -> bool:
    """Whether the roots of subtrees were kept, of which a move leaves none: then all is gone through once more."""
    first = -(-cut >> LEVEL)
    return size < (first + 1) << LEVEL or bool(trail.nodes([(LEVEL, first)]))


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
        **_met([each for each in kept if each.installation not in record.pinned], statement.log),
        **record.pinned,
        own: record.pinned.get(own, (signer.epoch, statement.key)),
    }
    return replace(
        record, installation=own, epoch=fresh.epoch, secret=fresh.secret.hex(), pinned=pinned, signed=statement.text
    )


def _met(kept: Sequence[Checkpoint], log: str) -> dict[str, tuple[int, str]]:
    """The first keys of the installations that signed here."""
    found: dict[str, tuple[int, str]] = {}
    for each in sorted(kept, key=lambda one: (one.installation, one.epoch)):
        if each.installation not in found and (said := stated(each)) is not None and said.log == log:
            found[each.installation] = (said.epoch, said.key)
    return found


def _cut(means: Means, base: Base, end: End, before: str) -> tuple[tuple[int, str, str], list[bytes], int]:
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


def _proof(means: Means, base: Base, size: int) -> tuple[str, ...]:
    """That the tree begins with the one signed before."""
    if base.statement is None:
        return ()
    known = {**dict(ranges(Peaks(base.cut[0], base.cut_peaks))), **dict(ranges(base.tree))}
    span = spans(means.store.trail, known, base.cut[0])
    return tuple(each.hex() for each in consistency(base.tree.size, size, span))
