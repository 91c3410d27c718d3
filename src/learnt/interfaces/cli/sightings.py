"""The command sessions scan: what transcripts coding agents keep here, and what of them is read."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import Desk, command
from learnt.wire import capture as wire

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.flows.sessions import Reads
    from learnt.model.reading import Reading
    from learnt.model.sighting import Found, Scan

_NONE = "Coding agents keep no transcripts of this repository here. `learnt sessions ingest PATH` reads others."
_ALL = "learnt sessions scan --all"
_NAMED = 3
"""So many files of one reason are named; more are counted."""


@command("scan", short_help="Find transcripts of this repository.")
@click.option("--all", "everywhere", is_flag=True, help="Of every repository, and what is of none.")
@click.option("--read", "reads", flag_value="all", help="Read all that are new or grown.")
@click.option("--look", "reads", flag_value="none", help="Read none, not even those that are about to be deleted.")
@click.option("--full", is_flag=True, help="A line also for each session that was read before.")
def scan(desk: Desk, *, everywhere: bool, reads: Reads | None, full: bool) -> None:
    """Transcripts of this repository that coding agents keep, and what of them is read.

    Those that their client deletes within a week are read at once.
    """
    counter = _Counter()
    try:
        found = desk.engine.scan(everywhere=everywhere, reads=reads or "due", tell=counter.step, told=counter.read)
    finally:
        counter.close()
    desk.answer(wire.scan(found), lambda: _scanned(found, full=full))


def _scanned(value: Scan, *, full: bool) -> Iterator[str]:
    if not value.found:
        yield from screen.body(_NONE, "")
    now = {each.path for each in value.captured}
    told: list[Found] = []
    before: list[Found] = []
    for each in value.found:
        (told if full or each.status != "read" or each.path in now else before).append(each)
    rows = [(each.status, each.host, screen.size(each.size_bytes), *_where(each)) for each in told]
    yield from screen.table(rows, indent="", whole=True, right=(2,))
    yield from _before(before)
    yield from _reasons(told)
    yield from _captured(value)
    unread = [each for each in value.found if each.status in {"new", "grown"}]
    homeless = sum(bool(each.why) for each in unread)
    if ours := len(unread) - homeless:
        yield screen.faint(f"{ours} to read: learnt sessions scan --read, or learnt sessions ingest PATH...")
    if homeless:
        yield screen.faint(f"{homeless} of folders that are gone: only learnt sessions ingest PATH... reads them")
    if value.elsewhere:
        yield screen.faint(f"{screen.count(value.elsewhere, 'session')} of other repositories: {_ALL}")


def _before(found: Sequence[Found]) -> Iterator[str]:
    """How many were read before: a line for each host."""
    hosts = Counter(each.host for each in found)
    for host, number in hosts.items():
        yield from screen.body(f"{screen.count(number, 'session')} of {host} read before", "")
    if hosts:
        yield screen.faint("to see each of them: --full")


def _reasons(found: Sequence[Found]) -> Iterator[str]:
    """Why sessions are not read, or not whole: once for many of one reason."""
    told = [each for each in found if each.why and each.status != "new" and not each.why.startswith("read now")]
    reasons: dict[tuple[str, str], list[str]] = {}
    for each in told:
        reasons.setdefault((each.status, each.why), []).append(Path(each.path).name)
    for (status, why), names in reasons.items():
        named = names if len(names) <= _NAMED else [screen.count(len(names), "file")]
        for name in named:
            yield from screen.body(f"{status}: {name}: {why}", "")
    if any(each.status == "partial" for each in told):
        yield screen.faint("which records are damaged: learnt digest PATH")


def _captured(value: Scan) -> Iterator[str]:
    """What came of those that were read now."""
    if not value.captured:
        return
    proposals = sum(len(each.proposals) for each in value.captured)
    deleted = min((each.kept_until[:10] for each in value.found if each.kept_until), default="")
    waits = f"{screen.count(proposals, 'proposal')} to look at: learnt pending" if proposals else ""
    until = f"the first is deleted by its client on {deleted}" if deleted else ""
    yield from screen.body(screen.joined(f"{len(value.captured):,} read now", waits, until), "")
    yield screen.faint("what all of them come to: learnt memory rebuild")


def _where(each: Found) -> tuple[str, str]:
    return (each.ended_at or each.written_at)[:10], screen.place(each.path)


class _Counter:
    """How many sessions were looked at and read, on standard error where that is a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._read = 0

    def step(self, count: int) -> None:
        """One more; the line is written anew now and then."""
        if self._shown and count % 10 == 0:
            click.echo(f"\rlooking at sessions: {count}", err=True, nl=False)

    def read(self, reading: Reading) -> None:
        """One more was read."""
        self._read += 1
        if self._shown:
            click.echo(f"\rreading: {self._read} {Path(reading.path).name[:40]:<50}", err=True, nl=False)

    def close(self) -> None:
        """Leave the line empty."""
        if self._shown:
            click.echo("\r" + " " * 70 + "\r", err=True, nl=False)
