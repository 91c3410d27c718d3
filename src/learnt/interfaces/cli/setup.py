"""Commands that wire learnt into coding agents: init, uninit, adopt, hook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from learnt.errors import ConfigError, StoreError, UnsupportedError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command, say
from learnt.model.answer import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.engine import Engine
    from learnt.hosts.wiring.installed import Change
    from learnt.interfaces.cli.install import Left, Plan


_FILL_S = 20.0
_LOOK = 3
"""From so many changed files on they are listed once more behind their changes."""

_INSTRUCTIONS = (
    "When you tell an agent something for good (always ..., never ..., use X, not Y), learnt can keep it for this "
    "repository at once, visible in `learnt list` and undoable. Otherwise it waits for you."
)


@command("init", short_help="Wire learnt into your coding agents.")
@click.option(
    "--host", "hosts", metavar="NAME", multiple=True, help="Only this host.  [repeatable; default: found ones]"
)
@click.option("--shared", is_flag=True, help="Only this repository, in the settings file it shares.")
@click.option(
    "--accept-instructions/--no-accept-instructions",
    default=None,
    help="Keep what you explicitly tell an agent (always ..., never ...) without a review.",
)
@click.option("--dry-run", is_flag=True, help="Show the change, write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def init(
    desk: Desk, *, hosts: tuple[str, ...], shared: bool, accept_instructions: bool | None, dry_run: bool, yes: bool
) -> None:
    """Find installed coding agents and add the hooks that read sessions and bring memories.

    Shows the change first. Running it again changes nothing; other hooks stay untouched.
    """
    from learnt.interfaces.cli.install import install, plan

    if desk.home.lines:
        raise UnsupportedError("Hooks do not read a store of JSON lines.", hint=_INSTEAD)
    wanted = plan(desk.home, hosts, _root(desk) if shared else None, Path(desk.folder))
    if dry_run:
        _told(desk, wanted.left)
        _show(desk, wanted)
        desk.answer(_document(wanted, applied=False), lambda: iter(("", "Nothing was written (--dry-run).")))
        return
    _permitted(desk, accept=accept_instructions)
    _show(desk, wanted)
    _confirmed(desk, wanted.changes, yes=yes)
    accept = _accepts(desk, given=accept_instructions, asks=desk.asks and not yes)
    made = install(desk.engine, wanted, accept_instructions=accept)
    _filled(desk)
    _told(desk, made.left)
    document = _document(made, applied=True) | {"accept_instructions": accept, **_places(desk)}
    desk.answer(document, lambda: _done(desk, made, accept=accept))
    if made.left:
        raise click.exceptions.Exit(NEGATIVE)


def _told(desk: Desk, left: Sequence[Left]) -> None:
    for each in left:
        desk.note(f"{each.name} is not wired: {each.message} {each.advice}")


_INSTEAD = "Unset LEARNT_DATABASE_URL, or move the store first: `learnt migrate --to sqlite:///PATH`."


def _filled(desk: Desk) -> None:
    """Fill the copy that hooks read, where the store is on a server; what takes longer is left to the next command."""
    if not desk.home.url:
        return
    from learnt.bootstrap import remote

    if lost := remote.unseen(desk.environment):
        desk.note(f"hooks do not see {', '.join(lost)}: what they say belongs into the URL, or into ~/.pgpass")
    desk.close()
    found = desk.engine.follow(_FILL_S)
    if not found.complete:
        desk.note(found.fault or "the copy for hooks is not complete yet; the next command or `learnt worker` goes on")


def _root(desk: Desk) -> Path:
    from learnt.model.place import place

    return Path(place(desk.folder).root)


def _permitted(desk: Desk, *, accept: bool | None) -> None:
    """An agent may wire, never decide that words become memories without a review."""
    if accept:
        desk.need_person("Keeping instructions without a review")


def _accepts(desk: Desk, *, given: bool | None, asks: bool) -> bool:
    """Whether explicit instructions are kept without a review: as said, else as a person answers, else as before."""
    from learnt.bootstrap import installation

    if given is not None:
        return given
    before = installation(desk.home).accept_instructions
    if not asks or not desk.engine.assembly.means.context.person:
        return before
    click.echo()
    say(screen.body(_INSTRUCTIONS, ""))
    return click.confirm("Keep such instructions without a review?", default=before)


def _show(desk: Desk, wanted: Plan) -> None:
    """The change, before anything is asked or written."""
    if not desk.as_json:
        say(_diffs(wanted.changes))
        say(_listed(wanted.changes))


def _listed(changes: Sequence[Change]) -> Iterator[str]:
    """The files alone, where their changes are too long for one look."""
    differing = [change for change in changes if change.differs]
    if len(differing) < _LOOK:
        return
    yield ""
    yield f"{screen.count(len(differing), 'file')} in all:"
    yield from (f"  {screen.name(str(change.path))}" for change in differing)


def _confirmed(desk: Desk, changes: Sequence[Change], *, yes: bool) -> None:
    """Go on only when a person at a terminal agrees; where none is, or there is nothing to change, go on."""
    if not desk.asks or yes or not any(change.differs for change in changes):
        return
    if not click.confirm("Make this change?", default=True):
        desk.note("nothing was changed")
        raise click.exceptions.Exit(NEGATIVE)


def _diffs(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        if not change.differs:
            yield f"{change.path}: nothing to change"
            continue
        yield from (_coloured(row) for row in change.diff.splitlines())


def _coloured(row: str) -> str:
    from learnt.wire.terminal import plain

    colour = {"+": "green", "-": "red", "@": "cyan"}.get(row[:1])
    return click.style(plain(row), fg=colour) if colour else plain(row)


def _document(wanted: Plan, *, applied: bool) -> dict[str, Any]:
    return {
        "hosts": list(wanted.hosts),
        "changes": [_change(change, applied=applied) for change in wanted.changes],
        "notes": wanted.notes,
        "left": [{"host": each.name, "message": each.message, "advice": each.advice} for each in wanted.left],
        "shared": wanted.root is not None,
        "dry_run": not applied,
    }


def _change(change: Change, *, applied: bool) -> dict[str, Any]:
    return {"path": str(change.path), "diff": change.diff, "changed": change.differs, "applied": applied}


def _places(desk: Desk) -> dict[str, str]:
    home = desk.home
    return {"data_dir": str(home.data_dir), "database": home.shown, "config": str(home.config_file)}


def _done(desk: Desk, wanted: Plan, *, accept: bool) -> Iterator[str]:
    where = f"the repository {wanted.root}" if wanted.root else "all your repositories"
    yield ""
    if wanted.wired:
        yield f"{screen.strong('Capture and injection are on')} for {where}, in {screen.listed(wanted.wired)}."
    elif wanted.hosts:
        yield f"{screen.strong('Nothing was wired')}: there is no place for it in {screen.listed(wanted.hosts)}."
    else:
        yield f"{screen.strong('No coding agent was found.')} Name one: {screen.name('learnt init --host claude-code')}"
    yield from screen.pairs(
        [
            ("memory", desk.home.shown),
            ("settings", str(desk.home.config_file)),
            ("instructions", "kept without a review" if accept else "wait for your review"),
        ]
    )
    yield from screen.pairs(list(wanted.notes.items()))
    if wanted.hosts and not wanted.wired:
        return
    yield ""
    yield "Next: work as usual. Then"
    does = {"pending": "shows what sessions taught", "doctor": "checks everything", "uninit": "takes it out again"}
    yield from screen.pairs([(f"learnt {verb}", what) for verb, what in does.items()])


@command("uninit", short_help="Take the hooks out again.")
@click.option("--dry-run", is_flag=True, help="Show the change, write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def uninit(desk: Desk, *, dry_run: bool, yes: bool) -> None:
    """Remove exactly what init added. The memory stays."""
    from learnt.interfaces.cli.removal import removal, uninstall

    desk.need_person("Taking the hooks out")
    places = _places(desk)
    wanted = removal(desk.home, _root(desk))
    changes = wanted.changes
    if not desk.as_json:
        say(_diffs(changes))
        say(_listed(changes))
    if dry_run:
        planned = {"changes": [_change(each, applied=False) for each in changes], "removed": [], "left": []}
        desk.answer(planned | places, lambda: iter(("", "Nothing was written (--dry-run).")))
        return
    engine = _reached(desk)
    _confirmed(desk, changes, yes=yes)
    removed, stay = uninstall(desk.home, engine, wanted)
    left = [{"path": each.name, "message": each.message, "advice": each.advice} for each in stay]
    names = {each.name for each in stay}
    done = [_change(each, applied=str(each.path) not in names) for each in changes]
    document = {"changes": done, "removed": list(removed), "left": left}
    for each in stay:
        desk.note(f"{each.message} {each.advice}")
    desk.answer(document | places, lambda: _gone(desk, changes, removed))
    if left:
        raise click.exceptions.Exit(NEGATIVE)


def _reached(desk: Desk) -> Engine | None:
    """The engine; none where the store does not open, which is no reason to keep anybody's hooks."""
    try:
        return desk.engine
    except (StoreError, ConfigError) as error:
        desk.note(f"{error.message} Receipts that hooks have not sent yet are lost.")
        return None


