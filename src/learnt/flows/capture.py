"""A transcript read: its evidence kept, what it taught proposed, and never the same record twice.

The session is filed under the repository it ran in, which may be another than the caller's. Evidence is stored while
the file streams by, a batch a transaction; lessons and the place to go on from follow in the last one. A process that
dies in between leaves a record `reading`; the next run starts again from the old place, and because evidence is named
by session and record nothing is there twice.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING

from learnt.capture.echo import unechoed
from learnt.capture.evidence import Keeper, visible
from learnt.capture.lessons import Gatherer
from learnt.capture.lookups import Lookups
from learnt.capture.output import Outputs
from learnt.errors import LearntError, StoreError
from learnt.flows.bar import admitted
from learnt.flows.intake import read_output
from learnt.flows.learn import Learnt, learn
from learnt.flows.observe import settle, unit_of
from learnt.flows.prune import prune
from learnt.flows.reading import BATCH, BATCH_CHARS, Count, Work, earlier, fresh, hearsay, named, record, unsecret
from learnt.flows.reembed import catch_up
from learnt.flows.rescan import rescan
from learnt.flows.threads import register
from learnt.gate.clearance import PATTERN_SET
from learnt.jobs.eligible import is_own
from learnt.model.reading import Ingested, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from learnt.flows.means import Means
    from learnt.model.evidence import EvidenceUnit, SessionRecord
    from learnt.model.session import Header, SessionEvent
    from learnt.ports.transcript import Transcript

_PEEK = 60


def ingest(
    means: Means,
    paths: Sequence[str],
    *,
    host: str = "",
    tell: Callable[[Reading], None] | None = None,
    asked: bool = True,
) -> Ingested:
    """Read transcripts; a file that cannot be read spoils no other.

    Args:
        host: Whose they are; recognised from the file when "".
        tell: Called after each file, for progress.
        asked: Somebody gives these: what was cleared of them is read once more.

    Raises:
        StoreError: The store does not answer; what was stored before stays.
    """
    readings = []
    for path in paths:
        for reading in _file(means, path, host, asked=asked):
            readings.append(reading)
            if tell:
                tell(reading)
    prune(means)
    rescan(means)
    settle(means)
    catch_up(means)
    return Ingested(readings=tuple(readings))


def _file(means: Means, path: str, host: str, *, asked: bool) -> Iterator[Reading]:
    """A reading for each session in a file; what fails is told as one."""
    try:
        places = means.transcripts.sessions(path, host)
    except LearntError as error:
        yield Reading(path=path, status="failed", host=host, error=error.message)
        return
    for place in places:
        try:
            with means.brake.on():
                reading = _one(means, place, host, asked=asked)
        except StoreError:
            raise
        except LearntError as error:
            reading = Reading(path=place, status="failed", host=host, error=error.message)
        yield reading


def _one(means: Means, path: str, host: str, *, asked: bool) -> Reading:
    host = means.transcripts.host_of(path, host)
    transcript = means.transcripts.open(path, host)
    events = transcript.events()
    first = list(_peeked(events, transcript))
    there = means.at(transcript.header().cwd)
    header = unsecret(there, transcript.header())
    if not there.settings.memory.enabled:
        return Reading(path=path, status="disabled", host=host, session=header.session_id)
    known = _known(there, header, path, host)
    if known is not None and known.cleared and asked:
        known = replace(known, offset=0, number=0, cleared=0, status="reading")
    elif known is not None and known.status == "unknown_format":  # this version may understand what another did not
        known = replace(known, offset=0, number=0, status="reading")
    elif known is not None and _copied(there, known, path, host):
        return Reading(path=path, status="unchanged", host=host, session=known.session_id)
    cwd = transcript.header().cwd
    brought = is_own(cwd) or there.workplace.brought(path, cwd)
    if known is None or not known.offset:
        return _read(there, Work(path, host, transcript, known, 0, there, brought), chain(first, events))
    if known.status != "reading" and there.transcripts.extent(path, host) == known.offset:
        return Reading(path=path, status="unchanged", host=host, session=known.session_id)
    onward = means.transcripts.open(path, host, known.offset, known.number)
    return _read(there, Work(path, host, onward, known, known.offset, there, brought), onward.events())


def _known(means: Means, header: Header, path: str, host: str) -> SessionRecord | None:
    """The record of an earlier reading of this session; without its place when the file is another by now."""
    known = earlier(means, host, header.session_id, path)
    if known is None:
        return None
    same = means.transcripts.resumable(path, host, known.offset, (known.head_hash, known.head_bytes))
    return known if same else replace(known, offset=0, number=0)


def _copied(means: Means, known: SessionRecord, path: str, host: str) -> bool:
    """Whether a session was read from another program's file: its copy would count all of it again, as another's."""
    return known.host != host and known.path != named(means, path) and known.status != "reading" and known.messages > 0


def _peeked(events: Iterator[SessionEvent], transcript: Transcript) -> Iterator[SessionEvent]:
    """The first events, until the session's folder is known."""
    for count, event in enumerate(events):
        yield event
        if transcript.header().cwd or count >= _PEEK:
            return


