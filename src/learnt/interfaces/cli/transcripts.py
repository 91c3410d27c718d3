"""Commands about transcripts: digest, sessions ingest, list, show."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, asked_for, command, shared_options, unattended
from learnt.interfaces.cli.sightings import scan
from learnt.wire import capture as wire
from learnt.wire.digest import digest as digest_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.digest import Digest
    from learnt.model.evidence import SessionRecord
    from learnt.model.reading import Ingested, Reading


@command("digest", short_help="The extract of one transcript.")
@click.argument("path", type=click.Path())
@click.option("--host", default="", metavar="NAME", help="The transcript's format.  [default: recognised]")
@click.option("--full", is_flag=True, help="Everything, in order, with the session's header.")
def digest(desk: Desk, *, path: str, host: str, full: bool) -> None:
    """The extract of one transcript: what failed, what was changed again and again, how it ended. Stores nothing."""
    found = desk.engine.digest(path, host=host, full=full)
    desk.answer(digest_json(found), lambda: _digest(found))


def _digest(value: Digest) -> Iterator[str]:
    if value.failed_commands:
        yield screen.strong("Commands that failed")
        for command_ in value.failed_commands:
            code = "" if command_.exit_code is None else f"exit {command_.exit_code}"
            yield f"  {screen.name(command_.command)}  {screen.faint(code)}"
            yield from screen.quoted(command_.tail)
    if value.failed_tools:
        yield screen.strong("Tools that failed")
        for tool in value.failed_tools:
            yield f"  {screen.name(tool.tool)}  {screen.faint(tool.target or '')}"
            yield from screen.quoted(tool.error)
    if value.churned_files:
        yield screen.strong("Files changed again and again")
        yield from screen.table([(screen.count(file.writes, "write"), file.path) for file in value.churned_files])
    if value.final_notes:
        yield screen.strong("How it ended")
        for note in value.final_notes:
            yield from screen.body(note)
    stats = value.stats
    if stats.damaged:
        yield screen.strong("Records that are damaged")
        rows = [(f"record {each.record}", f"byte {each.offset:,}", each.reason) for each in stats.damaged]
        yield from screen.table(rows)
    counts = screen.count(stats.records, "record"), screen.count(stats.tool_calls, "tool call")
    prompts = screen.count(len(stats.human_prompts), "prompt")
    bad = screen.count(stats.malformed_lines, "malformed line") if stats.malformed_lines else ""
    yield screen.faint(screen.joined(*counts, prompts, bad, stats.status))


@click.group("sessions", invoke_without_command=True, short_help="Transcripts: find, read, list.")
@click.pass_context
def sessions(context: click.Context, *, as_json: bool, project: str) -> None:
    """Transcripts of coding sessions: find, read, list. Without a subcommand it lists those that were read."""
    if context.invoked_subcommand is None:
        context.invoke(list_, as_json=as_json, project=project, limit=50)


@command("ingest", short_help="Read transcripts.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(), metavar="PATH...")
@click.option("--host", default="", metavar="NAME", help="The transcripts' format.  [default: recognised]")
def ingest(desk: Desk, *, paths: tuple[str, ...], host: str) -> None:
    """Read transcripts into evidence and proposals. What was read before is not read again."""
    bar = _Progress(paths)
    _limited()
    try:
        found = desk.engine.ingest(paths, host=host, tell=bar.step, asked=asked_for(desk.environment))
    finally:
        bar.close()
    desk.answer(wire.ingested(found), lambda: _ingested(found))
    for each in found.readings:
        if each.status == "failed" and _bytes(each.path):  # a session in which nothing was said leaves no file
            unattended(each.error)
    if found.failed:
        raise click.exceptions.Exit(NEGATIVE)


def _limited() -> None:
    """Say so before a limit on processor time ends this process; what was stored by then is gone on from next time."""
    if hasattr(signal, "SIGXCPU"):
        signal.signal(signal.SIGXCPU, _exhausted)


def _exhausted(_number: int, _frame: object) -> None:
    unattended("a capture was ended: it had used up its processor time")
    os._exit(NEGATIVE)


class _Progress:
    """A bar over the files' bytes on standard error, where that is a terminal and there is something to wait for."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._sizes = {path: _bytes(path) for path in paths}
        total = sum(self._sizes.values())
        shown = sys.stderr.isatty() and total > 2_000_000
        self._bar: Any = click.progressbar(length=total, label="reading", file=sys.stderr) if shown else None

    def step(self, reading: Reading) -> None:
        """One file is done."""
        if self._bar is not None:
            self._bar.update(self._sizes.get(reading.path, 0))

    def close(self) -> None:
        """Leave the line."""
        if self._bar is not None:
            self._bar.render_finish()


