"""All hosts' transcripts behind one port."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import LearntError, UsageError
from learnt.hosts import transcript

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from learnt.hosts.host import Host
    from learnt.model.session import Header
    from learnt.ports.transcript import Transcript

_FIRST = 40
"""Events read to learn a session's folder."""


class Shelf:
    """See `learnt.ports.transcript.Transcripts`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def host_of(self, place: str, host: str = "") -> str:
        """The host that wrote the file."""
        found = transcript.host_of(transcript.asked_of(place).path)
        if host:
            return transcript.host_named(host).name
        if not found:
            known = ", ".join(transcript.HOSTS)
            hint = f"Readers exist for: {known}."
            raise UsageError(f"{place} is no transcript of a known host.", code="unknown_host", hint=hint)
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

    def extent(self, place: str, host: str) -> int:
        """How far the session goes by now; 0 when it is gone."""
        return transcript.host_named(host).extent(transcript.asked_of(place))

    def live(self, session_id: str) -> bool:
        """Whether a client holds the session open."""
        return any(session_id in host.live(folder) for host, folder in self._folders())

    def find(self) -> Iterator[tuple[str, Header]]:
        """Every session, newest first of each host; one that cannot be read is left to `ingest`, which says why."""
        for host, folder in self._folders():
            for path in host.files(folder):
                for session in host.sessions(path) or ("",):
                    place = f"{path}#{session}" if session else str(path)
                    if header := _header(place, host):
                        yield place, header

    def _folders(self) -> Iterator[tuple[Host, Path]]:
        home = Path(os.path.expanduser("~"))  # noqa: PTH111 - never raises
        for host in transcript.REGISTRY:
            for folder in host.folders(self._environment, home):
                yield host, folder


def _header(place: str, host: Host) -> Header | None:
    try:
        reader = transcript.reader(place, host.name, lineage=False)
        for _ in islice(reader.events(), _FIRST):
            if reader.header().cwd:
                break
    except LearntError:
        return None
    return reader.header()
