"""One reading of a transcript: what is read, what has passed, and the record it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.capture.citation import cited
from learnt.model.evidence import SessionRecord
from learnt.model.filter import MOST_PAST
from learnt.model.keys import keyed_hash, short_id
from learnt.model.session import Call, Header, Inherited, Malformed, Prompt, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from learnt.flows.means import Means
    from learnt.model.scope import Sight
    from learnt.model.session import SessionEvent
    from learnt.ports.transcript import Transcript

BATCH = 1_000
"""Events a transaction: some 30 ms of writing, so that no other process waits long."""
_COPIES: Final = frozenset({"specstory"})
"""Hosts that write down the sessions of others, under the ids that those gave."""
MOST_ID: Final = 200
"""Characters of a session's id that stand in references as they are."""
_LEAST_BEGINNING: Final = 8
"""Characters of an id's beginning that may stand for it: the first group of a UUID."""
BATCH_CHARS = 1 << 20
"""Characters held at once, in events and again in what is kept of them; long messages fill a batch sooner."""


@dataclass(frozen=True, slots=True)
class Work:
    """A file on its way in: what is known of an earlier reading, and the byte this one starts at.

    Attributes:
        path: Where it lies; what is stored of that is `place`.
        brought: The repository brought the file along, or the session is learnt's own: nothing in it is a person's
            word, or shows how anything ended.
    """

    path: str
    host: str
    transcript: Transcript
    known: SessionRecord | None
    offset: int
    means: Means
    brought: bool = False

    @property
    def header(self) -> Header:
        """What is known of the session by now; a later part of a file does not repeat the beginning."""
        seen, known = unsecret(self.means, self.transcript.header()), self.known
        seen = replace(seen, interactive=seen.interactive and not self.brought)
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
            interactive=seen.interactive or (self.offset > 0 and known.interactive and not self.brought),
        )

    @property
    def again(self) -> bool:
        """Whether all of it was read before, as far as it went, and is read from its beginning once more."""
        return self.known is not None and not self.offset and self.known.status != "reading"

    @property
    def place(self) -> str:
        """Where it lies, as it is stored."""
        return named(self.means, self.path)


def hearsay(events: Iterable[SessionEvent]) -> Iterator[SessionEvent]:
    """The events of a file that anybody may have written: nobody typed them, and how a command ended is not known."""
    for event in events:
        match event:
            case Prompt():
                yield replace(event, typed=False)
            case Result():
                yield replace(event, unsaid=True)
            case _:
                yield event


def unsecret(means: Means, header: Header) -> Header:
    """A header as it may be stored: nothing that a client wrote into it is kept unread."""
    shown = means.gate.redact
    return replace(
        header,
        session_id=identified(means, header.session_id),
        parent_session_id=identified(means, header.parent_session_id),
        cwd=shown(header.cwd),
        branch=shown(header.branch),
        commit=shown(header.commit),
        version=shown(header.version),
    )


def named(means: Means, name: str) -> str:
    """A file, or a session's id, as it is stored: for one that holds a secret a keyed hash, so that two stay two."""
    shown = means.gate.redact(name)
    return name if shown == name else f"redacted-{keyed_hash(means.key, name)[:16]}" if means.key else shown


def identified(means: Means, session_id: str) -> str:
    """A session's id, as it is stored: for one that no client gives, too long or not to be shown, a hash of it."""
    if len(session_id) <= MOST_ID and session_id.isprintable():
        return named(means, session_id)
    return f"odd-{keyed_hash(means.key, session_id)[:16]}"


def sought(means: Means, sight: Sight, name: str) -> SessionRecord | None:
    """A session by id, the host's own id or the beginning of it that no other has, or path."""
    archive = means.store.archive
    found = archive.session(sight, name) or archive.session(sight, identified(means, name))
    if found is not None or len(name) < _LEAST_BEGINNING:
        return found
    alike = [each for each in archive.sessions(sight, MOST_PAST) if each.session_id.startswith(name)]
    return alike[0] if len(alike) == 1 else None


def key_of(host: str, session_id: str) -> str:
    """The id under which a host's session is kept; two hosts may give one id to sessions of theirs."""
    return "ses_" + short_id(f"{host}\n{session_id}")


def earlier(means: Means, host: str, session_id: str, place: str) -> SessionRecord | None:
    """The record of an earlier reading of a session, in this file or another.

    Args:
        session_id: As it is stored.
    """
    archive, sight = means.store.archive, means.context.sight
    key = session_id if host in _COPIES else key_of(host, session_id)
    return archive.session(sight, named(means, place)) or archive.session(sight, key)


