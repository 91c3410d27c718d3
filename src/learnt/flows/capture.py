"""A transcript read: its evidence kept, what it taught proposed, and never the same record twice.

The session is filed under the repository it ran in, which may be another than the caller's. Evidence is stored while
the file streams by, a batch a transaction; lessons and the place to go on from follow in the last one. A process that
dies in between leaves a record `reading`; the next run starts again from the old place, and because evidence is named
by session and record nothing is there twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING

from learnt.capture.evidence import Keeper, visible
from learnt.capture.lessons import Gatherer
from learnt.errors import LearntError, StoreError
from learnt.flows.clear import clear
from learnt.flows.learn import Learnt, learn
from learnt.model.evidence import SessionRecord
from learnt.model.instant import plus_days
from learnt.model.keys import short_id
from learnt.model.session import Call, Header, Inherited, Malformed, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from learnt.flows.means import Means
    from learnt.model.evidence import EvidenceUnit
    from learnt.model.session import SessionEvent
    from learnt.ports.transcript import Transcript

BATCH = 500
"""Events a transaction: some 20 ms of writing, so that no other process waits long."""
_PEEK = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of one file.

    Attributes:
        status: read, unchanged, disabled, failed.
        messages: New messages of person and agent; `records` new lines of the file.
        skipped: Lines that are no records of the format, or were counted before.
        proposals, accepted: Ids of what was proposed, and of memories kept by a rule.
        error: Why it failed, "" otherwise.
    """

    path: str
    status: str
    host: str = ""
    session: str = ""
    records: int = 0
    messages: int = 0
    skipped: int = 0
    units: int = 0
    alarms: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What became of all files, in the order given."""

    readings: tuple[Reading, ...]

    @property
    def failed(self) -> int:
        """How many could not be read."""
        return sum(reading.status == "failed" for reading in self.readings)


def ingest(
    means: Means, paths: Sequence[str], *, host: str = "", tell: Callable[[Reading], None] | None = None
) -> Ingested:
    """Read transcripts; a file that cannot be read spoils no other.

    Args:
        host: Whose they are; recognised from the file when "".
        tell: Called after each file, for progress.

    Raises:
        StoreError: The store does not answer; what was stored before stays.
    """
    readings = []
    for path in paths:
        try:
            reading = _one(means, path, host)
        except StoreError:
            raise
        except LearntError as error:
            reading = Reading(path=path, status="failed", host=host, error=error.message)
        readings.append(reading)
        if tell:
            tell(reading)
    _prune(means)
    clear(means)
    return Ingested(readings=tuple(readings))


def _prune(means: Means) -> None:
    """Uncited evidence leaves after `retention_days`."""
    before = plus_days(means.clock.now(), -means.settings.evidence.retention_days)
    with means.store.transaction():
        means.store.archive.prune(before)


def _one(means: Means, path: str, host: str) -> Reading:
    host = means.transcripts.host_of(path, host)
    transcript = means.transcripts.open(path, host)
    events = transcript.events()
    first = list(_peeked(events, transcript))
    header = transcript.header()
    there = means.at(header.cwd)
    if not there.settings.memory.enabled:
        return Reading(path=path, status="disabled", host=host, session=header.session_id)
    known = _known(there, header, path)
    if known is None or not known.offset:
        return _read(there, _Work(path, host, transcript, known, 0), chain(first, events))
    if known.status != "reading" and there.transcripts.size(path) == known.offset:
        return Reading(path=path, status="unchanged", host=host, session=known.session_id)
    onward = means.transcripts.open(path, host, known.offset, known.number)
    return _read(there, _Work(path, host, onward, known, known.offset), onward.events())


def _known(means: Means, header: Header, path: str) -> SessionRecord | None:
    """The record of an earlier reading of this session; without its place when the file is another by now."""
    known = means.store.archive.session(means.context.sight, path)
    known = known or means.store.archive.session(means.context.sight, header.session_id)
    if known is None:
        return None
    same = means.transcripts.resumable(path, known.offset, known.head_hash, known.head_bytes)
    return known if same else replace(known, offset=0, number=0)


def _peeked(events: Iterator[SessionEvent], transcript: Transcript) -> Iterator[SessionEvent]:
    """The first events, until the session's folder is known."""
    for count, event in enumerate(events):
        yield event
        if transcript.header().cwd or count >= _PEEK:
            return


