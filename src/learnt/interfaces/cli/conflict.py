"""The command that shows what disagrees, and takes a person's word for what holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.model.answer import Refusal
from learnt.wire import conflict as wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.conflict import Chosen, Conflicts, Standoff

_WORDS = {
    "disputes": "Both cannot hold",
    "held": "One would replace too many at once",
    "alike": "Nearly the same",
    "returned": "Came back after the other replaced it",
    "related": "May replace one another",
}


@command("conflicts", short_help="Statements that disagree.")
@click.option("--keep", metavar="ID", help="This one holds: what disagrees with it is retired.")
@click.option("--over", multiple=True, metavar="ID", help="With --keep: retire only these.")
@click.option("--both", multiple=True, metavar="ID", help="These hold together; give it twice or more.")
@click.option("--all", "every", is_flag=True, help="Also the nearest decisions to new ones.")
@click.option("--limit", type=click.IntRange(1, 1000), metavar="N", default=50, show_default=True, help="Most of each.")
def conflicts(
    desk: Desk, *, keep: str | None, over: Sequence[str], both: Sequence[str], every: bool, limit: int
) -> None:
    """Statements that cannot both hold, the newer evidence first; then pairs of which one may replace the other.

    Nothing here is retired by itself. `--keep ID` says which one holds, `--both ID --both ID` that both do;
    `learnt undo EVENT` takes either back.
    """
    if (keep and both) or len(both) == 1 or (over and not keep):
        raise click.UsageError("Give --keep ID, with --over ID where you want, or --both ID twice or more.")
    if keep or both:
        done = desk.engine.choose(keep, over) if keep else desk.engine.reconcile(both)
        if isinstance(done, Refusal):
            desk.refuse(done)
        desk.answer(wire.chosen(done), lambda: _chosen(done))
        return
    found = desk.engine.conflicts(limit, every=every)
    desk.answer(wire.conflicts(found), lambda: _conflicts(found))


def _conflicts(value: Conflicts) -> Iterator[str]:
    for each in (*value.disputes, *value.nominations):
        yield from _standoff(each)
    if not value.total and not value.nominated:
        yield "Nothing disagrees."
        return
    yield screen.faint(f"{value.total} in dispute, {value.nominated} nominated")
    yield screen.faint("learnt conflicts --keep ID: it holds · --both ID --both ID: both do")


def _standoff(value: Standoff) -> Iterator[str]:
    yield screen.strong(_WORDS[value.reason]) + screen.faint(f"  since {value.at[:10]}")
    for word, memory in zip(("newer", "older"), value.memories, strict=True):
        about = screen.joined(word, memory.kind, f"trust {memory.trust}")
        yield f"  {screen.name(memory.id)}  {screen.faint(about)}"
        yield from screen.body(memory.text, "    ")
    yield ""


def _chosen(value: Chosen) -> Iterator[str]:
    for name in value.superseded:
        yield f"Retired {screen.name(name)}"
    if not value.superseded:
        yield "Nothing was retired."
    for event in value.events:
        yield screen.faint(f"learnt undo {event}")