@dataclass(slots=True)
class Count:
    """What has passed so far. `skipped`: records that are damaged or counted elsewhere; `damaged`: the former alone.

    `cited` names the sessions that the agent says it used.
    """

    messages: int = 0
    skipped: int = 0
    damaged: int = 0
    units: int = 0
    torn: bool = False
    lookups: bool = False
    open_calls: set[str] = field(default_factory=set)
    cited: dict[str, None] = field(default_factory=dict)

    def take(self, event: SessionEvent) -> None:
        """Count one event."""
        match event:
            case Malformed():
                self.torn = self.torn or event.torn
                self.skipped += not event.torn
                self.damaged += not event.torn
            case Inherited():
                self.skipped += 1
            case Call():
                self.messages += 1
                self.lookups = self.lookups or event.action == "lookup"
                if len(self.open_calls) < BATCH:
                    self.open_calls.add(event.call_id)
            case Result():
                self.open_calls.discard(event.call_id)
            case Reply():
                self.messages += 1
                if len(self.cited) < BATCH:
                    self.cited.update(dict.fromkeys(cited(event.text).sessions))
            case _:
                self.messages += 1


def fresh(means: Means, work: Work, events: Iterable[SessionEvent]) -> Iterator[SessionEvent]:
    """Only events whose message was never counted in this repository, whatever file it came in."""
    again = work.known is not None and work.known.status == "reading"
    lineage = means.identity.repository_id
    batch: list[SessionEvent] = []
    admitted: dict[str, None] = {}
    chars = 0
    for event in events:
        batch.append(event)
        chars += len(getattr(event, "text", "")) + len(getattr(event, "target", None) or "")
        if len(batch) >= BATCH or chars >= BATCH_CHARS:
            yield from _unseen(means, lineage, batch, admitted, again=again)
            batch, chars = [], 0
    yield from _unseen(means, lineage, batch, admitted, again=again)


def _unseen(
    means: Means, lineage: str, batch: list[SessionEvent], admitted: dict[str, None], *, again: bool
) -> list[SessionEvent]:
    """The events of a batch that count; a message told in several records counts with all of them."""
    named = [(_identity(event), event) for event in batch]
    asked = [name for name in dict.fromkeys(name for name, _ in named) if name and name not in admitted]
    unseen: tuple[str, ...] = ()
    if asked:
        with means.store.transaction():
            unseen = means.store.archive.unseen(lineage, asked)
    for name in asked if again else unseen:
        admitted[name] = None
    while len(admitted) > 4 * BATCH:
        del admitted[next(iter(admitted))]
    return [event for name, event in named if not name or name in admitted]


def _identity(event: SessionEvent) -> str:
    """The message's own id; a record without one is known by its place alone and always counts."""
    if isinstance(event, (Malformed, Inherited)) or event.message_id.startswith("@"):
        return ""
    return event.message_id


def record(
    means: Means, work: Work, header: Header, count: Count, *, offset: int, number: int, commit: str = ""
) -> SessionRecord:
    """The record of a session read up to a byte offset, which is line `number`; adds to what was counted before."""
    known = work.known
    digest, size = means.transcripts.head(work.path, work.host)
    before = known if work.offset else None
    counted = known if known is not None and (work.offset or known.status != "reading") else None
    alarms = _alarms(header, count, counted)
    return SessionRecord(
        id=known.id if known else key_of(work.host, header.session_id),
        scope=means.context.sight.one("repository"),
        host=work.host,
        session_id=header.session_id,
        path=work.place,
        offset=offset,
        number=number,
        head_hash=digest,
        head_bytes=size,
        records=number,
        messages=count.messages + (counted.messages if counted else 0),
        skipped=count.skipped + (before.skipped if before else 0),
        status=_status(header, count, before, alarms),
        started_at=before.started_at if before and before.started_at else header.started_at,
        ended_at=header.ended_at or (before.ended_at if before else ""),
        read_at=means.clock.now(),
        commit=commit or header.commit,
        branch=header.branch,
        cwd=header.cwd,
        parent_session_id=header.parent_session_id,
        interactive=header.interactive,
        alarms=alarms,
        cleared=known.cleared if known else 0,
    )


def _status(header: Header, count: Count, before: SessionRecord | None, alarms: tuple[str, ...]) -> str:
    if alarms and 2 * header.unknown >= header.records:
        return "unknown_format"
    if count.damaged or (before is not None and before.status == "partial"):
        return "partial"
    return "open" if count.torn or count.open_calls or header.unfinished else "complete"


def _alarms(header: Header, count: Count, before: SessionRecord | None) -> tuple[str, ...]:
    """Records were there and none was a message: the format may have moved on."""
    counted = count.messages or count.skipped or (before is not None and before.messages)
    if counted or header.sidechain or not header.records:
        return ()
    understood = header.records - header.unknown
    version = header.version or "unknown"
    return (f"{header.records} records, {understood} understood, no message (format version {version})",)
