"""The sessions learnt knows of, and those it could read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from learnt.errors import LearntError, NotFoundError
from learnt.flows.reading import earlier, identified, key_of, named, sought
from learnt.jobs.eligible import is_own
from learnt.model.filter import MOST_PAST, bounded
from learnt.model.instant import plus_days
from learnt.model.sighting import Found, Scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from learnt.flows.means import Means
    from learnt.model.evidence import SessionRecord
    from learnt.model.reading import Ingested, Reading
    from learnt.model.session import Header
    from learnt.model.sighting import FoundStatus, Sighting


Reads = Literal["due", "all", "none"]
"""Which sessions a scan reads at once: those a client is about to delete, all that are new or grown, or none."""

_SOON_DAYS: Final = 7
"""So long before its client deletes it a session is read, whatever else."""
_TORN_BYTES: Final = 1 << 20
_UNREAD: Final = ("new", "grown")


def listing(means: Means, limit: int = 200) -> tuple[SessionRecord, ...]:
    """Sessions that were read, the latest first."""
    return means.store.archive.sessions(means.context.sight, bounded(limit, MOST_PAST))


def show(means: Means, name: str) -> SessionRecord:
    """One session by id, host session id or its beginning, or path.

    Raises:
        NotFoundError: Unknown here.
    """
    found = sought(means, means.context.sight, name)
    if found is None:
        raise NotFoundError(f"There is no session {name} here.", hint="`learnt sessions list` shows what was read.")
    return found


def scan(
    means: Means, *, everywhere: bool = False, reads: Reads = "due", tell: Callable[[int], None] | None = None
) -> Scan:
    """The sessions of this repository that the hosts of this user keep, newest first of each host; reads none of them.

    Args:
        everywhere: Of every repository, and what cannot be told to be of any.
        tell: Called with the number of sessions looked at, for progress.
    """
    found, due, elsewhere = [], [], 0
    places: dict[str, Means | None] = {}
    soon = plus_days(means.clock.now(), _SOON_DAYS)
    for count, seen in enumerate(means.transcripts.find(), 1):
        if tell:
            tell(count)
        folder = seen.header.cwd if seen.header else ""
        if folder not in places:
            places[folder] = _place(means, folder, everywhere=everywhere)
        there = places[folder]
        if there is None and not everywhere:
            elsewhere += 1
            continue
        entry = _found(there or means, seen, known=there is not None)
        found.append(entry)
        unread = entry.status in _UNREAD or (entry.status == "unknown_format" and seen.understood)
        if there is not None and unread and (reads == "all" or _ends(seen, soon, reads)):
            due.append(seen.place)
    return Scan(found=tuple(found), elsewhere=elsewhere, due=tuple(due))


def captured(means: Means, seen: Scan, done: Ingested) -> Scan:
    """The same scan after what was due was read."""
    became = {reading.path: reading for reading in done.readings}
    found = tuple(_after(means, each, became.get(each.path)) for each in seen.found)
    return replace(seen, found=found, captured=done.readings)


def _after(means: Means, each: Found, reading: Reading | None) -> Found:
    if reading is None:
        return each
    if reading.status == "failed":
        return replace(each, status="skipped", why=reading.error)
    why = f"read now; the client deletes it on {each.kept_until[:10]}" if each.kept_until else "read now"
    there = means.at(each.cwd)
    known = there.store.archive.session(there.context.sight, key_of(reading.host, reading.session))
    status, told = _settled(known) if known else ("read", "")
    return replace(each, status=status, why=told or why)


def _place(means: Means, folder: str, *, everywhere: bool) -> Means | None:
    """The means of the repository a session ran in; None where it is none that is wanted, or none on this machine."""
    if not folder:
        return None
    if _here(means, folder):
        return means
    return means.elsewhere(folder) if everywhere else None


def _here(means: Means, folder: str) -> bool:
    """Whether a session's folder, there or gone, belongs to this repository and not to none on this machine."""
    root = means.place.root.rstrip("/") + "/"
    inside = (folder.rstrip("/") + "/").startswith(root)
    return (inside and means.at(folder) is means) or means.same(folder)


def _ends(seen: Sighting, soon: str, reads: Reads) -> bool:
    return reads == "due" and bool(seen.kept_until) and seen.kept_until < soon


def _found(there: Means, seen: Sighting, *, known: bool) -> Found:
    header = seen.header
    status, why = _status(there, seen, known=known)
    return Found(
        path=seen.place,
        host=seen.host,
        session=header.session_id if header else "",
        size_bytes=seen.size_bytes,
        ended_at=header.ended_at if header else "",
        status=status,
        why=why,
        cwd=header.cwd if header else "",
        written_at=seen.written_at,
        kept_until=seen.kept_until,
    )


def _status(there: Means, seen: Sighting, *, known: bool) -> tuple[FoundStatus, str]:
    """How learnt stands to a session, and why.

    Args:
        known: Whether its repository is on this machine.
    """
    header = seen.header
    if seen.fault:
        return "skipped", seen.fault
    if not seen.understood:
        return "unknown_format", "none of its first records is of a known type"
    if header is None or not header.records:
        return "skipped", "nothing in it"
    if is_own(header.cwd):
        return "skipped", "a run of learnt itself"
    if not there.settings.memory.enabled:
        return "disabled", ""
    if seen.live:
        return "live", ""
    if not known:
        return "new", f"{header.cwd} is gone" if header.cwd else "it does not say where it ran"
    return _progress(there, seen, header)


def _progress(there: Means, seen: Sighting, header: Header) -> tuple[FoundStatus, str]:
    """How much of a session was read."""
    known = earlier(there, seen.host, identified(there, header.session_id), seen.place)
    if known is None or not known.offset:
        return "new", ""
    moved = known.path != named(there, seen.place)
    if moved and known.host != seen.host:
        return "read", f"a copy of a session of {known.host}"
    head = (known.head_hash, known.head_bytes)
    if not there.transcripts.resumable(seen.place, seen.host, known.offset, head):
        return ("new" if moved else "grown"), ""
    if seen.extent == known.offset:
        return _settled(known)
    return ("grown", "") if _goes_on(there, seen, known) else ("partial", "its last line is not whole")


def _goes_on(there: Means, seen: Sighting, known: SessionRecord) -> bool:
    """Whether a whole record stands behind what was read; a line that a killed client left torn is none."""
    if seen.extent - known.offset > _TORN_BYTES:
        return True
    try:
        rest = there.transcripts.open(seen.place, seen.host, known.offset, known.number)
        return any(rest.next_offset > known.offset for _ in rest.events()) or rest.next_offset > known.offset
    except LearntError:  # gone meanwhile: the reading tells
        return True


def _settled(known: SessionRecord) -> tuple[FoundStatus, str]:
    """What came of a session that was read to its end."""
    if known.status == "unknown_format":
        return "unknown_format", "; ".join(known.alarms)
    if known.status == "partial":
        return "partial", f"{known.skipped} of {known.records} records not taken"
    return "read", ""
