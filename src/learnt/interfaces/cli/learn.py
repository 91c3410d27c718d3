"""Commands of what became of it: reward, recall-log, value-log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.model.reward import ALREADY, COUNCIL, DISABLED, NO_RECALL
from learnt.wire import learn as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.logs import RecallLog, Valued
    from learnt.model.ranking import Bundle
    from learnt.model.reward import Rewarded


@command("reward", short_help="Say what became of what was recalled.")
@click.argument("verdict", type=click.Choice(COUNCIL, case_sensitive=False))
@click.option("--bundle", default="", metavar="ID", help="What one recall gave.")
@click.option("--run", default="", metavar="R", help="What was given to this run.")
@click.option("--unit", default="", metavar="U", help="Of the run only this unit.")
@click.option("--round", "round_", type=click.IntRange(0), metavar="N", help="Of the run only this round.")
def reward(desk: Desk, *, verdict: Any, bundle: str, run: str, unit: str, round_: int | None) -> None:
    """A council's verdict on work that memories were given for.

    It counts for exactly the memories that were given to that unit and round, and once. Nothing else is rewarded: a
    bundle or a run that is not known leaves everything as it was, with exit code 1.
    """
    named = "" if round_ is None else str(round_)
    answer = desk.engine.reward(verdict, bundle=bundle, run=run, unit=unit, round_=named)
    desk.answer(wire.rewarded(answer), lambda: _rewarded(answer))
    if answer.reason is not None:
        raise click.exceptions.Exit(NEGATIVE)


_WHY_NOT = {
    NO_RECALL: "No receipt of that is here: nothing was rewarded.",
    ALREADY: "That was rewarded already: nothing was changed.",
    DISABLED: "The memory is off here ([memory] enabled = false): nothing was rewarded.",
}


def _rewarded(value: Rewarded) -> Iterator[str]:
    if value.unsigned:
        yield f"{screen.count(value.unsigned, 'receipt')} of it not written by this installation: passed over."
    if value.reason is not None:
        yield _WHY_NOT.get(value.reason, value.reason)
        return
    yield f"{screen.strong('Rewarded:')} {screen.count(len(value.learned), 'memory', 'memories')}"
    for title, some in (("", value.learned), ("near these", value.near)):
        if some and title:
            yield screen.faint(title)
        rows = [(each.id, f"{each.q_before:.3f} → {each.q_after:.3f}") for each in some]
        yield from screen.table(rows, whole=True)


@command("recall-log", short_help="What was recalled, for whom.")
@click.option("--run", "run_id", default="", metavar="R", help="Only this run.")
@click.option(
    "--limit", type=click.IntRange(1, 10_000), metavar="N", default=200, show_default=True, help="Most recalls listed."
)
def recall_log(desk: Desk, *, run_id: str, limit: int) -> None:
    """What was recalled, newest first, how often each memory was, and what never was.

    Holds ids and scores, never what was asked.
    """
    log = desk.engine.recall_log(run_id, limit)
    desk.answer(wire.recall_log(log, limit), lambda: _log(log))


def _log(log: RecallLog) -> Iterator[str]:
    if not log.receipts:
        yield "Nothing was recalled yet."
        return
    rows = [
        (each.timestamp[:19] + "Z", each.moment, each.agent_role, f"{each.token_estimate} tokens", _given(each))
        for each in log.receipts
    ]
    yield from screen.table(rows, indent="", whole=True)
    most = sorted(log.recalls.items(), key=lambda each: (-each[1].count, each[0]))[:5]
    if most:
        yield ""
        yield screen.strong("most recalled")
        yield from screen.table([(name, f"{each.count:,}", ", ".join(each.roles)) for name, each in most], whole=True)
    if log.never:
        yield screen.faint(f"{screen.count(len(log.never), 'memory', 'memories')} never recalled")


def _given(each: Bundle) -> str:
    return " ".join(each.memory_ids) or (each.skip_reason or "nothing")


@command("value-log", short_help="What memories are worth by their outcomes.")
@click.option("--limit", type=int, metavar="N", default=20, show_default=True, help="Most memories, 1 to 100.")
def value_log(desk: Desk, *, limit: int) -> None:
    """What recalled memories are worth by the verdicts on them, the latest recall first."""
    found = desk.engine.value_log(max(1, min(100, limit)))
    desk.answer(wire.value_log(found), lambda: _values(found))


def _values(found: tuple[Valued, ...]) -> Iterator[str]:
    if not found:
        yield "Nothing was recalled yet."
        return
    yield from screen.table([_row(each) for each in found], indent="")


def _row(each: Valued) -> tuple[str, ...]:
    last = each.last
    mark = "promote?" if each.promotable else "suppressed" if each.suppressed else ""
    return (
        each.memory.id,
        f"q {each.memory.q_value:.3f}",
        screen.count(each.recalls, "recall"),
        last.verdict if last else "no verdict",
        mark,
        each.memory.text,
    )
