"""The command that forgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from learnt.errors import UsageError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command, say
from learnt.interfaces.cli.options import many
from learnt.model.answer import Refusal
from learnt.model.forget import Ended, Erased
from learnt.wire import forget as wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.forget import Elsewhere, Forgotten


@command("forget", short_help="Forget memories for good, with every copy.")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--reason", default="", metavar="R", help="Why; kept in the audit trail.")
@click.option("--restatements", is_flag=True, help="Also what says the same in other words; shown first.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(desk: Desk, *, ids: Sequence[str], dry_run: bool, reason: str, restatements: bool, yes: bool) -> None:
    """Forget memories: they, what was made of them and the words they rest on leave every place learnt keeps.

    There is no way back, and what was forgotten is not learned again. `learnt compact --confirm` afterwards also takes
    it out of the free space of the files.
    """
    if (dry_run or desk.asks) and not yes:
        plan = desk.engine.forget(ids, restatements=restatements, dry_run=True)
        if isinstance(plan, Refusal):
            desk.refuse(plan)
        if dry_run:
            desk.answer(wire.forgotten(plan), lambda: told(desk, plan))
            return
        say(told(desk, plan))
        click.confirm("Forget all of this?", abort=True)
    done = desk.engine.forget(ids, reason=reason, restatements=restatements)
    if isinstance(done, Refusal):
        desk.refuse(done)
    desk.answer(wire.forgotten(done), lambda: told(desk, done))


@command("erase", short_help="Erase a person, or end a repository.")
@click.option("--person", "person", default="", metavar="P", help="An id (person:ID) or a name.")
@many("--also", "also", "NAME", "Another name or address of theirs.")
@click.option("--repository", "repository", default="", metavar="R", help="Id, address or folder; . for this one.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--reason", default="", metavar="R", help="Why; kept in the audit trail.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(
    desk: Desk,
    *,
    person: str,
    also: tuple[str, ...],
    repository: str,
    dry_run: bool,
    reason: str,
    yes: bool,
) -> None:
    """Erase what a person wrote, what was said to them and what is about them; or end a repository.

    A memory that others stand for too lives on without the person. There is no way back.
    """
    if bool(person) == bool(repository):
        raise UsageError("Name either a person or a repository.", code="erase", hint="learnt erase --person NAME")

    def done(*, only_shown: bool) -> Erased | Ended:
        answer: Erased | Ended | Refusal
        if person:
            answer = desk.engine.erase_person(person, also=also, reason=reason, dry_run=only_shown)
        else:
            answer = desk.engine.erase_repository(repository, reason=reason, dry_run=only_shown)
        return desk.refuse(answer) if isinstance(answer, Refusal) else answer

    if dry_run or (desk.asks and not yes):
        plan = done(only_shown=True)
        if dry_run or (isinstance(plan, Erased) and not _found(plan)):
            _erased(desk, plan)
            return
        say(gone(desk, plan))
        click.confirm("Erase all of this?", abort=True)
    _erased(desk, done(only_shown=False))


def _erased(desk: Desk, value: Erased | Ended) -> None:
    document = wire.erased(value) if isinstance(value, Erased) else wire.ended(value)
    desk.answer(document, lambda: gone(desk, value))


def gone(desk: Desk, value: Erased | Ended) -> Iterator[str]:
    """What went with a person or a repository, for reading."""
    if isinstance(value, Ended):
        yield screen.strong(f"{'Would end' if value.dry_run else 'Ended'}: repository {value.repository}")
        yield from (f"  {count} {name}" for name, count in value.removed.items() if count)
        yield from _elsewhere(value.elsewhere)
        return
    if not _found(value):
        yield "Nothing here is theirs. `learnt explain ID` shows ids of persons; `--also` takes other names."
        return
    yield from told(desk, value.forgotten)
    if value.kept:
        yield f"  {_count(len(value.kept), 'memory', 'memories')} of others too, kept without the person"
    if value.unsaid:
        yield f"  {value.unsaid} outcomes and flags removed"


def _found(value: Erased) -> bool:
    went = value.forgotten
    return bool(went.deleted or went.proposals or went.blanked or went.elsewhere or value.kept or value.unsaid)


def told(desk: Desk, value: Forgotten) -> Iterator[str]:
    """What goes or went, for reading; the texts only while they are still there."""
    word = "Would forget" if value.dry_run else "Forgotten"
    yield screen.strong(f"{word}: {_count(len(value.deleted), 'memory', 'memories')}")
    for name in value.deleted:
        yield f"  {screen.name(name)}{_mark(name, value)}"
        if value.dry_run:
            yield from screen.body(desk.engine.show(name).text, "    ")
    if value.restored:
        yield screen.strong("Active again" if not value.dry_run else "Would be active again")
        yield from (f"  {screen.name(name)}" for name in value.restored)
    if value.proposals:
        yield f"  {_count(len(value.proposals), 'proposal', 'proposals')} withdrawn"
    if value.blanked:
        yield f"  words of {_count(len(value.blanked), 'piece', 'pieces')} of evidence erased"
    if value.marked:
        yield f"  {_count(len(value.marked), 'memory', 'memories')} that cited them too, marked"
    yield from _elsewhere(value.elsewhere)
    if not value.dry_run:
        yield screen.faint("It is not learned again.")
        yield screen.faint("`learnt compact --confirm` clears the free space of the files.")


def _elsewhere(value: Sequence[Elsewhere]) -> Iterator[str]:
    if value:
        yield screen.strong("Copies that are not learnt's to remove")
    for each in value:
        yield f"  {each.type}: {screen.name(each.place)}"
        yield from screen.body(each.hint, "    ")


def _mark(name: str, value: Forgotten) -> str:
    return screen.faint("  says the same") if name in value.restatements else ""


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
