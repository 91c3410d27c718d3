"""`learnt memory view`, `publish`, `skills`: what agents are told, and the files it is put into on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from learnt.errors import UsageError
from learnt.hosts.dialect import MAX_CHARS, TRIES, narrowed
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.model.answer import Refusal
from learnt.wire import phases as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.flows.regions import Redrawn

_USUAL_CHARS = 9_000
_WRITTEN = ("was written", "is as it should be", "There is no skill here yet: what worked in two sessions becomes one.")
_REMOVED = ("holds nothing of learnt any more", "holds nothing of learnt", "There was nothing to take out.")


@command("view", short_help="What a session is told at its start of earlier ones.")
@click.option("--host", default="claude-code", metavar="NAME", help="For this host's limit.  [default: claude-code]")
def view(desk: Desk, *, host: str) -> None:
    """What a session is told at its start of earlier ones, byte for byte as the hook gives it.

    Memories that came since, and what became of others, are told after it.
    """
    from learnt.hosts.wiring.fitting import FITTINGS

    if host not in FITTINGS:
        hint = f"There are: {', '.join(FITTINGS)}."
        raise UsageError(f"There is no host {host!r}.", code="unknown_host", hint=hint)
    most_chars = MAX_CHARS.get(host, _USUAL_CHARS)
    found = desk.engine.guidance(most_chars)
    for _ in range(TRIES):
        if (fewer := narrowed(host, most_chars, found.text)) == most_chars:
            break
        most_chars = fewer
        found = desk.engine.guidance(most_chars)
    told = [found.text] if found.text else [f"Nothing is injected: {found.reason}.", *_hint(found.reason)]
    desk.answer(wire.guidance(found), lambda: iter(told))


def _hint(reason: str) -> list[str]:
    return ["`learnt memory rebuild` makes the summary."] if reason.startswith(("no summary", "not cleared")) else []


@command("publish", short_help="Keep reviewed memories in a file that agents read.")
@click.argument("file")
@click.option("--remove", is_flag=True, help="Take them out again.")
@click.option("--dry-run", is_flag=True, help="Show the change, write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def publish(desk: Desk, *, file: str, remove: bool, dry_run: bool, yes: bool) -> None:
    """Keep reviewed memories of this repository in FILE: CLAUDE.md, AGENTS.md, a host's own MEMORY.md.

    They stand in a marked region; nothing else of the file is touched. The region follows each consolidation.
    What you change inside it is offered as proposals. Nothing personal stands in it.
    """

    def done(*, dry: bool) -> Redrawn | Refusal:
        return desk.engine.publish(file, remove=remove, dry_run=dry)

    made = _carry_out(desk, done, dry_run=dry_run, yes=yes, remove=remove)
    if not made.memories and not remove:
        desk.note("no memory here is reviewed yet, so nothing stands in it: `learnt pending`, `learnt remember`")


@command("skills", short_help="Copy skills to where a coding agent looks for them.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--host", default="claude-code", metavar="NAME", help="Which coding agent.  [default: claude-code]")
@click.option("--remove", is_flag=True, help="Take them out again.")
@click.option("--dry-run", is_flag=True, help="Show the change, write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def skills(desk: Desk, *, names: tuple[str, ...], host: str, remove: bool, dry_run: bool, yes: bool) -> None:
    """Copy skills of this repository into the folder where a coding agent looks for them; all where none is named.

    Hosts with such a folder: claude-code, codex, opencode, pi, gemini-cli, copilot-cli. The copies follow each
    consolidation; one that you change is yours from then on.
    """

    def done(*, dry: bool) -> Redrawn | Refusal:
        return desk.engine.give_skills(host, names, remove=remove, dry_run=dry)

    _carry_out(desk, done, dry_run=dry_run, yes=yes, remove=remove)


def _carry_out(desk: Desk, act: Callable[..., Redrawn | Refusal], *, dry_run: bool, yes: bool, remove: bool) -> Redrawn:
    """Show the change, ask a person at a terminal, do it."""
    if dry_run or (desk.asks and not yes):
        planned = _done(desk, act(dry=True))
        if dry_run:
            desk.answer(wire.redrawn(planned), lambda: _shown(planned, "Nothing was written (--dry-run)."))
            return planned
        for line in _shown(planned, ""):
            click.echo(line)
        if any(each.differs for each in planned.drawn) and not click.confirm("Write this?", default=False):
            raise click.exceptions.Abort
    made = _done(desk, act(dry=False))
    desk.answer(wire.redrawn(made), lambda: _told(made, _REMOVED if remove else _WRITTEN))
    return made


def _done(desk: Desk, answer: Redrawn | Refusal) -> Redrawn:
    if isinstance(answer, Refusal):
        desk.refuse(answer)
    return answer


def _shown(value: Redrawn, last: str) -> Iterator[str]:
    for each in value.drawn:
        yield from each.diff.splitlines() if each.differs else [f"{each.path} is as it should be."]
    if not value.drawn:
        yield _WRITTEN[-1]
    if last:
        yield last


def _told(value: Redrawn, words: tuple[str, str, str]) -> Iterator[str]:
    changed, kept, none = words
    for each in value.drawn:
        yield f"{each.path} {changed if each.differs else kept}."
    if not value.drawn:
        yield none
    if value.proposals:
        yield f"{screen.count(len(value.proposals), 'proposal')} of your changes: `learnt pending`"
    for fault in value.faults:
        yield f"! {fault}"
