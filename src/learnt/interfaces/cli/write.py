"""Commands that change the memory: remember, propose, decide, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.interfaces.cli.options import GRADE, KIND, MOMENT, SCOPE, many
from learnt.model.answer import Decided, Proposed, Refusal, Undone, Written
from learnt.model.kinds import ACTIONS, OPERATIONS
from learnt.wire import answer as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal


@command("remember", short_help="Write a memory.")
@click.argument("text")
@click.option("--kind", type=KIND, metavar="KIND", required=True, help="What sort of memory.")
@many("--tag", "tags", "T", "A word to find it by.")
@many("--file", "files", "F", "A file it speaks of.")
@many("--symbol", "symbols", "S", "An identifier it speaks of.")
@many("--evidence", "evidence", "REF", "What supports it: path[:line[-line]], commit, URL, session:ID#record.")
@click.option("--rationale", default="", metavar="R", help="Why it is worth keeping.")
@click.option("--confidence", type=GRADE, help="0 to 1.  [default: 0.9]")
@click.option("--expires", "expires_at", type=MOMENT, help="When it ceases to hold; a date means midnight UTC.")
@click.option("--scope", type=SCOPE, metavar="SCOPE", help="Whom it belongs to.  [default: by kind]")
@click.option("--again", is_flag=True, help="Repeat a statement that was forgotten.")
def remember(desk: Desk, *, text: str, **fields: Any) -> None:
    """Write a memory of this repository, through the gate.

    KIND is user_preference, project_fact, architecture_decision, repo_convention, api_finding, code_pattern,
    test_pattern, failure_pattern, security_note, evidence, todo, scratch, lesson or channel_note.

    In a process that a coding agent started this proposes instead, and says so.
    """
    _answered(desk, desk.engine.remember(text, **fields))


@command("propose", short_help="Ask for a change.")
@click.argument("operation", type=click.Choice(OPERATIONS), metavar="OP")
@click.argument("text", default="")
@click.option("--kind", type=KIND, metavar="KIND", help="What sort of memory.")
@click.option("--target", default="", metavar="ID", help="The memory to change.")
@many("--related", "related", "ID", "For merge: 2 to 8 memories.")
@click.option("--rationale", default="", metavar="R", help="Why.")
@many("--evidence", "evidence", "REF", "What supports it.")
@many("--tag", "tags", "T", "A word to find it by.")
@click.option("--confidence", type=GRADE, help="0 to 1.  [default: 0.5]")
def propose(desk: Desk, *, operation: Any, text: str, **fields: Any) -> None:
    """Ask for a change; a person decides.

    OP is add, update, delete, ignore, merge or supersede.
    """
    _answered(desk, desk.engine.propose(operation, text, **fields))


@command("decide", short_help="Answer a proposal.")
@click.argument("proposal")
@click.argument("action", type=click.Choice(ACTIONS), metavar="ACTION")
@click.option("--text", metavar="T", help="Store this instead of what was proposed.")
@click.option("--kind", type=KIND, metavar="KIND", help="Another kind.")
@click.option("--confidence", type=GRADE, help="Another confidence.")
@many("--tag", "tags", "T", "Other tags.")
@click.option("--reason", default="", metavar="R", help="Why; kept with the decision.")
def decide(desk: Desk, *, proposal: str, action: Any, tags: tuple[str, ...], **fields: Any) -> None:
    """Answer a proposal.

    ACTION is accept (what it asks for), add, update, delete, merge, supersede, reject or noop.
    """
    _answered(desk, desk.engine.answer(proposal, action, tags=tags or None, **fields))


@command("undo", short_help="Take a decision back.")
@click.argument("event")
def undo(desk: Desk, *, event: str) -> None:
    """Take the decision with this event back: `learnt explain ID` shows events."""
    _answered(desk, desk.engine.undo(event))


def _answered(desk: Desk, value: Written | Proposed | Decided | Undone | Refusal) -> None:
    """Print what a writing command did."""
    match value:
        case Refusal():
            desk.refuse(value)
        case Written():
            desk.answer(wire.written(value), lambda: written(value))
        case Proposed():
            desk.answer(wire.proposed(value), lambda: proposed(value))
        case Decided():
            desk.answer(wire.decided(value), lambda: decided(value))
        case Undone():
            desk.answer(wire.undone(value), lambda: undone(value))
        case _:
            assert_never(value)


def written(value: Written) -> Iterator[str]:
    """A direct write, for reading."""
    memory = value.memory
    if memory.status == "quarantined":
        word = "Kept aside (quarantined), not recalled:"
    elif memory.status == "superseded":
        word = f"Kept as what held before {memory.superseded_by}, which has newer evidence:"
    elif not value.existing:
        word = "Remembered:"
    else:
        word = "Known already, evidence merged:" if value.event else "Known already, nothing changed:"
    yield f"{screen.strong(word)} {screen.name(memory.id)}"
    yield from _memory(memory)
    yield from _consequences(value.superseded, value.nominated)
    if value.superseded:
        yield f"  to bring back what was replaced: {screen.name(f'learnt undo {value.event}')}"
    elif value.nominated:
        yield f"  to look at: {screen.name('learnt conflicts')}"


def proposed(value: Proposed) -> Iterator[str]:
    """A stored proposal, for reading."""
    proposal = value.proposal
    if value.redirected:
        yield screen.faint("An agent started this process, so this is a proposal: a person decides.")
    if proposal.status == "rejected":
        yield f"{screen.strong('Rejected at once:')} {screen.name(proposal.id)}"
        yield from screen.body(proposal.rejection_reason)
        return
    yield f"{screen.strong('Proposed already:' if value.existing else 'Proposed:')} {screen.name(proposal.id)}"
    yield from _what(proposal)
    if proposal.status == "pending":
        yield f"  to accept: {screen.name(f'learnt decide {proposal.id} accept')}"


def decided(value: Decided) -> Iterator[str]:
    """An applied decision, for reading."""
    word = {"rejected": "Rejected:", "applied": "Done:", "approved": "Done:"}.get(value.proposal.status, "Answered:")
    yield f"{screen.strong(word)} {screen.name(value.proposal.id)}"
    if value.memory is not None:
        known = value.existing and value.memory.status == "active"
        yield f"  {'known already' if known else value.memory.status}: {screen.name(value.memory.id)}"
        yield from _memory(value.memory)
    yield from _consequences(value.superseded, value.nominated)
    if value.folded:
        yield f"  with it, for asking for the same: {screen.listed(value.folded)}"
    yield f"  to take it back: {screen.name(f'learnt undo {value.event}')}"


def undone(value: Undone) -> Iterator[str]:
    """An undo, for reading."""
    yield f"{screen.strong('Taken back:')} {screen.name(value.event)}"
    if value.restored:
        yield f"  active again: {screen.listed(value.restored)}"
    if value.hidden:
        yield f"  hidden: {screen.listed(value.hidden)}"
    if value.proposal_id:
        yield f"  waits again: {screen.name(value.proposal_id)}"


def _memory(memory: Memory) -> Iterator[str]:
    yield from screen.body(memory.text, "    ")
    source = "" if memory.source.place.startswith("person:") else memory.source.place
    yield "    " + screen.faint(screen.joined(memory.kind, memory.scope.type, f"trust {memory.trust}", source))


def _consequences(superseded: tuple[str, ...], nominated: tuple[str, ...]) -> Iterator[str]:
    if superseded:
        yield f"  replaced: {screen.listed(superseded)}"
    if nominated:
        yield f"  may replace (for you to decide): {screen.listed(nominated)}"


def _what(proposal: Proposal) -> Iterator[str]:
    """What is asked for."""
    if proposal.text:
        yield from screen.body(proposal.text, "    ")
    if proposal.target_id:
        yield f"    {proposal.operation} {screen.name(proposal.target_id)}"
    if proposal.related:
        yield f"    {proposal.operation} {screen.listed(proposal.related)}"
    if proposal.rationale and not proposal.text:
        yield from screen.body(proposal.rationale, "    ")
