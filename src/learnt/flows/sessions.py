"""The sessions learnt knows of, and those it could read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.errors import NotFoundError
from learnt.flows.reading import named
from learnt.model.filter import MOST_PAST, bounded

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.evidence import SessionRecord
    from learnt.model.session import Header


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A transcript of this repository on this machine.

    Attributes:
        status: new, grown (read before, and longer since), read, live (a client still writes), disabled.
    """

    path: str
    host: str
    session: str
    size_bytes: int
    ended_at: str
    status: str


def listing(means: Means, limit: int = 200) -> tuple[SessionRecord, ...]:
    """Sessions that were read, the latest first."""
    return means.store.archive.sessions(means.context.sight, bounded(limit, MOST_PAST))


def show(means: Means, name: str) -> SessionRecord:
    """One session by id, host session id or path.

    Raises:
        NotFoundError: Unknown here.
    """
    archive, sight = means.store.archive, means.context.sight
    found = archive.session(sight, name) or archive.session(sight, named(means, name))
    if found is None:
        raise NotFoundError(f"There is no session {name} here.", hint="`learnt sessions list` shows what was read.")
    return found


def scan(means: Means) -> tuple[Found, ...]:
    """The transcripts of this repository's sessions that the hosts of this user keep, newest first."""
    return tuple(_found(means, path, header) for path, header in means.transcripts.find() if _here(means, header.cwd))


def _here(means: Means, folder: str) -> bool:
    """Whether a session's folder, there or gone, belongs to this repository and not to none on this machine."""
    if not folder:
        return False
    root = means.place.root.rstrip("/") + "/"
    inside = (folder.rstrip("/") + "/").startswith(root)
    return (inside and means.at(folder) is means) or means.same(folder)


def _found(means: Means, path: str, header: Header) -> Found:
    size = means.transcripts.extent(path, header.host)
    return Found(
        path=path,
        host=header.host,
        session=header.session_id,
        size_bytes=size,
        ended_at=header.ended_at,
        status=_status(means, path, header, size),
    )


def _status(means: Means, path: str, header: Header, size: int) -> str:
    if not means.settings.memory.enabled:
        return "disabled"
    if means.transcripts.live(header.session_id):
        return "live"
    known = means.store.archive.session(means.context.sight, named(means, path))
    if known is None or not known.offset:
        return "new"
    return "read" if size == known.offset else "grown"
