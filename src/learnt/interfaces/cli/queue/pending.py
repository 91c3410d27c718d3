"""The command `pending`: the queue listed, gone through key by key, or answered by a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from learnt.errors import UsageError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command, say
from learnt.interfaces.cli.options import KIND, many
from learnt.interfaces.cli.queue import card as cards
from learnt.interfaces.cli.queue.turn import Turn
from learnt.model.answer import Refusal
from learnt.model.filter import QueueFilter
from learnt.model.kinds import OPERATIONS, TRUSTS
from learnt.wire import queue as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.queue import Queue, Swept
    from learnt.model.kinds import Action


@command("pending", short_help="What waits for your decision.")
@click.option("--kind", "kinds", type=KIND, multiple=True, metavar="KIND", help="Only this kind.  [repeatable]")
@click.option(
    "--operation",
    "operations",
    type=click.Choice(OPERATIONS),
    multiple=True,
    metavar="OP",
    help="Only these requests.  [repeatable]",
)
@click.option(
    "--trust",
    "trusts",
    type=click.Choice(TRUSTS),
    multiple=True,
    metavar="TRUST",
    help="Only of this trust.  [repeatable]",
)
@click.option("--from", "session", default="", metavar="SESSION", help="Only what came of this session.")
@click.option("--matching", "words", default="", metavar="WORDS", help="Only with these words.")
@many("--id", "ids", "PROPOSAL", "Only this one.")
@click.option("--expired", is_flag=True, help="Those that left the queue unanswered, instead of those that wait.")
@click.option("--accept", "action", flag_value="accept", help="Accept all of these.")
@click.option("--reject", "action", flag_value="reject", help="Reject all of these.")
@click.option("--reason", default="", metavar="R", help="Why, for all of them.")
@click.option("--all", "everything", is_flag=True, help="Answer everything that waits, without a filter.")
@click.option("--yes", is_flag=True, help="Do not ask before a batch.")
@click.option("--list", "listed", is_flag=True, help="List only, also at a terminal.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), metavar="N", default=50, show_default=True, help="Most entries shown."
)
def pending(
    desk: Desk, *, action: Action | None, reason: str, everything: bool, yes: bool, listed: bool, **fields: Any
) -> None:
    """What waits for your decision, most useful first, with the words it rests on.

    At a terminal you go through it with one key each; ? there shows the keys. With a filter and --accept or --reject
    everything that matches is answered.
    """
    wanted = QueueFilter(**fields)
    if action is not None:
        _batch(desk, wanted, action, reason, everything=everything, yes=yes)
        return
    value = desk.engine.pending(wanted=wanted)
    if value.cards and not listed and desk.asks and desk.engine.assembly.means.context.person:
        say(_above(value))
        Turn(desk.engine, value.cards, value.entries).run()
        return
    desk.answer(wire.queue(value), lambda: _queue(value))


def _batch(desk: Desk, wanted: QueueFilter, action: Action, reason: str, *, everything: bool, yes: bool) -> None:
    if wanted.is_open and not everything:
        raise UsageError(
            "Say which: no filter was given.", code="no_filter", hint="--kind, --from, --matching, --id, ... or --all."
        )
    if desk.asks and not yes:
        value = desk.engine.pending(wanted=wanted)
        if not value.cards:
            say(["Nothing that waits matches."])
            return
        say(_queue(value))
        if not click.confirm(f"{action.capitalize()} {screen.count(value.entries, 'entry', 'entries')}?"):
            raise click.exceptions.Exit(NEGATIVE)
    answer = desk.engine.sweep(wanted, action, reason or ("not wanted" if action == "reject" else ""))
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    desk.answer(wire.swept(answer), lambda: _swept(answer, action))
    if answer.failed:
        raise click.exceptions.Exit(NEGATIVE)


def _swept(value: Swept, action: Action) -> Iterator[str]:
    word = "Accepted" if action == "accept" else "Rejected"
    if not value.done and not value.failed:
        yield "Nothing that waits fits: nothing was decided."
        return
    yield screen.strong(f"{word} {screen.count(len(value.done), 'entry', 'entries')}.")
    for each in value.done:
        made = f"  {each.memory.id}" if each.memory is not None and action == "accept" else ""
        yield f"  {screen.name(each.proposal.id)}{made}  {screen.faint(f'learnt undo {each.event}')}"
    if value.failed:
        yield screen.strong(f"{screen.count(len(value.failed), 'entry', 'entries')} could not be answered:")
        yield from screen.table([(each.proposal_id, each.message) for each in value.failed])


def _above(value: Queue) -> Iterator[str]:
    """How much there is, before the first entry."""
    alike = value.proposals.total - value.entries
    told = f"{screen.count(value.entries, 'entry waits', 'entries wait')} for you"
    yield screen.strong(told) + screen.faint(f" ({alike} more ask for the same)" if alike else "")
    if value.expired:
        yield screen.faint(f"{value.expired} expired, nobody answered them in time: learnt pending --expired")


def _queue(value: Queue) -> Iterator[str]:
    now = screen.now()
    if not value.cards:
        yield "Nothing waits for a decision."
    for number, card in enumerate(value.cards, 1):
        yield f"{screen.strong(f'{number:>2}')}  {screen.name(card.entry.proposal.id)}"
        yield from cards.lines(card, now)
        yield ""
    if value.cards:
        first = value.cards[0].entry.proposal.id
        yield f"Accept one: {screen.name(f'learnt decide {first} accept')}"
        yield f"Reject one: {screen.name(f'learnt decide {first} reject --reason ...')}"
    if value.entries > len(value.cards):
        yield screen.faint(
            f"{value.entries - len(value.cards)} more: learnt pending --limit {min(value.entries, 1000)}"
        )
    if value.expired:
        yield screen.faint(f"{value.expired} expired, nobody answered them in time: learnt pending --expired")
    if value.rejected:
        yield ""
        yield screen.strong("Rejected lately")
        yield from screen.table([(each.id, each.rejection_reason or each.text) for each in value.rejected])
    if value.promotion_candidates:
        yield ""
        yield screen.strong("Worth keeping for longer")
        yield from screen.table([(each.id, each.kind, each.text) for each in value.promotion_candidates])
    if value.flags.memories:
        yield ""
        flagged = screen.count(value.flags.memories, "memory", "memories")
        yield f"{flagged} with open flags: {screen.name('learnt flags')}"
