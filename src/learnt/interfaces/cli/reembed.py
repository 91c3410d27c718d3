"""`learnt reembed`: vectors of the present model for everything that has none."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.wire import reembed as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.reembed import Progress, Reembedded


@command("reembed", short_help="Vectors of the present model.")
@click.option("--dry-run", is_flag=True, help="Only count what lacks a vector.")
def reembed(desk: Desk, *, dry_run: bool) -> None:
    """Give a vector of the present model to everything that has none.

    Goes on where an earlier run stopped. What is searched changes when nothing is missing any more. Exit 1 when some
    could not be embedded.
    """
    from learnt.model.answer import Refusal

    shows = not desk.as_json and sys.stderr.isatty()
    answer = desk.engine.reembed(dry_run=dry_run, tell=_tell if shows else None)
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    desk.answer(wire.reembedded(answer), lambda: _lines(answer))
    if answer.stopped or any(each.failed for each in answer.targets):
        raise click.exceptions.Exit(NEGATIVE)


def _tell(progress: Progress) -> None:
    """One line that rewrites itself, on a terminal."""
    tried = progress.done + progress.failed
    end = "\n" if tried >= progress.wanted else ""
    click.echo(f"\r  {_plural(progress.target, tried)} of {progress.wanted:,}\x1b[K{end}", nl=False, err=True)


def _plural(target: str, number: int) -> str:
    return screen.count(
        number, *(("memory", "memories") if target == "memory" else ("piece of evidence", "pieces of evidence"))
    )


def _lines(value: Reembedded) -> Iterator[str]:
    for each in value.targets:
        if value.dry_run:
            yield f"{_plural(each.target, each.wanted)} would be embedded with {each.version}."
        elif each.wanted:
            failed = f", {each.failed:,} failed" if each.failed else ""
            yield f"{_plural(each.target, each.done)} embedded with {each.version}{failed}."
    if value.stopped:
        yield f"Stopped: {value.stopped}. Run it again when the embedder is back; it goes on where it stopped."
    elif not value.dry_run and not any(each.wanted for each in value.targets):
        yield "Everything has its vector."