def _gone(desk: Desk, changes: Sequence[Change], removed: Sequence[str]) -> Iterator[str]:
    if not changes and not removed:
        yield "Nothing was installed."
    else:
        yield screen.strong("Capture and injection are off.")
    yield f"The memory stays: {desk.home.shown}"


@command("adopt", short_help="Say that this folder is a known repository.")
@click.argument("repository", default="")
def adopt(desk: Desk, *, repository: str) -> None:
    """Say that this folder is a repository learnt knows: moved, cloned elsewhere, or under another remote.

    Without REPOSITORY (an id that `learnt status` shows there) it is the one this folder looks like.
    """
    adopted = desk.engine.adopt(repository)
    if isinstance(adopted, Refusal):
        desk.refuse(adopted)
    value = desk.engine.assembly.place.value
    document = {"repository_id": adopted, "adopted": True, "value": value}
    desk.answer(document, lambda: iter((f"{value} is the known repository {adopted} from now on.",)))


@click.command("hook", short_help="What a coding agent calls.", context_settings={"ignore_unknown_options": True})
@click.argument("event")
@click.option("--host", metavar="NAME", default="claude-code", show_default=True, help="Whose dialect is spoken.")
def hook(*, event: str, host: str) -> None:
    """Handle one event of a coding agent: its JSON on stdin, its JSON on stdout, always exit 0."""
    from learnt.interfaces.cli.hook import run_hook

    run_hook([event, "--host", host])
