"""Cursor's conversations in the editor's database: a record of the conversation, and one of each message."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import NotFoundError
from learnt.hosts.cursor import tools
from learnt.hosts.cursor.place import folder_listed, folder_of, folder_said
from learnt.hosts.reading.cut import decoded
from learnt.hosts.reading.foreign import connected, loaded, stamps, tables
from learnt.hosts.reading.moment import Moment
from learnt.hosts.reading.stages import ENDED, OPEN, staged
from learnt.hosts.reading.value import count, from_millis, inner, instant, text
from learnt.model.session import Header, Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from learnt.hosts.host import Asked
    from learnt.model.session import SessionEvent

_PERSON, _AGENT = 1, 2
_BYTES: Final = 1 << 24
_TYPES: Final = {"user": _PERSON, "ai": _AGENT, "assistant": _AGENT}


def is_base(path: Path) -> bool:
    """Whether a file is such a database."""
    return "cursorDiskKV" in tables(path)


def sessions(path: Path, *, subagents: bool = False) -> tuple[str, ...]:
    """The conversations with messages, the latest changed first; sub-agents' only on request."""
    with connected(path) as base:
        rows = base.execute(loaded("cursor")["composers"]).fetchall()
    if subagents:
        return tuple(str(row[0]) for row in rows)
    started = {each for _, _, children, _ in rows for each in _names(children)}
    own = [(changed, identity) for identity, parent, _, changed in rows if not parent and identity not in started]
    dated = sorted((-changed if isinstance(changed, (int, float)) else 0, identity) for changed, identity in own)
    return tuple(identity for _, identity in dated)


def holds(path: Path, session: str) -> bool:
    """Whether a conversation with messages is in it."""
    if not is_base(path):
        return False
    with connected(path) as base:
        row = base.execute(loaded("cursor")["value"], (f"composerData:{session}",)).fetchone()
    fields = decoded(row[1]) if row and isinstance(row[1], bytes) else None
    return bool(fields and (fields.get("fullConversationHeadersOnly") or fields.get("conversation")))


def _names(listed: Any) -> list[str]:
    names = (decoded(f'{{"names": {listed}}}') or {}).get("names") if isinstance(listed, str) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def extent(path: Path, session: str) -> int:
    """Changes with everything that is written into a conversation."""
    with connected(path) as base:
        return _extent(base, session)


def _extent(base: sqlite3.Connection, session: str) -> int:
    row, size = base.execute(loaded("cursor")["extent"], {"session": session}).fetchone()
    return int(row) * _BYTES + int(size) % _BYTES


def size(path: Path, session: str) -> int:
    """Bytes of a conversation; 0 where it has no rows."""
    with connected(path) as base:
        return int(base.execute(loaded("cursor")["extent"], {"session": session}).fetchone()[1])


