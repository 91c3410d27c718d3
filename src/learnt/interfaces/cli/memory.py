"""`learnt memory`: what the sessions of this repository come to."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import outlets, screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command, shared_options
from learnt.model.answer import Refusal
from learnt.model.extraction import OFFLINE
from learnt.model.thread import CONSOLIDATE, EXTRACT, MODES
from learnt.wire import phases as wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.consolidate import Consolidated
    from learnt.flows.pipeline import Phases, Rebuilt
    from learnt.flows.threads import Marked
    from learnt.flows.wipe import Wiped
    from learnt.model.thread import ThreadMode


_PAGES = "rollout_summaries/"
_STANDS = {
    "enabled": "is learnt from",
    "disabled": "is set aside and not learnt from",
    "polluted": "is set aside and not learnt from, for what it looked up elsewhere",
    None: "is out, with what it taught",
}
_WORK = {EXTRACT: "reading sessions", CONSOLIDATE: "making artifacts"}


@click.group("memory", invoke_without_command=True, short_help="What sessions come to: view, rebuild, clear, publish.")
@click.pass_context
def memory(context: click.Context, *, as_json: bool, project: str) -> None:
    """What the sessions of this repository come to: MEMORY.md, the summary that sessions start with, skills.

    Without a subcommand it says how far they were read, and what waits or failed.
    """
    if context.invoked_subcommand is None:
        context.invoke(state, as_json=as_json, project=project)


@command("state", short_help="How far sessions were read.")
def state(desk: Desk) -> None:
    """How far sessions were read for what they taught, and what waits or failed."""
    found = desk.engine.phases()
    desk.answer(wire.phases(found), lambda: _state(found))


def _state(value: Phases) -> Iterator[str]:
    waits = f"; {value.waiting:,} {'waits' if value.waiting == 1 else 'wait'}" if value.waiting else ""
    yield screen.strong(f"{screen.count(value.extracted, 'session')} taught something{waits}.")
    if value.waiting:
        yield from screen.body("A worker reads what waits; `learnt memory rebuild` does it now.")
    if value.too_old:
        yield from screen.body(f"Too old for a worker: {value.too_old:,}; `learnt memory rebuild` reads them too.")
    for kind, counts in value.counts.items():
        told = ", ".join(f"{number:,} {status}" for status, number in counts.items())
        if told:
            yield screen.faint(f"  {_WORK[kind]}: {told}")
    for (kind, error), many in Counter((each.kind, each.error) for each in value.faults).items():
        yield from screen.body(
            f"! {_WORK[kind]}: {error}{f' ({many} times)' if many > 1 else ''} `learnt jobs --kind {kind}`", ""
        )


def _rebuild(desk: Desk) -> None:
    shows = sys.stderr.isatty()
    try:
        done = desk.engine.rebuild(tell=_went if shows else None)
    finally:
        if shows:
            click.echo("\r\x1b[K", nl=False, err=True)
    if isinstance(done, Refusal):
        desk.refuse(done)
    folder = desk.home.data_dir / "projects" / desk.engine.assembly.identity.repository_id
    desk.answer(wire.rebuilt(done), lambda: _rebuilt(done, str(folder)))
    if done.failed or done.fault:
        raise click.exceptions.Exit(NEGATIVE)


@command("rebuild", short_help="Read what waits, and make the artifacts now.")
def rebuild(desk: Desk) -> None:
    """Read every session that waits, however old or fresh, then make MEMORY.md, summary and skills; now.

    Without a model this reads and writes on this machine alone. A session that cannot be read spoils no other: exit 1.
    """
    _rebuild(desk)


@command("enqueue", short_help="Have the next worker make the artifacts.")
def enqueue(desk: Desk) -> None:
    """Ask for the artifacts; the next worker makes them, the one after the next session start at the latest."""
    asked = desk.engine.enqueue()
    if isinstance(asked, Refusal):
        desk.refuse(asked)
    if not asked:
        _rebuild(desk)  # a store without jobs makes them at once
        return
    desk.answer({"enqueued": True}, lambda: ["Asked for; a worker makes them: `learnt worker --once`."])


def _clear(desk: Desk, *, yes: bool) -> None:
    if desk.asks and not yes:
        click.confirm(f"Remove everything learnt of {desk.engine.assembly.place.root}, memories too?", abort=True)
    done = desk.engine.wipe()
    if isinstance(done, Refusal):
        desk.refuse(done)
    desk.answer(wire.wiped(done), lambda: _wiped(done))


@command("clear", short_help="Remove everything learnt of this repository.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear(desk: Desk, *, yes: bool) -> None:
    """Remove memories, proposals, what sessions taught, its jobs and its files; of this repository alone.

    Nothing is barred from coming back, as it is by `learnt forget`. Sessions count as read: only what is new in them,
    or `learnt sessions ingest`, brings anything back.
    """
    _clear(desk, yes=yes)


@command("reset", short_help="The same as clear.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(desk: Desk, *, yes: bool) -> None:
    """The same as `learnt memory clear`."""
    _clear(desk, yes=yes)


@command("mark", short_help="Say whether a session is learnt from.")
@click.argument("session", metavar="SESSION")
@click.argument("mode", type=click.Choice(MODES), metavar="MODE")
def mark(desk: Desk, *, session: str, mode: ThreadMode) -> None:
    """Say whether a session is learnt from. One set aside leaves the artifacts with the next consolidation.

    MODE is enabled, disabled, or polluted: set aside for what it looked up elsewhere.
    """
    _answer(desk, desk.engine.mark_session(session, mode))


@command("drop", short_help="Take a session out with what it taught.")
@click.argument("session", metavar="SESSION")
def drop(desk: Desk, *, session: str) -> None:
    """Take a session out with what it taught; only what is new in it, or `learnt sessions ingest`, brings it back."""
    _answer(desk, desk.engine.drop_session(session))


def _answer(desk: Desk, done: Marked | Refusal) -> None:
    if isinstance(done, Refusal):
        desk.refuse(done)
    desk.answer(wire.marked(done), lambda: _marked(done))


def _went(what: str, done: int, of: int) -> None:
    """A line that rewrites itself, on a terminal."""
    click.echo(f"\r  {what}: {done:,} of {of:,}\x1b[K", nl=False, err=True)


def _rebuilt(value: Rebuilt, folder: str) -> Iterator[str]:
    results = Counter[str](each.result for each in value.sessions)
    others = [f"{many} {result}" for result, many in results.items() if result not in {"extracted", "nothing"}]
    told = ", ".join([f"{results['extracted']} taught something", f"{results['nothing']} nothing", *others])
    read = screen.count(len(value.sessions), "session")
    yield screen.strong(f"{read} read: {told}." if value.sessions else "No session waited to be read.")
    for thread, reason in value.failed:
        yield from screen.body(f"! {thread.session_id}: {reason}", "")
    waits = [each for each in value.skipped if each.why != "up_to_date"]
    if waits:
        counts = dict.fromkeys(each.why for each in waits)
        told = ", ".join(f"{sum(each.why == why for each in waits)} {why.replace('_', ' ')}" for why in counts)
        yield screen.faint(f"  {screen.count(len(waits), 'session')} not read: {told}")
    if value.fault:
        why = "another worker makes them at the moment" if value.fault == "running" else value.fault
        yield f"! The artifacts were not made: {why}"
    if value.consolidated is not None:
        yield from _made(value.consolidated, folder)


def _made(made: Consolidated, folder: str) -> Iterator[str]:
    yield screen.strong(
        f"{screen.count(made.entries, 'entry', 'entries')} from {screen.count(len(made.taken), 'session')}, "
        f"{screen.count(len(made.skills), 'skill')}; the summary has {made.summary_tokens:,} tokens."
    )
    pages = sum(each.startswith(_PAGES) for each in made.written)
    written = [each for each in made.written if not each.startswith(_PAGES)]
    written += [f"{screen.count(pages, 'page')} of {_PAGES}"] if pages else []
    by = "without a model" if made.writer == OFFLINE else f"by {made.writer}"
    yield from screen.body(f"written {by}: {', '.join(written) or 'nothing changed'}")
    yield from screen.pairs([("in", folder)])
    if made.kept:
        yield from screen.body(
            f"You had changed {screen.count(len(made.kept), 'file')}; copies: {', '.join(made.kept)}"
        )
    for fault in made.faults:
        yield from screen.body(f"! {fault}", "")
    if made.proposals:
        proposals = screen.count(len(made.proposals), "proposal")
        yield from screen.body(
            f"{proposals} of your changes: what you accept of them in `learnt pending` stands there."
        )


def _wiped(value: Wiped) -> Iterator[str]:
    gone = ", ".join(f"{number:,} {name}" for name, number in value.removed.items() if number)
    yield screen.strong(f"Cleared: {gone}." if gone else "There was nothing to clear.")
    if value.sessions:
        told = (
            f"{screen.count(value.sessions, 'session')} count as read: `learnt sessions ingest PATH` brings one back."
        )
        yield from screen.body(told)


def _marked(value: Marked) -> Iterator[str]:
    after = "; the artifacts are made anew without delay" if value.consolidates else ""
    yield f"{screen.name(value.thread.session_id)} {_STANDS[value.mode]}{after}."


memory.params.extend(shared_options())
for _each in (outlets.view, state, rebuild, enqueue, clear, reset, mark, drop, outlets.publish, outlets.skills):
    memory.add_command(_each)
