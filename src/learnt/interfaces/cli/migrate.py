"""`learnt migrate`: the schema brought to the present, or the whole store moved into another."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.wire import migrate as wire
from learnt.wire.terminal import line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.moved import Account, Moved, Step, Upgraded


@command("migrate", short_help="Bring the schema up to date, or move the store.")
@click.option("--to", metavar="URL", help="Move everything into the empty store of this URL.")
def migrate(desk: Desk, *, to: str | None) -> None:
    """Bring the store's schema up to date, and say what was done.

    With --to move everything in it into another, empty store: sqlite:///PATH, postgresql://USER@HOST/DATABASE, or
    jsonl:///DIR, which keeps neither vectors nor jobs. The store that is left is not changed. An interrupted move goes
    on when the command is repeated. Exit 1 when not everything arrived.
    """
    if to is None:
        _upgrade(desk)
    else:
        _move(desk, to)


def _upgrade(desk: Desk) -> None:
    from learnt.bootstrap import upgrade

    answer = upgrade(desk.home)
    desk.answer(wire.upgraded(answer), lambda: _steps(answer))


def _steps(value: Upgraded) -> Iterator[str]:
    if value.applied:
        was = f"from version {value.before} to {value.now}" if value.before else f"made, version {value.now}"
        yield f"The schema of {line(value.store)} was brought up to date: {was} ({', '.join(value.applied)})."
    else:
        yield f"The schema of {line(value.store)} is up to date: version {value.now}."


def _move(desk: Desk, to: str) -> None:
    from learnt.model.answer import Refusal

    shows = not desk.as_json and sys.stderr.isatty()
    answer = desk.engine.migrate(to, tell=_tell if shows else None)
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    desk.answer(wire.moved(answer), lambda: _lines(answer))
    if not answer.verified or answer.damaged:
        raise click.exceptions.Exit(NEGATIVE)


def _tell(step: Step) -> None:
    """One line that rewrites itself, on a terminal."""
    share = step.done * 100 // step.total if step.total else 100
    end = "\n" if step.done >= step.total else ""
    bar = "#" * (share // 5)
    text = f"\r  {step.phase:<8} {step.chapter:<11} [{bar:<20}] {share:3} % of {step.total:,} rows\x1b[K{end}"
    click.echo(text, nl=False, err=True)


def _lines(value: Moved) -> Iterator[str]:
    many = screen.count(sum(each.arrived for each in value.chapters), "row")
    told = "went on, and moved" if value.resumed else "began anew, and moved" if value.restarted else "moved"
    yield screen.strong(f"{told.capitalize()} {many}" + (", verified." if value.verified else ": NOT verified."))
    yield from screen.pairs([("from", value.source), ("to", value.target), ("as of", value.as_of)])
    held = [each for each in value.chapters if each.rows or each.arrived]
    rows = [(each.chapter, f"{each.rows:,}", f"{each.arrived:,}", _compared(each)) for each in held]
    yield from screen.table([("", "there", "arrived", ""), *rows] if rows else [])
    yield from _advice(value)


def _compared(value: Account) -> str:
    """The beginnings of the digests: enough to see that they are the same."""
    if value.equal:
        return f"equal, {value.digest[:12]}"
    return f"DIFFERENT, {value.digest[:12]} became {value.arrived_digest[:12]}"


def _advice(value: Moved) -> Iterator[str]:
    for chapter, name in value.damaged:
        yield screen.bad(f"  unreadable, left behind: {chapter} {name}")
    if value.left:
        told = ", ".join(f"{rows:,} {chapter}" for chapter, rows in value.left)
        yield f"  Left behind, because the target keeps no such: {told}."
    if not value.chain.verified:
        yield screen.bad("  The audit trail does not hold, here as in the store it came from: `learnt audit verify`.")
    if value.changed:
        yield screen.bad("  Somebody wrote to the source since. Repeat the command before you use the target.")
    if not value.verified:
        yield "  The target is refused to everybody until a repeated move is equal; nothing was lost here."
        return
    yield "  Next: set LEARNT_DATABASE_URL to the target, and run `learnt init` once more where hooks are installed."
