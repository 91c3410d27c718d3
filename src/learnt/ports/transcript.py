"""Session transcripts, whatever agent wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.session import Header, SessionEvent
    from learnt.model.sighting import Sighting


class Transcript(Protocol):
    """One transcript, read once from front to back in constant memory."""

    @property
    def next_offset(self) -> int:
        """The byte at which the next reading goes on; complete when `events` is exhausted."""
        ...

    @property
    def next_number(self) -> int:
        """The 0-based number of the line there."""
        ...

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the file."""
        ...

    def header(self) -> Header:
        """What is known of the session; complete when `events` is exhausted."""
        ...


class Transcripts(Protocol):
    """The transcripts on this machine. A place is a path, or `PATH#SESSION` for one of several in a file."""

    def host_of(self, place: str, host: str = "") -> str:
        """The host that wrote the file; a caller's `host` is checked for being known.

        Raises:
            NotFoundError: There is no such file.
            UsageError: It may not be read, or is no transcript of a known host.
        """
        ...

    def sessions(self, place: str, host: str = "") -> tuple[str, ...]:
        """The places of all sessions in a file, the latest first; the place itself where it is one."""
        ...

    def open(self, place: str, host: str, offset: int = 0, number: int = 0) -> Transcript:
        """A reader that begins at a byte offset, where record `number` starts."""
        ...

    def head(self, place: str, host: str) -> tuple[str, int]:
        """SHA-256 (hex) of the file's first bytes and how many these are, to recognise it by."""
        ...

    def resumable(self, place: str, host: str, offset: int, head: tuple[str, int]) -> bool:
        """Whether the session is the one read up to `offset` and is read on from there; `head` as it was then.

        A session that has to be read from the start whenever it grew is resumable only while it did not.
        """
        ...

    def extent(self, place: str, host: str, *, in_bytes: bool = False) -> int:
        """How far the session goes: bytes of its file, or a number that grows with it; 0 when it is gone.

        Args:
            in_bytes: How large it is, wherever it lies.
        """
        ...

    def live(self, session_id: str) -> bool:
        """Whether a client holds the session open, as far as can be told."""
        ...

    def find(self) -> Iterator[Sighting]:
        """Every session of this user's hosts, newest first of each; what cannot be read says why."""
        ...