@dataclass(frozen=True, slots=True)
class _Work:
    path: str
    host: str
    transcript: Transcript
    known: SessionRecord | None
    offset: int

    @property
    def header(self) -> Header:
        """What is known of the session by now; a later part of a file does not repeat the beginning."""
        seen, known = self.transcript.header(), self.known
        if known is None:
            return seen
        return replace(
            seen,
            session_id=known.session_id,
            cwd=seen.cwd or known.cwd,
            branch=seen.branch or known.branch,
            started_at=known.started_at or seen.started_at,
            ended_at=max(seen.ended_at, known.ended_at),
            parent_session_id=known.parent_session_id or seen.parent_session_id,
            interactive=seen.interactive if self.offset == 0 else known.interactive or seen.interactive,
        )


@dataclass(slots=True)
class _Count:
    """What has passed so far."""

    messages: int = 0
    skipped: int = 0
    units: int = 0
    torn: bool = False
    open_calls: set[str] = field(default_factory=set)

    def take(self, event: SessionEvent) -> None:
        match event:
            case Malformed():
                self.torn = self.torn or event.torn
                self.skipped += not event.torn
            case Inherited():
                self.skipped += 1
            case Call():
                self.messages += 1
                if len(self.open_calls) < BATCH:
                    self.open_calls.add(event.call_id)
            case Result():
                self.open_calls.discard(event.call_id)
            case _:
                self.messages += 1


def _read(means: Means, work: _Work, events: Iterable[SessionEvent]) -> Reading:
    header = work.header
    scope = means.context.sight.one("repository")
    keeper = Keeper(session_id=header.session_id, scope=scope, path=work.path, redact=means.gate.redact)
    commit = means.workplace.head_commit(header.ended_at or header.started_at)
    root = _root(means, header)
    gatherer = Gatherer(session_id=header.session_id, root=root, commit=commit)
    count = _Count()
    _begun(means, work, header)
    pending: list[EvidenceUnit] = []
    counted = _counted(_fresh(means, work, events), count)
    for event in visible(counted, lambda path: _excluded(path, root, means), root):
        gatherer.feed(event)
        pending.extend(keeper.feed(event))
        if len(pending) >= BATCH:
            count.units += _stored(means, pending)
    pending.extend(keeper.close())
    count.units += _stored(means, pending)
    learnt = learn(_as_capture(means, work, commit), work.header, gatherer.harvest())
    return _finished(means, work, count, learnt, commit)


def _root(means: Means, header: Header) -> str:
    """The checkout the session's paths are relative to; it may lie on another machine."""
    inside = header.cwd == means.place.root or header.cwd.startswith(means.place.root.rstrip("/") + "/")
    return means.place.root if inside or not header.cwd else header.cwd


def _as_capture(means: Means, work: _Work, commit: str) -> Means:
    """The same means, with the session as the writer: nobody is at this keyboard."""
    session = work.header.session_id
    context = replace(
        means.context,
        person=False,
        curator=False,
        session_id=session,
        agent_id=f"session:{session}",
        agent_role="capture",
        host=work.host,
        commit=commit,
    )
    return replace(means, context=context)


def _fresh(means: Means, work: _Work, events: Iterable[SessionEvent]) -> Iterator[SessionEvent]:
    """Only events whose message was never counted in this repository, whatever file it came in."""
    again = work.known is not None and work.known.status == "reading"
    lineage = means.identity.repository_id
    batch: list[SessionEvent] = []
    admitted: dict[str, None] = {}
    for event in events:
        batch.append(event)
        if len(batch) >= BATCH:
            yield from _unseen(means, lineage, batch, admitted, again=again)
            batch = []
    yield from _unseen(means, lineage, batch, admitted, again=again)


