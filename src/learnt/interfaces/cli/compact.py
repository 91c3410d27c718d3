"""`learnt compact`: what was retired or ran out, counted or taken away for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.model.answer import Refusal
from learnt.wire import compact as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.compact import Compacted

_TITLES = {"deleted": "deleted", "superseded": "superseded", "expired_scratch": "expired scratch"}


@command("compact", short_help="Take away for good what was retired.")
@click.option("--confirm", is_flag=True, help="Do it; without, only count. Only a person may.")
def compact(desk: Desk, *, confirm: bool) -> None:
    """Take away deleted and superseded memories and scratch that expired, in everything you see from here.

    Without --confirm nothing is changed. What was taken away cannot be taken back by `learnt undo`. It is no
    forgetting: the same statement may be learned again.
    """
    found = desk.engine.compact(confirm=confirm)
    if isinstance(found, Refusal):
        desk.refuse(found)
    desk.answer(wire.compacted(found), lambda: _compacted(found))


def _compacted(value: Compacted) -> Iterator[str]:
    number = sum(value.removed.values())
    left = screen.count(value.remaining, "memory", "memories")
    if not number:
        yield f"Nothing to take away; {left} in all."
        if not value.dry_run:
            yield from _room(value)
        return
    what = screen.joined(
        *(f"{value.removed[name]:,} {title}" for name, title in _TITLES.items() if value.removed[name])
    )
    if value.dry_run:
        yield f"{screen.strong('Would leave:')} {what}. {left} would remain."
        yield f"  {screen.name('learnt stale')} lists them, {screen.name('learnt compact --confirm')} takes them away."
        return
    yield f"{screen.strong('Taken away:')} {what}. {left} remain."
    yield from _room(value)


def _room(value: Compacted) -> Iterator[str]:
    """What became of the room that is free now, or was left by what was forgotten."""
    if value.freed_bytes:
        yield screen.faint(f"  the store is {value.freed_bytes / 1e6:.1f} MB smaller")
    if not value.shrunk:
        yield screen.faint("  others were writing: the store is made smaller by the next compaction")
    if value.log_bytes:
        yield screen.faint("  somebody reads from the store: its log is emptied when they are done")
