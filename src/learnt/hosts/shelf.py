"""All hosts' transcripts behind one port."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import LearntError, NotFoundError, UsageError
from learnt.hosts import transcript
from learnt.hosts.installed import claude_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from learnt.model.session import Header
    from learnt.ports.transcript import Transcript

_FIRST = 40
"""Events read to learn a session's folder."""


class Shelf:
    """See `learnt.ports.transcript.Transcripts`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def host_of(self, path: str, host: str = "") -> str:
        """The host that wrote the file."""
        file = Path(path)
        if not file.exists():
            raise NotFoundError(f"There is no file {path}.", hint="`learnt sessions scan` finds transcripts.")
        found = host or transcript.host_of(file)
        if found not in transcript.HOSTS:
            known = ", ".join(transcript.HOSTS)
            what = f"There is no reader for {host}." if host else f"{path} is no transcript of a known host."
            raise UsageError(what, code="unknown_host", hint=f"Readers exist for: {known}.")
        return found

    def open(self, path: str, host: str, offset: int = 0, number: int = 0) -> Transcript:
        """A reader."""
        return transcript.reader(Path(path), host, offset, number)

    def head(self, path: str) -> tuple[str, int]:
        """By what the file is recognised later."""
        return transcript.head_of(Path(path))

    def resumable(self, path: str, offset: int, head_hash: str, head_bytes: int) -> bool:
        """Whether the file is the one read up to `offset`."""
        return transcript.resumable(Path(path), offset, head_hash, head_bytes)

    def size(self, path: str) -> int:
        """Bytes of the file now."""
        try:
            return Path(path).stat().st_size
        except OSError:
            return 0

    def live(self, session_id: str) -> bool:
        """Whether a client holds the session open."""
        return session_id in transcript.live_sessions(self._claude())

    def find(self) -> Iterator[tuple[str, Header]]:
        """Every session file, newest first; one that cannot be read is left to `ingest`, which says why."""
        for path in transcript.session_files(self._claude()):
            try:
                reader = transcript.reader(path, "claude-code", lineage=False)
                for _ in islice(reader.events(), _FIRST):
                    if reader.header().cwd:
                        break
            except LearntError:
                continue
            yield str(path), reader.header()

    def _claude(self) -> Path:
        return claude_home(self._environment, Path(os.path.expanduser("~")))  # noqa: PTH111 - never raises
