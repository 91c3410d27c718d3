"""opencode: its sessions in the database, in exports and in the tree of files it kept before.

The same session may lie in two of them: the database was filled from the tree, which stayed where it was. It is listed
once, and its messages have the same ids in both.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import LearntError, UsageError
from learnt.hosts.host import Asked, Fit, Host, head_or_id, newest, same_or_id, size_of
from learnt.hosts.opencode import database, loose
from learnt.hosts.opencode.talk import Talk
from learnt.hosts.reading.foreign import is_database
from learnt.hosts.reading.lines import opened
from learnt.hosts.reading.stages import staged
from learnt.hosts.reading.value import from_millis, inner, text
from learnt.model.session import Header, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.hosts.opencode.stock import Stock
    from learnt.model.session import SessionEvent

_HEAD_BYTES: Final = 4_096
_EXPORT: Final = re.compile(rb'\s*\{\s*"info"\s*:\s*\{')
_EXPORTED: Final = re.compile(rb'"id"\s*:\s*"ses_')
_FORK: Final = re.compile(r"\(fork #\d+\)\s*\Z")


class OpencodeReader:
    """One session, read from its beginning."""

    def __init__(self, asked: Asked) -> None:
        self._lineage = asked.lineage
        self._stock = _stock(asked)
        session = self._session = self._stock.session
        self._side = bool(text(session, "parentID"))
        forked = _FORK.search(text(session, "title")) is not None
        created = _times(session).get("created")
        self._scripted = _is_scripted(session.get("permission"))
        self._talk = Talk(
            sidechain=self._side,
            scripted=self._scripted,
            undone_from=(text(inner(session, "revert"), "messageID"), text(inner(session, "revert"), "partID")),
            cwd=text(session, "directory"),
            forked_at_ms=created if forked and isinstance(created, (int, float)) else 0,
        )
        self.next_offset = self._stock.extent
        self.next_number = 0

    def header(self) -> Header:
        """What is known of the session so far."""
        session, talk = self._session, self._talk
        times = _times(session)
        return Header(
            host="opencode",
            session_id=text(session, "id"),
            version=text(session, "version"),
            cwd=text(session, "directory"),
            model=talk.model,
            started_at=from_millis(times.get("created")),
            ended_at=max(from_millis(times.get("updated")), talk.last_at),
            title=text(session, "title")[:500],
            parent_session_id=text(session, "parentID"),
            agent_id=text(session, "id") if self._side else "",
            sidechain=self._side,
            interactive=talk.person and not self._side and not self._scripted,
            unfinished=talk.unfinished,
            records=talk.records,
            unknown=talk.unknown,
            subagents=self._subagents(),
        )

    def events(self) -> Iterator[SessionEvent]:
        """Every event in the order of the conversation."""
        for item in self._stock.items():
            self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield replace(item, span=staged(item.span))
            else:
                yield from self._talk.take(item)
        yield from self._talk.close()

    def _subagents(self) -> tuple[str, ...]:
        if not self._lineage or self._side:
            return ()
        called = (place for child in self._talk.started if (place := self._stock.place(child)))
        return tuple(dict.fromkeys((*self._stock.children(), *called)))


def _stock(asked: Asked) -> Stock:
    """Where the session lies."""
    if is_database(asked.path):
        if not asked.session:
            raise UsageError(f"{asked.path} holds many sessions.", code="which_session", hint="Name one: PATH#SESSION.")
        return database.BaseStock(asked.path, asked.session)
    if loose.is_tree(asked.path):
        return loose.TreeStock(asked.path)
    return loose.ExportStock(asked.path)


def _times(session: dict[str, Any]) -> dict[str, Any]:
    times = session.get("time")
    return times if isinstance(times, dict) else {}


def _is_scripted(permission: Any) -> bool:
    """Whether the session may not ask anybody anything: `opencode run` makes such ones."""
    rules = permission.get("rules") if isinstance(permission, dict) else permission
    return isinstance(rules, list) and any(
        isinstance(rule, dict) and rule.get("permission") == "question" and rule.get("action") == "deny"
        for rule in rules
    )


def recognises(path: Path) -> Fit:
    """By the tables of a database, the place of a file in the tree, the beginning of an export."""
    if not path.is_file():
        return "no"
    if is_database(path):
        return "sure" if database.is_base(path) else "no"
    if loose.is_tree(path):
        return "sure"
    with opened(path) as file:
        head = file.read(_HEAD_BYTES)
    if not _EXPORT.match(head):
        return "no"
    return "sure" if _EXPORTED.search(head) else "no"


def sessions(path: Path) -> tuple[str, ...]:
    """The sessions of a database, no sub-agents."""
    return database.sessions(path) if is_database(path) else ()


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """`$XDG_DATA_HOME/opencode`, on every system `~/.local/share/opencode`."""
    moved = environment.get("XDG_DATA_HOME", "")
    return ((home.joinpath(moved) if moved else home / ".local" / "share") / "opencode",)


def files(folder: Path) -> tuple[Path, ...]:
    """Databases, and what of the tree is in none of them."""
    bases = newest(path for path in folder.glob("opencode*.db") if is_database(path))
    held: set[str] = set()
    for path in bases:
        try:
            held.update(database.sessions(path, subagents=True))
        except LearntError:
            continue
    tree = (path for path in folder.glob("storage/session/*/ses_*.json") if path.stem not in held)
    return (*bases, *newest(path for path in tree if not loose.is_subagent(path)))


def extent(asked: Asked) -> int:
    """Of a session in the database a number that grows with each change of it."""
    try:
        if is_database(asked.path):
            return database.extent(asked.path, asked.session)
        return loose.extent(asked.path) if loose.is_tree(asked.path) else size_of(asked)
    except LearntError:
        return 0


def size(asked: Asked) -> int:
    """Bytes of what a session says, in the database or in the files of its tree."""
    try:
        if is_database(asked.path):
            return database.size(asked.path, asked.session)
        return loose.size(asked.path) if loose.is_tree(asked.path) else size_of(asked)
    except LearntError:
        return 0


HOST: Final = Host(
    name="opencode",
    recognises=recognises,
    reads=OpencodeReader,
    sessions=sessions,
    folders=folders,
    files=files,
    extent=extent,
    size=size,
    head=head_or_id,
    same=same_or_id,
    resumes=False,
)
