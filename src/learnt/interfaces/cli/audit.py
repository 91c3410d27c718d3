"""Commands about the audit trail: verify, sign, prove, give away."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from learnt.errors import UsageError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.interfaces.cli.options import MOMENT
from learnt.model.answer import Refusal
from learnt.model.signed import Broken, Signed
from learnt.wire import audit as wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.flows.audit import Verification
    from learnt.flows.prove import Proof
    from learnt.model.event import ChainRow
    from learnt.model.signed import Divergence


@click.group("audit", short_help="The trail of events.")
def audit() -> None:
    """The trail of events: everything that was ever changed or given away, by id, never by text."""


@command("verify", short_help="Walk the trail.")
def verify(desk: Desk) -> None:
    """Walk the trail of events and hold it against keys, checkpoints and anchors.

    Names the first place where it is not what was written. Exit 1 when it is not.
    """
    found = desk.engine.verify()
    desk.answer(wire.verification(found), lambda: verified(found))
    if not found.verified:
        raise click.exceptions.Exit(NEGATIVE)


def verified(value: Verification) -> Iterator[str]:
    """A verification, for reading."""
    if not value.supported:
        yield screen.strong("This store answers for no trail of events: a database does (`learnt migrate --to`).")
        return
    report = value.report
    if report.verified:
        yield f"{screen.strong('The trail holds:')} {screen.count(report.events, 'event')}."
    else:
        yield f"{screen.strong('The trail does not hold.')} {screen.count(report.events, 'event')} read."
    if report.divergence is not None:
        yield from _diverged(report.divergence)
    told = [
        ("marked", f"{report.marked:,}"),
        (
            "checkpoints",
            f"{report.checkpoints:,}, up to event {report.vouched:,}" if report.checkpoints else "none yet",
        ),
    ]
    yield from screen.pairs(told)
    for each in report.anchors:
        said = each.fault or f"{screen.count(each.checkpoints, 'checkpoint')}, up to event {each.size:,}"
        yield from screen.body(f"{each.name}: {said}")
    for notice in report.notices:
        if notice.kind != "unread":  # said with its anchor
            yield from screen.body(f"{notice.kind}: {notice.detail}")


def _diverged(first: Divergence) -> Iterator[str]:
    where = f"event {first.position}" if first.until <= first.position else f"events {first.position} to {first.until}"
    name = f" ({screen.name(first.id)})" if first.id else ""
    yield from screen.body(f"{first.kind} at {where}{name}: {first.detail}")


@command("checkpoint", short_help="Sign the trail and anchor that.")
@click.option("--cut-before", type=MOMENT, help="Remove older events; what is signed says so.")
@click.option("--accept", is_flag=True, help="Take the trail as it is, though it does not hold; that is an event.")
def checkpoint(desk: Desk, *, cut_before: str | None, accept: bool) -> None:
    """Sign the trail as it is, and put what was signed into every anchor of your configuration.

    Exit 1 when an anchor did not take it, or when the trail does not hold: then nothing is signed.
    """
    done = desk.engine.checkpoint(before=cut_before or "", accept=accept)
    if isinstance(done, Refusal):
        desk.refuse(done)
    _answered(desk, done, {})


def _answered(desk: Desk, done: Signed | Broken, more: dict[str, str]) -> None:
    if isinstance(done, Broken):
        document = {"checkpoint": None, "divergence": wire.divergence(done.divergence)}
        desk.answer(document, lambda: (*_diverged(done.divergence), "Nothing was signed."))
        raise click.exceptions.Exit(NEGATIVE)
    desk.answer({**wire.signed(done), **more}, lambda: _signed(done))
    if not done.anchored:
        raise click.exceptions.Exit(NEGATIVE)


def _signed(done: Signed) -> Iterator[str]:
    made = done.checkpoint
    what = "Signed" if done.event else "Signed before, and nothing happened since"
    yield f"{screen.strong(what)}: {screen.count(made.size, 'event')}, checkpoint {made.epoch} at {made.at}."
    if done.removed:
        yield f"  {screen.count(done.removed, 'event')} removed; the checkpoint says so."
    for each in done.anchors:
        yield from screen.body(f"{each.name}: {each.fault or 'taken'}")
    if not done.anchors:
        yield screen.faint("  No anchor outside of this machine: `[audit]` in your configuration names some.")


@command("rotate", short_help="Use another key from now on.")
def rotate(desk: Desk) -> None:
    """Mark events with a fresh key from now on, and sign with a fresh one after this checkpoint.

    The old key stays in the folder of keys, to verify what was marked with it.
    """
    done = desk.engine.rotate()
    if isinstance(done, Refusal):
        desk.refuse(done)
    if isinstance(done, Broken):
        _answered(desk, done, {})
        return
    old, new, made = done
    _answered(desk, made, {"from": old, "to": new})


@command("prove", short_help="Prove one event.")
@click.argument("event")
def prove(desk: Desk, *, event: str) -> None:
    """Show that EVENT is part of what the last checkpoint speaks of.

    Somebody who has that checkpoint alone can check it. Exit 1 when it is not.
    """
    found = desk.engine.prove(event)
    desk.answer(wire.proof(found), lambda: _proven(found))
    if not found.holds:
        raise click.exceptions.Exit(NEGATIVE)


def _proven(value: Proof) -> Iterator[str]:
    said = value.statement
    if not value.holds:
        yield screen.bad("The event is not part of what was signed: `learnt audit verify` names the place.")
        return
    yield f"Event {value.event.position} is one of {said.size:,} that checkpoint {said.epoch} of {said.at} speaks of."
    yield from screen.pairs([("hash", value.row_hash), ("root", said.root)])
    for each in value.path:
        yield f"    {each}"


@command("export", short_help="Give the trail away.")
@click.argument("file", default="-", type=click.Path(dir_okay=False, allow_dash=True))
def export(desk: Desk, *, file: str) -> None:
    """Write all events and checkpoints as lines of JSON into a new FILE, or to standard output."""
    lines = desk.engine.trail()
    if file == "-":
        _written(lines)
        return
    count = _kept(file, lines)
    desk.answer({"path": file, "lines": count}, lambda: iter([f"{file}: {screen.count(count, 'line')}."]))


def _written(lines: Iterable[str]) -> None:
    for each in lines:
        sys.stdout.write(each + "\n")
    sys.stdout.flush()


def _kept(file: str, lines: Iterable[str]) -> int:
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise UsageError(f"{file} cannot be made: {error.strerror}.", code="file", hint="Name a new file.") from None
    count = 0
    with os.fdopen(handle, "w", encoding="utf-8") as kept:
        for each in lines:
            kept.write(each + "\n")
            count += 1
    return count


@command("list", short_help="The newest events.")
@click.option(
    "--type", "operation", default="", metavar="T", help="Only events of this type; `security` for the gate's."
)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="At most so many.")
def listing(desk: Desk, *, operation: str, limit: int) -> None:
    """List the newest events, newest first: what happened to which ids, never a text."""
    rows, total = desk.engine.events(operation, limit)
    desk.answer({"events": [wire.event(row) for row in rows], "total": total}, lambda: _listed(rows, total))


def _listed(rows: Sequence[ChainRow], total: int) -> Iterator[str]:
    for row in rows:
        facts = wire.event(row)["detail"] or {}
        told = ", ".join(f"{name} {_short(value)}" for name, value in facts.items() if name != "by" and _says(value))
        yield f"{screen.faint(row.timestamp)}  {screen.strong(row.operation)}  {screen.name(row.target_id)}"
        if told:
            yield from screen.body(told)
    yield screen.faint(f"{len(rows):,} of {screen.count(total, 'event')}")


def _says(value: object) -> bool:
    return value is not None and value not in ("", [], {})


def _short(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return " ".join(f"{name}: {each}" for name, each in value.items())
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


for each in (verify, checkpoint, rotate, prove, export, listing):
    audit.add_command(each)
