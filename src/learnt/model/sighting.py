"""A session as it lies on this machine, before anything of it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from learnt.model.reading import Reading
    from learnt.model.session import Header

FoundStatus = Literal["new", "grown", "read", "partial", "live", "disabled", "skipped", "unknown_format"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What a look at a host's folders shows of one session.

    Attributes:
        place: A path, or `PATH#SESSION` for one of several in a file.
        header: What its first records say; None where nothing could be read.
        extent: How far it goes: bytes of its file, or a number that grows with it. `size_bytes`: of the file.
        written_at: When its file was written to last.
        kept_until: When its client deletes it, if nobody writes to it; "" where it keeps it for ever.
        live: A client holds it open.
        understood: Whether its format is known.
        fault: Why nothing could be read; "" where something could.
    """

    place: str
    host: str
    header: Header | None = None
    extent: int = 0
    size_bytes: int = 0
    written_at: str = ""
    kept_until: str = ""
    live: bool = False
    understood: bool = True
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A session of a host on this machine, and how learnt stands to it.

    Attributes:
        status: new; grown (read before, and longer since); read; partial (read, but for damaged records); live (a
            client still writes); disabled; skipped; unknown_format.
        why: Of partial, skipped, unknown_format, and of what was read just now.
    """

    path: str
    host: str
    session: str
    size_bytes: int
    ended_at: str
    status: FoundStatus
    why: str = ""
    cwd: str = ""
    written_at: str = ""
    kept_until: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What a look at all hosts' folders found.

    Attributes:
        elsewhere: Sessions of other repositories, or of none that could be told; not among those found.
        due: Places of sessions that are to be read now.
        captured: What became of these.
    """

    found: tuple[Found, ...]
    elsewhere: int = 0
    due: tuple[str, ...] = ()
    captured: tuple[Reading, ...] = ()
