"""`learnt models`: who may write here, or why nobody does; what was spent; and whether they are there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command, shared_options
from learnt.model.answer import Refusal
from learnt.wire import account as wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.account import Account, Post
    from learnt.flows.models import Tried
    from learnt.model.ledger import Cap

_NAMES = {"day": "today", "month": "this month"}
_MANUAL = "The manual says how to name and enable one: docs/how-to/let-a-model-write.md"


@click.group("models", invoke_without_command=True, short_help="Models that write, and what they cost.")
@click.pass_context
def models(context: click.Context, *, as_json: bool, project: str) -> None:
    """Models that write: who may, or why nobody does, and what was spent. Without a subcommand: `list`."""
    if context.invoked_subcommand is None:
        context.invoke(list_, as_json=as_json, project=project, limit=5)


@command("list", short_help="Who writes, and what was spent.")
@click.option("--limit", type=click.IntRange(0, 1_000), metavar="N", default=5, show_default=True, help="Charges.")
def list_(desk: Desk, *, limit: int) -> None:
    """Every model that is named, who writes here, what was spent and what is left, and the newest charges."""
    found = desk.engine.account(limit)
    desk.answer(wire.models(found), lambda: _lines(found, desk.engine.assembly.place.value, str(desk.home.config_file)))
    _odd(desk)


def _odd(desk: Desk) -> None:
    """What of the configuration of models has no effect: a misspelled word looks like no model otherwise."""
    from learnt.bootstrap import configuration

    for path, each in configuration(desk.home, desk.engine.assembly.place).ignored:
        if each.key.startswith("models"):
            desk.note(f"{path}: {each.key} is ignored: {each.why}")


@command("check", short_help="Whether they are there.")
@click.option("--ask", is_flag=True, help="Ask those that write one word; it stands in the ledger.")
def check(desk: Desk, *, ask: bool) -> None:
    """Look whether every model that is used here is there. None is asked to write: that is not to be paid.

    Exit 1 when one that should be there is not.
    """
    found = desk.engine.trial() if ask else desk.engine.models()
    if isinstance(found, Refusal):
        desk.refuse(found)
    _odd(desk)
    desk.answer({"models": [wire.tried(each) for each in found]}, lambda: _checked(found))
    if any(each.word.startswith("failed") for each in found):
        raise click.exceptions.Exit(NEGATIVE)


def _checked(found: Sequence[Tried]) -> Iterator[str]:
    for each in found:
        yield f"{screen.strong(each.part)}  {screen.joined(each.version, '' if each.word == 'ran' else each.word)}"
        if each.hint:
            yield from screen.body(each.hint)


def _lines(value: Account, place: str, config: str) -> Iterator[str]:
    yield from screen.pairs(rows(value) or [("models", "none is named")])
    if not value.models:
        yield f"  {_MANUAL}"
    elif any(each.reason == "not enabled" for each in value.posts):
        yield from screen.body(f"To let one write here, in {config}:")
        yield from (f"    {screen.name(each)}" for each in ("[models.repositories]", f"{json.dumps(place)} = true"))
    if value.models:
        yield ""
        yield from screen.table([(each.name, each.provider, each.model, each.server) for each in value.models])
    if value.latest:
        yield ""
        shown = [
            (
                screen.minute(each.at),
                each.purpose,
                each.model,
                f"{each.tokens:,} tokens",
                _dollars(each.cost_nano_usd),
                each.fault,
            )
            for each in value.latest
        ]
        yield from screen.table(shown)


def rows(value: Account) -> list[tuple[str, str]]:
    """Who writes, who is elsewhere, what was spent: in two columns; nothing where no model is named or sent to."""
    found = [(each.purpose, _post(each)) for each in value.posts] if value.models else []
    elsewhere = [("elsewhere", each) for each in value.external]
    month = value.spent.get("month")
    spent = [("spent", _spent(value))] if value.models or (month and month.charges) else []
    return [*found, *elsewhere, *spent]


def _post(post: Post) -> str:
    if post.model is None:
        return post.reason
    here = "" if post.model.external else " (local)"
    return screen.joined(f"{post.model.name}: {post.model.model} at {post.model.server}{here}", post.reason)


def _spent(value: Account) -> str:
    told = [
        f"{_dollars(each.cost_nano_usd)} and {each.tokens:,} tokens {_NAMES[window]}"
        for window, each in value.spent.items()
        if window in _NAMES
    ]
    left = [f"{cap.name} {_amount(cap, value.left(cap))} left" for cap in value.caps]
    return screen.joined(*told, *left or ["no caps"])


def _amount(cap: Cap, amount: int) -> str:
    return f"{amount:,}" if cap.unit == "tokens" else _dollars(amount)


def _dollars(nanos: int) -> str:
    return f"${wire.usd(nanos):.4f}" if 0 < nanos < 10_000_000 else f"${wire.usd(nanos):.2f}"


for _each in (list_, check):
    models.add_command(_each)
models.params.extend(shared_options())
