"""The command `intake`: an agent's output, taken in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from learnt.errors import NotFoundError, UsageError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.model.answer import Refusal
from learnt.model.intake import MAX_CHARS
from learnt.wire import queue as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.intake import Taken

_MAX_BYTES = 4 * MAX_CHARS


@command("intake", short_help="Take in an agent's output.")
@click.argument("file")
@click.option("--role", default="", metavar="ROLE", help="The role of the agent that wrote it.")
def intake(desk: Desk, *, file: str, role: str) -> None:
    """Queue what an agent's output proposes; FILE or - for standard input.

    The output may hold the JSON arrays memoryProposals and curatorMemoryDecisions: alone, in a fenced block, or in
    prose. Decisions count only of a curator role that you enabled for this repository in your configuration.
    """
    answer = desk.engine.intake(_text(file), role=role)
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    desk.answer(wire.taken(answer), lambda: _taken(answer))
    if answer.invalid:
        raise click.exceptions.Exit(NEGATIVE)


def _text(file: str) -> str:
    """What is to be taken in.

    Raises:
        NotFoundError: There is no such file.
        UsageError: It is no text, or too long.
    """
    try:
        raw = sys.stdin.buffer.read(_MAX_BYTES + 1) if file == "-" else _read(Path(file))
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}.", hint="Name a file, or - .") from None
    if len(raw) > _MAX_BYTES:
        raise UsageError(f"An output has at most {MAX_CHARS:,} characters.", code="too_long")
    return raw.decode("utf-8", "replace")


def _read(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_MAX_BYTES + 1)


def _taken(value: Taken) -> Iterator[str]:
    if not (value.proposals or value.decided or value.known or value.invalid or value.ignored):
        yield "The output holds no memoryProposals and no curatorMemoryDecisions."
        return
    for each in value.proposals:
        word = "Proposed already:" if each.existing else "Proposed:"
        yield f"{screen.strong(word if each.proposal.status == 'pending' else 'Rejected at once:')} {each.proposal.id}"
        yield from screen.body(each.proposal.text or each.proposal.rationale, "    ")
    for name in value.accepted:
        yield f"{screen.strong('Accepted by a rule of yours:')} {screen.name(name)}"
    for done in value.decided:
        yield f"{screen.strong('Decided:')} {screen.name(done.proposal.id)} {done.proposal.status}"
    if value.known:
        yield screen.faint(f"Known already, nothing done: {screen.listed(value.known)}")
    if value.ignored:
        yield f"{screen.count(value.ignored, 'decision')} ignored: no person enabled the role {value.role!r} here."
    if value.invalid:
        yield screen.strong("Dropped")
        rows = [
            (each.array, str(each.index) if each.index >= 0 else "-", each.code, each.message) for each in value.invalid
        ]
        yield from screen.table(rows)
    if any(each.proposal.status == "pending" for each in value.proposals):
        yield f"To decide: {screen.name('learnt pending')}"