def _unseen(
    means: Means, lineage: str, batch: list[SessionEvent], admitted: dict[str, None], *, again: bool
) -> list[SessionEvent]:
    """The events of a batch that count; a message told in several records counts with all of them."""
    named = dict.fromkeys(_identity(event) for event in batch)
    asked = [name for name in named if name and name not in admitted]
    with means.store.transaction():
        unseen = means.store.archive.unseen(lineage, asked)
    for name in asked if again else unseen:
        admitted[name] = None
    while len(admitted) > 4 * BATCH:
        del admitted[next(iter(admitted))]
    return [event for event in batch if not _identity(event) or _identity(event) in admitted]


def _identity(event: SessionEvent) -> str:
    """The message's own id; a record without one is known by its place alone and always counts."""
    if isinstance(event, Malformed | Inherited) or event.message_id.startswith("@"):
        return ""
    return event.message_id


def _counted(events: Iterable[SessionEvent], count: _Count) -> Iterator[SessionEvent]:
    """The events, each counted as it passes."""
    for event in events:
        count.take(event)
        yield event


def _excluded(path: str, root: str, means: Means) -> bool:
    """Whether a path is never captured; a pattern may speak of it from the root of the checkout or of the disk."""
    full = path if path.startswith("/") else f"{root}/{path}"
    return any(fnmatchcase(path, each) or fnmatchcase(full, each) for each in means.settings.evidence.exclude)


def _stored(means: Means, pending: list[EvidenceUnit]) -> int:
    with means.store.transaction():
        new = means.store.archive.put_units(pending)
    pending.clear()
    return new


def _begun(means: Means, work: _Work, header: Header) -> None:
    """Say that a reading goes on, so that a crash is noticed; and write down the repository's names."""
    with means.store.transaction():
        means.name_place()
        known = work.known or _record(means, work, header, _Count(), offset=0, number=0)
        means.store.archive.put_session(replace(known, status="reading"))


def _record(
    means: Means, work: _Work, header: Header, count: _Count, *, offset: int, number: int, commit: str = ""
) -> SessionRecord:
    known = work.known
    digest, size = means.transcripts.head(work.path)
    before = known if work.offset else None
    return SessionRecord(
        id=known.id if known else "ses_" + short_id(f"{work.host}\n{header.session_id}"),
        scope=means.context.sight.one("repository"),
        host=work.host,
        session_id=header.session_id,
        path=work.path,
        offset=offset,
        number=number,
        head_hash=digest,
        head_bytes=size,
        records=number,
        messages=count.messages + (before.messages if before else 0),
        skipped=count.skipped + (before.skipped if before else 0),
        status=_status(count),
        started_at=before.started_at if before and before.started_at else header.started_at,
        ended_at=header.ended_at or (before.ended_at if before else ""),
        read_at=means.clock.now(),
        commit=commit or header.commit,
        branch=header.branch,
        cwd=header.cwd,
        parent_session_id=header.parent_session_id,
        interactive=header.interactive,
        alarms=_alarms(header, count, before),
    )


def _status(count: _Count) -> str:
    if count.torn or count.open_calls:
        return "open"
    return "partial" if count.skipped and not count.messages else "complete"


def _alarms(header: Header, count: _Count, before: SessionRecord | None) -> tuple[str, ...]:
    """Records were there and none was a message: the format may have moved on."""
    if count.messages or header.sidechain or count.skipped or (before is not None and before.messages):
        return ()
    understood = header.records - header.unknown
    version = header.version or "unknown"
    return (f"{header.records} records, {understood} understood, no message (format version {version})",)


def _finished(means: Means, work: _Work, count: _Count, learnt: Learnt, commit: str) -> Reading:
    header = work.header
    record = _record(
        means,
        work,
        header,
        count,
        offset=work.transcript.next_offset,
        number=work.transcript.next_number,
        commit=commit,
    )
    detail = {"records": record.records, "messages": count.messages, "units": count.units}
    with means.store.transaction():
        means.store.archive.put_session(record)
        means.store.events.append(means.event("capture", record.id, record.read_at, detail))
    return Reading(
        path=work.path,
        status="read",
        host=work.host,
        session=header.session_id,
        records=work.transcript.next_number - (work.known.number if work.known and work.offset else 0),
        messages=count.messages,
        skipped=count.skipped,
        units=count.units,
        alarms=record.alarms,
        proposals=learnt.proposals,
        accepted=learnt.accepted,
    )
