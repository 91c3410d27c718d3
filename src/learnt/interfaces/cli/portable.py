"""`learnt export` and `learnt import`: memory out into files, and in from them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.wire import portable as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.export import Exported
    from learnt.flows.imported import Imported, Step

_SHOWN = 20
_LEFT = {
    "units": "pieces of evidence that nothing rests on",
    "sessions": "records of transcripts that were read",
    "recipes": "commands seen to work, waiting for a second session",
    "receipts": "receipts of recalls",
}


@command("export", short_help="Write memories into files.")
@click.argument("folder", type=click.Path(), default="")
def export(desk: Desk, *, folder: str) -> None:
    """Write every memory, proposal and cited piece of evidence that is in sight into FOLDER, one JSON object a line.

    FOLDER is made, for this user alone; without it one beside the store. It may hold an earlier export, which is
    replaced. An export is told in the audit trail. What it leaves out is in its manifest, and said here.
    """
    answer = desk.engine.export(folder, tell=_rows_told(desk))
    desk.answer(wire.exported(answer), lambda: _exported(answer))


def _rows_told(desk: Desk) -> Callable[[int], None] | None:
    """What shows progress on a terminal."""
    if desk.as_json or not sys.stderr.isatty():
        return None
    return lambda rows: click.echo(f"\r  {rows:,} rows written\x1b[K", nl=False, err=True)


def _exported(value: Exported) -> Iterator[str]:
    yield screen.strong(f"Exported {screen.count(value.rows, 'row')}.")
    yield from screen.pairs([("to", os.path.normpath(value.path))])
    files = [(name, f"{each.rows:,}", screen.size(each.bytes)) for name, each in value.manifest.files.items()]
    yield from screen.table(files)
    for name, rows in value.manifest.left_out.items():
        yield screen.faint(f"  left out: {rows:,} {_LEFT.get(name, name)}")
    yield screen.faint("  left out: vectors, jobs, the audit trail, digests of what was forgotten (`learnt backup`)")
    if value.manifest.unreadable:
        yield screen.bad(f"  {screen.count(value.manifest.unreadable, 'row')} of the store could not be read")
    if not value.manifest.seal:
        yield screen.bad("  There is no key to seal it with: whoever imports it, trust will not be kept.")


@command("import", short_help="Take memories in from files.")
@click.argument("path", type=click.Path())
@click.option("--format", "form", metavar="F", default="", help="The format.  [default: found out]")
@click.option("--here", is_flag=True, help="Rows of another repository or person become this one's.")
@click.option("--dry-run", is_flag=True, help="Tell everything, write nothing.")
def import_(desk: Desk, *, path: str, form: str, here: bool, dry_run: bool) -> None:
    """Take memories in from PATH: an export of learnt, or what another memory system wrote.

    Every row passes the gate that any other write passes. Trust is kept where it can be proven that this installation
    exported the files, and nothing in them was changed; all else counts as external. What is newer here stays. Repeat
    the command where it was interrupted. Exit 1 when a row was refused, or kept as it is here.
    """
    from learnt.model.answer import Refusal

    tell = None if desk.as_json or not sys.stderr.isatty() else _tell
    answer = desk.engine.import_(path, form, here=here, dry_run=dry_run, tell=tell)
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    desk.answer(wire.imported(answer), lambda: _imported(answer))
    if not answer.whole:
        raise click.exceptions.Exit(NEGATIVE)


def _tell(step: Step) -> None:
    share = step.done * 100 // step.total if step.total else 100
    end = "\n" if step.done >= step.total else ""
    click.echo(f"\r  [{'#' * (share // 5):<20}] {share:3} % of {step.total // 2:,} rows\x1b[K{end}", nl=False, err=True)


def _imported(value: Imported) -> Iterator[str]:
    did = "Would import" if value.dry_run else "Imported before, nothing done:" if value.skipped else "Imported"
    new = value.of("memories", "added", "updated", "quarantined")
    yield screen.strong(f"{did} {screen.count(new, 'memory', 'memories')}, in the format {value.format}.")
    yield from screen.pairs([("from", value.source), ("trust", _trust(value))])
    rows = [
        (name, ", ".join(f"{many:,} {how}" for how, many in counts.items())) for name, counts in value.counts.items()
    ]
    yield from screen.table(rows)
    for each in value.faults[:_SHOWN]:
        yield screen.bad(f"  {each.file}:{each.line}: {each.error}")
    if value.invalid > _SHOWN:
        yield screen.bad(f"  and {value.invalid - _SHOWN:,} more that were not imported (`--json` lists them)")
    if value.codes.get("scope_foreign"):
        yield "  Rows of another repository or person are taken over with --here."
    for kept in value.kept[:_SHOWN]:
        yield f"  kept as it is here: {screen.name(kept.id)} ({kept.why})"
    if value.ahead:
        yield f"  {screen.count(value.ahead, 'row')} came with a time ahead of this clock, and counts from now"
    for copy in value.backups:
        yield screen.faint(f"  original: {copy.backup}")
    if value.unembedded and not value.dry_run:
        yield "  Next: `learnt reembed` where a model is used; new memories have no vectors yet."


def _trust(value: Imported) -> str:
    return "as it was: this installation made the export" if value.proven else f"external ({value.doubt})"
