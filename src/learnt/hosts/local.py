"""All hosts' transcripts on this machine, behind one port."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import LearntError, UsageError
from learnt.hosts import transcript
from learnt.hosts.reading.foreign import held
from learnt.model.instant import from_epoch, plus_days
from learnt.model.sighting import Sighting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from learnt.hosts.host import Host
    from learnt.ports.transcript import Transcript

_FIRST = 40
"""Events read to learn a session's folder."""


def _open_now(host: Host, folder: Path) -> Mapping[str, str]:
    """Sessions a client holds open; of a folder that may not be looked into nobody knows any."""
    try:
        return host.live(folder)
    except OSError:
        return {}


def _places(host: Host, environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where a host keeps sessions; nowhere that can be told where its own folder may not be looked into."""
    try:
        return tuple(host.folders(environment, home))
    except OSError:
        return ()


class LocalTranscripts:
    """See `learnt.ports.transcript.Transcripts`.

    Args:
        root: The repository that is asked about: some hosts keep their sessions in it, not in the person's home.
    """

    def __init__(self, environment: Mapping[str, str], root: str = "") -> None:
        self._environment = {**environment, "PWD": root} if root else environment

    def host_of(self, place: str, host: str = "") -> str:
        """The host that wrote the file."""
        found = transcript.host_of(transcript.asked_of(place).path)
        if host:
            return transcript.host_named(host).name
        if not found:
            known = ", ".join(transcript.HOSTS)
            hint = f"Readers exist for: {known}."
            folder = transcript.asked_of(place).path.is_dir()
            what = "a folder; name the transcripts in it" if folder else "no transcript of a known host"
            raise UsageError(f"{place} is {what}.", code="unknown_host", hint=hint)
        return found

    def sessions(self, place: str, host: str = "") -> tuple[str, ...]:
        """The places of all sessions in a file; the place itself where it is one."""
        asked = transcript.asked_of(place)
        if asked.session:
            return (place,)
        inside = transcript.host_named(self.host_of(place, host)).sessions(asked.path)
        return tuple(f"{place}#{each}" for each in inside) or (place,)

    def open(self, place: str, host: str, offset: int = 0, number: int = 0) -> Transcript:
        """A reader."""
        return transcript.reader(place, host, offset, number)

    def head(self, place: str, host: str) -> tuple[str, int]:
        """By what the file is recognised later."""
        return transcript.host_named(host).head(transcript.asked_of(place))

    def resumable(self, place: str, host: str, offset: int, head: tuple[str, int]) -> bool:
        """Whether the session is the one read up to `offset`, and a reading may go on there."""
        chosen, asked = transcript.host_named(host), transcript.asked_of(place)
        extent = chosen.extent(asked)
        reached = extent >= offset if chosen.resumes else extent == offset
        return reached and chosen.same(asked, *head)

    def extent(self, place: str, host: str, *, in_bytes: bool = False) -> int:
        """How far the session goes by now; 0 when it is gone."""
        chosen = transcript.host_named(host)
        measure = chosen.size if in_bytes and chosen.size else chosen.extent
        return measure(transcript.asked_of(place))

    def live(self, session_id: str) -> bool:
        """Whether a client holds the session open."""
        return any(session_id in _open_now(host, folder) for host, folder in self._folders())

    def find(self) -> Iterator[Sighting]:
        """Every session, newest first of each host."""
        for host, folder in self._folders():
            with held():
                try:
                    yield from _kept(host, folder)
                except (LearntError, OSError) as fault:  # what is wrong with one host's folder hides no other's
                    yield Sighting(place=str(folder), host=host.name, fault=_told(fault, folder))

    def _folders(self) -> Iterator[tuple[Host, Path]]:
        home = Path(os.path.expanduser("~"))  # noqa: PTH111 - never raises
        for host in transcript.REGISTRY:
            for folder in _places(host, self._environment, home):
                yield host, folder


def _until(written_at: str, keeps_days: float | None) -> str:
    return plus_days(written_at, keeps_days) if written_at and keeps_days is not None else ""


def _kept(host: Host, folder: Path) -> Iterator[Sighting]:
    """The sessions in one folder of a client, with what the client says of them."""
    live, keeps = host.live(folder), host.keeps_days(folder)
    for path in host.files(folder):
        for seen in _seen(host, path):
            live_now = seen.header is not None and seen.header.session_id in live
            yield replace(seen, live=live_now, kept_until=_until(seen.written_at, keeps))


def _told(fault: Exception, path: Path) -> str:
    """What is wrong; the file's name stands beside it."""
    if isinstance(fault, LearntError):
        return fault.message.removeprefix(f"{path} ")
    return f"it cannot be read: {fault}"


def _seen(host: Host, path: Path) -> Iterator[Sighting]:
    """The sessions of one file; what is wrong with it is told of the file."""
    try:
        state = path.stat()
        size = 0 if path.is_dir() else state.st_size
        known = Sighting(place=str(path), host=host.name, size_bytes=size, written_at=from_epoch(state.st_mtime))
        if not path.is_dir() and not size:
            yield known
            return
        if host.recognises(path) == "no":
            yield replace(known, understood=False)
            return
        for session in host.sessions(path) or ("",):
            yield _session(host, replace(known, place=f"{path}#{session}" if session else str(path)))
    except (LearntError, OSError, ValueError) as fault:
        yield Sighting(place=str(path), host=host.name, fault=_told(fault, path))


def _session(host: Host, known: Sighting) -> Sighting:
    """One session with what its first records say of it."""
    asked = transcript.asked_of(known.place, lineage=False)
    try:
        reader = host.reads(asked)
        for _ in islice(reader.events(), _FIRST):
            if reader.header().cwd:
                break
        header, extent = reader.header(), host.extent(asked)
    except LearntError as fault:
        return replace(known, fault=_told(fault, asked.path))
    understood = not header.records or header.unknown < header.records
    if host.resumes:  # of a log its beginning is known, not its end
        header = replace(header, ended_at="")
    return replace(known, header=header, extent=extent, size_bytes=known.size_bytes or extent, understood=understood)
