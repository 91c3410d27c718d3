"""Session transcripts, whatever agent wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.session import Header, SessionEvent


class Transcript(Protocol):
    """One transcript, read once from front to back in constant memory."""

    next_offset: int
    """The byte at which the next reading goes on; complete when `events` is exhausted."""
    next_number: int
    """The 0-based line there."""

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the file."""
        ...

    def header(self) -> Header:
        """What is known of the session; complete when `events` is exhausted."""
        ...


class Transcripts(Protocol):
    """The transcripts on this machine."""

    def host_of(self, path: str, host: str = "") -> str:
        """The host that wrote the file; `host` is a caller's claim and checked for being known.

        Raises:
            NotFoundError: There is no such file.
            UsageError: It is no regular file, or no transcript of a known host.
        """
        ...

    def open(self, path: str, host: str, offset: int = 0, number: int = 0) -> Transcript:
        """A reader that begins at a byte offset, where line `number` starts."""
        ...

    def fingerprint(self, path: str, size: int) -> str:
        """SHA-256 (hex) of the first `size` bytes, to notice a file that was replaced."""
        ...

    def size(self, path: str) -> int:
        """Bytes of the file now."""
        ...

    def live(self, path: str) -> bool:
        """Whether a client still writes to it, as far as can be told."""
        ...

    def find(self, root: str) -> tuple[str, ...]:
        """Transcripts of sessions in the folder `root` or below, oldest first."""
        ...
