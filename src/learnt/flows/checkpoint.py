"""The trail signed, anchored, cut at its beginning, taken as it is, and marked with another key from now on."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.audit.statement import line, read
from learnt.errors import AuditKeyError, StoreError
from learnt.flows.audit import need_trail, verify
from learnt.flows.decide import person_required
from learnt.flows.sign import BrokenError, ahead_of, made
from learnt.model.instant import plus_days
from learnt.model.signed import Broken, Put, Signed

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.answer import Refusal
    from learnt.ports.anchors import Place
    from learnt.ports.seals import Keyring


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
    with suppress(StoreError):  # the next process makes it; `learnt doctor` tells when none did for long
        if due(means):
            days = means.own.audit.retention_days
            return _checkpoint(means, plus_days(means.clock.now(), -days) if days else "")
    return None


def _checkpoint(means: Means, before: str, *, accept: bool = False, renew: bool = False) -> Signed | Broken:
    ring = _ring(means)
    if before and (first := verify(means).report.divergence):
        return Broken(first)
    ahead = ahead_of(means, ring, marked=not accept)
    try:
        with means.store.transaction():
            signed, record = made(means, ring, ahead, before, accept=accept, renew=renew)
    except BrokenError as error:  # the event of the checkpoint is undone with it
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
    need_trail(means)
    if means.keyring is None:
        raise AuditKeyError("This store is opened without a folder of keys.")
    return means.keyring


def _anchored(means: Means, signed: Signed) -> tuple[Put, ...]:
    text = line(signed.checkpoint, signed.proof)
    return tuple(Put(name=place.name, fault=_put(place, text, again=not signed.event)) for place in means.anchors)


def _put(place: Place, text: str, *, again: bool) -> str:
    """Add the line, unless it is there."""
    if again and any(each.strip() == text for each in place.lines()[0]):
        return ""
    return place.put(text)
