"""`learnt stale`: what could be cleared away, and what the code no longer bears out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.wire import stale as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.stale import Checked, Staleness


@command("stale", short_help="What no longer holds.")
@click.option("--check", is_flag=True, help="Compare what memories are pinned to with the work tree.")
@click.option("--limit", type=int, metavar="N", default=20, show_default=True, help="Most in one list, 1 to 100.")
def stale(desk: Desk, *, check: bool, limit: int) -> None:
    """What no longer holds: expired scratch, deleted and superseded memories, what nobody ever needed.

    With --check also the memories whose code changed, moved or is gone. Changes nothing.
    """
    found = desk.engine.stale(check=check, limit=max(1, min(100, limit)))
    desk.answer(wire.staleness(found), lambda: _staleness(found, max(1, min(100, limit))))


_TITLES = {
    "expiredScratch": "expired scratch",
    "deleted": "deleted",
    "superseded": "superseded",
    "lowUtility": "low utility",
    "lowQValue": "suppressed by outcomes",
}


def _staleness(value: Staleness, limit: int) -> Iterator[str]:
    report = value.report
    yield f"{screen.strong(screen.count(report.active, 'active memory', 'active memories'))} of {report.total:,}"
    for name, title in _TITLES.items():
        if report.totals[name]:
            yield ""
            yield f"{screen.strong(title)}  {report.totals[name]:,}"
            yield from screen.table([(each.id, each.kind, each.text) for each in report.lists[name]])
    chains = [" → ".join(each.ids) for each in value.chains]
    if chains:
        yield ""
        yield screen.strong("chains")
        yield from (f"  {screen.name(chain)}" for chain in chains[:limit])
    if not sum(report.totals[name] for name in _TITLES):
        yield "Nothing to clear away."
    never = report.totals["neverRecalled"]
    yield screen.faint(f"{never:,} never recalled · {screen.count(report.recall_events, 'recall')} in all")
    if value.checked is not None:
        yield ""
        yield from _checked(value.checked, limit)


def _checked(checked: tuple[Checked, ...], limit: int) -> Iterator[str]:
    states = [each.state for each in checked]
    counts = ", ".join(f"{states.count(state):,} {state}" for state in dict.fromkeys(states))
    yield f"{screen.strong('Against the work tree')}  {counts or 'no memory is pinned to a file'}"
    worst = [each for each in checked if each.state != "intact"]
    for each in worst[:limit]:
        yield f"  {screen.name(each.memory.id)}  {each.state}"
        yield from screen.body(each.memory.text, "    ")
        for pin, fresh in each.pins:
            now = f"now at line {fresh.line}" if fresh.line and fresh.line != pin.line else ""
            yield "    " + screen.faint(screen.joined(pin.place, pin.symbol, fresh.state, now))
    if len(worst) > limit:
        yield screen.faint(f"  {len(worst) - limit:,} more (--limit)")