class BaseReader:
    """One conversation of the editor, read from its beginning.

    Raises:
        NotFoundError: It is not there.
        UsageError: The database cannot be read.
    """

    def __init__(self, asked: Asked) -> None:
        self._path = asked.path
        self._session = asked.session
        with connected(asked.path) as base:
            self.next_offset = _extent(base, asked.session)
            self._row, self._fields = _composer(base, asked.path, asked.session)
            self._head, side = _head(base, asked.session)
            self._parent = text(inner(self._fields, "subagentInfo"), "parentComposerId")
            self._parent = self._parent or text(inner(self._head, "subagentInfo"), "parentComposerId")
            if asked.lineage and not self._parent:
                self._parent = _starter(asked.path, asked.session)
        self.next_number = 0
        self._side = side or bool(self._parent)
        self._cwd = folder_said(self._fields) or folder_said(self._head)
        if not self._cwd:
            self._cwd = folder_listed(asked.path, asked.session)
        self._model = ""
        self._times: list[str] = []
        self._person = False
        self._records = self._unknown = 0

    def header(self) -> Header:
        """What is known of the conversation so far."""
        fields, head, times = self._fields, self._head, self._times
        config = text(inner(fields, "modelConfig"), "modelName")
        created, changed = from_millis(fields.get("createdAt")), from_millis(fields.get("lastUpdatedAt"))
        return Header(
            host="cursor",
            session_id=self._session,
            cwd=self._cwd,
            branch=_branch(head) or _branch(fields),
            model=self._model or ("" if config == "default" else config),
            started_at=created or (times[0] if times else ""),
            ended_at=max([changed, *times[-1:]]),
            title=(text(fields, "name") or text(head, "name"))[:500],
            parent_session_id=self._parent,
            agent_id=self._session if self._side else "",
            sidechain=self._side,
            interactive=self._person and not self._side,
            unfinished=self._is_going_on(),
            records=self._records,
            unknown=self._unknown,
            subagents=tuple(f"{self._path}#{each}" for each in _strings(fields.get("subagentComposerIds"))),
        )

    def events(self) -> Iterator[SessionEvent]:
        """Every message in the order of the conversation."""
        with connected(self._path) as base:
            for number, (identity, row, bubble) in enumerate(self._bubbles(base)):
                self.next_number = number + 1
                span = Span(offset=row, length=0, record=number)
                if bubble is None:
                    yield Malformed(span=staged(span), reason=f"the message {identity} is no JSON object")
                else:
                    self._records += 1
                    yield from self._bubble(identity, bubble, self._moment(identity, span, bubble))
        yield from self._end()

    def _is_going_on(self) -> bool:
        return text(self._fields, "status") in ("generating", "streaming")

    def _growing(self) -> str:
        """The message that is still being written; "" when none is."""
        listed = self._fields.get("fullConversationHeadersOnly")
        last = listed[-1] if isinstance(listed, list) and listed else None
        return text(last, "bubbleId") if isinstance(last, dict) and self._is_going_on() else ""

    def _bubbles(self, base: sqlite3.Connection) -> Iterator[tuple[str, int, dict[str, Any] | None]]:
        """The messages: rows of their own, in early releases inside the conversation's record."""
        inside = self._fields.get("conversation")
        for at, bubble in enumerate(inside if isinstance(inside, list) else []):
            fields = bubble if isinstance(bubble, dict) else None
            yield text(fields or {}, "bubbleId") or str(at), self._row, fields
        listed = self._fields.get("fullConversationHeadersOnly")
        for head in listed if isinstance(listed, list) else []:
            identity = text(head, "bubbleId") if isinstance(head, dict) else ""
            key = f"bubbleId:{self._session}:{identity}"
            row = base.execute(loaded("cursor")["value"], (key,)).fetchone() if identity else None
            if row is None or row[1] is None:
                continue  # the client removes messages and leaves their names
            bubble = decoded(row[1]) if isinstance(row[1], (str, bytes)) else None
            yield identity, int(row[0]), {**head, **bubble} if bubble else None

    def _moment(self, identity: str, span: Span, bubble: dict[str, Any]) -> Moment:
        stamp = bubble.get("createdAt")
        at = instant(stamp) if isinstance(stamp, str) else from_millis(stamp)
        if at:
            self._times = [min([at, *self._times[:1]]), max([at, *self._times[1:]])]
        places = _strings(bubble.get("workspaceUris"))
        self._cwd = self._cwd or (folder_of(places[0]) if places else "")
        return Moment(
            at=at,
            span=staged(span),
            message_id=f"{self._session}:{identity}",
            cwd=self._cwd,
            sidechain=self._side,
        )

    def _bubble(self, identity: str, bubble: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        kind = bubble.get("type")
        kind = _TYPES.get(kind, kind) if isinstance(kind, str) else kind
        said = text(bubble, "text") or text(bubble, "rawText")
        named = text(inner(bubble, "modelInfo"), "modelName")
        self._model = named if named and named != "default" else self._model
        if kind == _PERSON:
            self._person = self._person or bool(said.strip())
            if said.strip():
                yield moment.injected(said, "host") if self._side else moment.prompt(said)
        elif kind == _AGENT:
            if said.strip():
                yield (_opened(moment, "partial") if identity == self._growing() else moment).reply(said)
            yield from self._call(inner(bubble, "toolFormerData"), moment)
        else:
            self._unknown += 1
        cost = inner(bubble, "tokenCount")
        paid, made = count(cost, "inputTokens"), count(cost, "outputTokens")
        if paid or made:
            yield moment.tokens(paid, made)

    def _call(self, call: dict[str, Any], moment: Moment) -> Iterator[SessionEvent]:
        """A tool call; what is still open is told again once it has ended."""
        if not tools.named(call):
            return
        use = tools.use_of(call, moment.message_id)
        if text(call, "status") not in tools.DONE:
            yield _opened(moment, "open").call(use)
            return
        yield moment.call(use)
        answer = replace(moment, span=replace(moment.span, record=moment.span.record + ENDED))
        yield answer.result(use.call_id, tools.end_of(call, use.action), use.action)

    def _end(self) -> Iterator[SessionEvent]:
        """What the conversation's own record says of its end."""
        span = Span(offset=self._row, length=0, record=self.next_number)
        moment = Moment(
            at=self._times[1] if self._times else "",
            span=staged(span),
            message_id=f"{self._session}:end:{self.next_number}",
            sidechain=self._side,
        )
        told = inner(self._fields, "latestConversationSummary")
        if summary := text(inner(told, "summary"), "summary") or text(told, "summary"):
            yield moment.compaction(summary)
        if text(self._fields, "status") == "aborted":
            yield moment.interruption()


def _opened(moment: Moment, what: str) -> Moment:
    """The same, as something that will be told again when it has ended."""
    span = replace(moment.span, record=moment.span.record + OPEN)
    return replace(moment, message_id=f"{moment.message_id}:{what}", span=span)


def _composer(base: sqlite3.Connection, path: Path, session: str) -> tuple[int, dict[str, Any]]:
    row = base.execute(loaded("cursor")["value"], (f"composerData:{session}",)).fetchone()
    fields = decoded(row[1]) if row and isinstance(row[1], (str, bytes)) else None
    if not session or row is None or fields is None:
        raise NotFoundError(
            f"There is no conversation {session or '(none named)'} in {path}.",
            hint="`learnt sessions scan` names the sessions; one in a database is PATH#SESSION.",
        )
    return int(row[0]), fields


def _head(base: sqlite3.Connection, session: str) -> tuple[dict[str, Any], bool]:
    """The conversation's row in the table of newer releases, and whether it is a sub-agent's."""
    try:
        row = base.execute(loaded("cursor")["head"], (session,)).fetchone()
    except sqlite3.OperationalError:  # there is no such table
        return {}, False
    value = row[0] if row else None
    return (decoded(value) or {}) if isinstance(value, (str, bytes)) else {}, bool(row and row[1] == 1)


def _starter(path: Path, session: str) -> str:
    """The conversation that lists this one among its sub-agents."""
    return _starters(path, stamps(path)).get(session, "")


@lru_cache(maxsize=4)
def _starters(path: Path, states: tuple[tuple[int, int], ...]) -> dict[str, str]:  # noqa: ARG001 - another is anew
    """Sub-agents' conversations and who started them, found once for all that is read while nobody writes."""
    with connected(path) as base:
        rows = base.execute(loaded("cursor")["composers"]).fetchall()
    found: dict[str, str] = {}
    for identity, _, children, _ in rows:
        for child in _names(children):
            if child != identity:
                found.setdefault(child, str(identity))
    return found


def _branch(fields: dict[str, Any]) -> str:
    tracked = fields.get("trackedGitRepos")
    first = tracked[0] if isinstance(tracked, list) and tracked and isinstance(tracked[0], dict) else {}
    branches = first.get("branches")
    branch = branches[0] if isinstance(branches, list) and branches and isinstance(branches[0], dict) else {}
    return text(branch, "branchName")


def _strings(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
