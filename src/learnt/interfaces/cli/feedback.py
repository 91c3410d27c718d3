"""Commands by which whoever used a memory says what it was worth: outcome, flag, unflag, flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.interfaces.cli.options import many
from learnt.model.answer import Refusal
from learnt.model.outcome import RESULTS
from learnt.wire import feedback as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.filter import Page
    from learnt.model.flag import Flag, Flagged, Objection
    from learnt.model.outcome import Recorded


@command("outcome", short_help="Say what became of a memory when it was used.")
@click.option("--memory", "memory_id", default="", metavar="ID", help="The memory that was used.")
@click.option("--question", default="", metavar="Q", help="Instead: what was asked; a record of it is kept.")
@click.argument("outcome", type=click.Choice(RESULTS))
@click.option("--correction", default="", metavar="T", help="What is right instead; with corrected, and only there.")
@many("--anchor", "anchors", "FILE[#SYMBOL]", "Where in the code it was met; at most 20.")
@click.option("--id", "id", default="", metavar="NAME", help="A name for this report: sent again, it counts once.")
def outcome(desk: Desk, *, outcome: Any, **fields: Any) -> None:
    """Say what became of a memory, or of an answer to a question, when it was used.

    It changes how far the memory is believed and what the digest of outcomes says of it, never its truth or trust.
    """
    answer = desk.engine.outcome(outcome=outcome, **fields)
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    else:
        desk.answer(wire.recorded(answer), lambda: _recorded(answer))


def _recorded(value: Recorded) -> Iterator[str]:
    word = "Known already, nothing changed:" if value.existing else "Noted:"
    yield f"{screen.strong(word)} {value.outcome.result} for {screen.name(value.memory.id)}"
    yield from screen.body(value.memory.text)
    yield screen.faint(f"{value.memory.useful} useful, {value.memory.against} against so far")
    if value.fault:
        yield screen.faint(f"The digest of outcomes was not made anew: {value.fault}")


@command("flag", short_help="Say that a memory is wrong.")
@click.argument("memory")
@click.option("--reason", required=True, metavar="R", help="What is wrong with it, at most 500 characters.")
def flag(desk: Desk, *, memory: str, reason: str) -> None:
    """Say that a memory is wrong: it falls in rank, and says that it was flagged.

    One flag a reader; another one takes its place. A person looks at flags with `learnt flags`.
    """
    answer = desk.engine.flag(memory, reason)
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    else:
        desk.answer(wire.flagged(answer), lambda: _flagged(answer))


def _flagged(value: Flagged) -> Iterator[str]:
    word = "Flagged again, with the new reason:" if value.replaced else "Flagged:"
    yield f"{screen.strong(word)} {screen.name(value.memory.id)}"
    yield from screen.body(value.memory.text)
    if value.memory.status == "quarantined":
        yield screen.faint("It is put aside until a person has looked at it: learnt flags --clear ID")
    yield screen.faint(screen.count(value.flags, "open flag"))


@command("unflag", short_help="Withdraw one's own flag.")
@click.argument("memory")
def unflag(desk: Desk, *, memory: str) -> None:
    """Withdraw one's own flag; its reason is gone."""
    answer = desk.engine.unflag(memory)
    desk.answer(wire.flagged(answer), lambda: _left(answer, "Withdrawn:"))


def _left(value: Flagged, word: str) -> Iterator[str]:
    yield f"{screen.strong(word)} {screen.name(value.memory.id)}"
    yield screen.faint(f"{screen.count(value.flags, 'open flag')} left")


@command("flags", short_help="Flagged memories, and what their readers say.")
@click.option("--clear", default="", metavar="ID", help="Let this memory stand: close its flags. Only a person may.")
@click.option("--limit", type=click.IntRange(1, 1000), metavar="N", default=50, show_default=True, help="Most shown.")
def flags(desk: Desk, *, clear: str, limit: int) -> None:
    """Flagged memories, the latest flag first, with the newest reasons.

    With --clear the flags of one memory are closed: who flagged it, why, and who cleared it stays with the memory.
    """
    if clear:
        answer = desk.engine.clear_flags(clear)
        if isinstance(answer, Refusal):
            desk.refuse(answer)
        else:
            desk.answer(wire.flagged(answer), lambda: _cleared(answer))
        return
    found = desk.engine.flags(limit)
    desk.answer(wire.objections(found), lambda: _objections(found))


def _cleared(value: Flagged) -> Iterator[str]:
    yield f"{screen.strong('Cleared:')} {screen.count(value.cleared, 'flag')} on {screen.name(value.memory.id)}"
    if value.restored:
        yield "It is active again."


def _objections(found: Page[Objection]) -> Iterator[str]:
    if not found.values:
        yield "No memory here is flagged."
        return
    now = screen.now()
    for number, each in enumerate(found.values):
        if number:
            yield ""
        said = screen.joined(each.memory.kind, each.memory.status, screen.count(each.total, "flag"))
        yield f"{screen.name(each.memory.id)}  {screen.faint(said)}"
        yield from screen.body(each.memory.text)
        yield from screen.table([_row(flag, now) for flag in each.flags], whole=True)
        if each.past:
            yield screen.faint(f"{screen.count(len(each.past), 'flag')} cleared before")
    yield screen.faint("`learnt flags --clear ID` lets one stand; `learnt propose delete --target ID` takes one away.")


def _row(flag: Flag, now: str) -> tuple[str, ...]:
    return screen.age(flag.at, now), flag.by, flag.reason