def _read(means: Means, work: Work, events: Iterable[SessionEvent]) -> Reading:
    header = work.header
    scope = means.context.sight.one("repository")
    keeper = Keeper(
        session_id=header.session_id, scope=scope, path=work.place, redact=means.gate.redact, clearance=PATTERN_SET
    )
    commit = means.workplace.head_commit(header.ended_at or header.started_at)
    root = _root(means, work)
    gatherer = Gatherer(session_id=header.session_id, root=root, commit=commit)
    outputs, lookups = Outputs(header.session_id), Lookups(header.session_id)
    count = Count()
    _begun(means, work, header)
    pending: list[EvidenceUnit] = []
    chars = 0
    events = unechoed(hearsay(events) if work.brought else events)
    if means.settings.evidence.exclude:
        events = visible(events, lambda path: _excluded(path, root, means), root)
    if work.again:
        events = _heard(events, gatherer)
    for event in _counted(fresh(means, work, events), count):
        if not work.again:
            gatherer.feed(event)
        outputs.feed(event)
        documents = (unit_of(means, document) for document in lookups.feed(event))
        for unit in (*keeper.feed(event), *(document for document in documents if document.text)):
            pending.append(unit)
            chars += len(unit.text)
        if len(pending) >= BATCH or chars >= BATCH_CHARS:
            count.units += _stored(means, pending)
            chars = 0
    pending.extend(keeper.close())
    count.units += _stored(means, pending)
    acting = _as_capture(means, work, commit)
    learnt = learn(acting, work.header, gatherer.harvest())
    for output in () if work.brought else outputs.found:
        learnt.take(read_output(acting, output))
    return _finished(means, work, count, learnt, commit)


def _used(means: Means, count: Count, reader: SessionRecord) -> None:
    """Count the use of what earlier sessions taught, where this one names them: they stay longer and come first."""
    sight = means.context.sight
    held = (means.store.archive.session(sight, name) for name in count.cited)
    sessions = [each.id for each in held if each is not None and each.id != reader.id]
    if sessions:
        means.store.extractions.cite(sight, sessions, reader.read_at)


def _root(means: Means, work: Work) -> str:
    """The checkout the session's paths are relative to; it may lie on another machine."""
    folder = work.transcript.header().cwd or work.header.cwd
    inside = folder == means.place.root or folder.startswith(means.place.root.rstrip("/") + "/")
    return means.place.root if inside or not folder else folder


def _as_capture(means: Means, work: Work, commit: str) -> Means:
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


def _heard(events: Iterable[SessionEvent], gatherer: Gatherer) -> Iterator[SessionEvent]:
    """The events of a session that is read from its beginning again: what it teaches shows only in all of them."""
    for event in events:
        gatherer.feed(event)
        yield event


def _counted(events: Iterable[SessionEvent], count: Count) -> Iterator[SessionEvent]:
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
        new = means.store.archive.put_units(admitted(means, pending))
    pending.clear()
    return new


def _begun(means: Means, work: Work, header: Header) -> None:
    """Say that a reading goes on, so that a crash is noticed; and write down the repository's names."""
    with means.store.transaction():
        known = work.known or record(means, work, header, Count(), offset=0, number=0)
        means.store.archive.put_session(replace(known, status="reading"))
        means.name_place()


def _is_subagent(header: Header) -> bool:
    return header.sidechain or bool(header.agent_id)


def _is_set_aside(means: Means, count: Count) -> bool:
    """Whether a session is not to be learnt from, because it looked something up elsewhere."""
    return count.lookups and means.settings.sessions.external == "set aside"


def _finished(means: Means, work: Work, count: Count, learnt: Learnt, commit: str) -> Reading:
    header = work.header
    left = record(
        means,
        work,
        header,
        count,
        offset=work.transcript.next_offset,
        number=work.transcript.next_number,
        commit=commit,
    )
    detail = {"records": left.records, "messages": count.messages, "units": count.units}
    if learnt.alarms:
        left = replace(left, alarms=(*left.alarms, *learnt.alarms))
    with means.store.transaction():
        means.store.archive.put_session(left)
        if work.known is not None and work.known.status == "reading":
            means.store.threads.worked(means.context.sight, left.id, "")
        register(means, left, subagent=_is_subagent(header), external=_is_set_aside(means, count))
        _used(means, count, left)
        means.store.events.append(means.event("capture", left.id, left.read_at, detail))
    return Reading(
        path=work.path,
        status="read",
        host=work.host,
        session=header.session_id,
        records=work.transcript.next_number - (work.known.number if work.known and work.offset else 0),
        messages=count.messages,
        skipped=count.skipped,
        units=count.units,
        alarms=left.alarms,
        proposals=tuple(name for name in learnt.proposals if _waits(means, name)),
        accepted=learnt.accepted,
    )


def _waits(means: Means, name: str) -> bool:
    """Whether a proposal waits: of a session that is set aside, no observation does."""
    found = means.store.proposals.get(means.context.sight, name)
    return found is not None and found.status == "pending"