def _bytes(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0


def _ingested(value: Ingested) -> Iterator[str]:
    rows = [(each.status, Path(each.path).name, _told(each)) for each in value.readings]
    yield from screen.table(rows, indent="", whole=True)
    for each in value.readings:
        for alarm in each.alarms:
            yield from screen.body(f"alarm: {Path(each.path).name}: {alarm}", "")
    proposals = sum(len(each.proposals) for each in value.readings)
    accepted = [memory for each in value.readings for memory in each.accepted]
    if accepted:
        yield f"Kept by rule: {screen.listed(accepted)}"
    if proposals:
        yield f"{screen.count(proposals, 'proposal')} to look at: {screen.name('learnt pending')}"


def _told(each: Reading) -> str:
    error = each.error.removeprefix(f"{each.path} ")  # the file's name stands beside it
    words = {"unchanged": "nothing new", "disabled": "capture is off there", "failed": error}
    return words.get(each.status) or screen.joined(
        screen.count(each.messages, "message"),
        f"{screen.count(each.units, 'piece')} of evidence",
        screen.count(len(each.proposals), "proposal") if each.proposals else "",
        f"{screen.count(each.skipped, 'record')} not taken" if each.skipped else "",
    )


@command("list", short_help="Sessions that were read.")
@click.option("--limit", type=click.IntRange(1, 1000), metavar="N", default=50, show_default=True, help="Most shown.")
def list_(desk: Desk, *, limit: int) -> None:
    """The sessions that were read, latest first: end, agent, how whole, messages, id."""
    found = desk.engine.sessions(limit)
    desk.answer({"sessions": [wire.record(each) for each in found], "total": len(found)}, lambda: _listed(found))


def _listed(found: Sequence[SessionRecord]) -> Iterator[str]:
    if not found:
        yield "No session of this repository was read yet. `learnt sessions scan` finds transcripts."
        return
    rows = [
        (each.ended_at[:16], each.host, each.status, screen.count(each.messages, "message"), each.session_id)
        for each in found
    ]
    yield from screen.table(rows, indent="", whole=True)


@command("show", short_help="One session.")
@click.argument("session")
def show(desk: Desk, *, session: str) -> None:
    """One session that was read: its place, counts and alarms."""
    found = desk.engine.session(session)
    desk.answer(wire.record(found), lambda: _record(found))


def _record(value: SessionRecord) -> Iterator[str]:
    yield f"{screen.name(value.session_id)}  {screen.faint(screen.joined(value.host, value.status))}"
    yield from screen.pairs(
        [
            ("file", value.path),
            ("folder", value.cwd),
            ("branch", value.branch),
            ("commit", value.commit),
            ("began", screen.minute(value.started_at)),
            ("ended", screen.minute(value.ended_at)),
            ("read", screen.joined(screen.minute(value.read_at), f"{value.offset:,} bytes")),
            ("messages", f"{value.messages:,} of {value.records:,} records, {value.skipped:,} skipped"),
            ("person", "at a terminal" if value.interactive else "not seen at a terminal"),
            ("parent", value.parent_session_id),
        ]
    )
    for alarm in value.alarms:
        yield from screen.body(f"alarm: {alarm}")


sessions.params.extend(shared_options())
for _each in (scan, ingest, list_, show):
    sessions.add_command(_each)
