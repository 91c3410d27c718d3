"""pi: one JSON-lines file a session, its entries a tree. oh-my-pi writes the same format (`ohmypi`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.hosts.host import Asked, Fit, Host, newest, size_of
from learnt.hosts.pi.aside import Aside
from learnt.hosts.pi.kin import Kin, header_of, kin_of, named, opening, subagents
from learnt.hosts.pi.talk import KNOWN, Talk, stamp_of
from learnt.hosts.pi.tree import OUTSIDE, Tree
from learnt.hosts.reading.moment import Moment
from learnt.hosts.reading.records import Record, records
from learnt.hosts.reading.value import instant, text
from learnt.model.session import Header, Inherited, Malformed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from learnt.model.session import SessionEvent

_TITLE: Final = re.compile(rb'\s*\{\s*"type"\s*:\s*"title"')
_TITLE_BYTES: Final = 256


class PiReader:
    """One session, read from its beginning."""

    def __init__(self, asked: Asked, host: str = "pi") -> None:
        self._path = asked.path
        self._host = host
        self._lineage = asked.lineage
        self.next_offset = size_of(asked)
        self.next_number = 0
        self._head = header_of(asked.path)
        self._session = text(self._head, "id") or named(asked.path)
        self._kin: Kin = kin_of(asked.path, self._head, lineage=asked.lineage)
        self._started_at = self._ended_at = instant(text(self._head, "timestamp"))
        self._records = 0
        self._slot = ""
        self._talk = Talk(sidechain=self._kin.sidechain)
        self._aside = Aside()

    def header(self) -> Header:
        """What is known of the session so far."""
        head, talk, side = self._head, self._talk, self._kin.sidechain
        provider, model = text(head, "provider"), text(head, "modelId")
        return Header(
            host=self._host,
            session_id=self._session,
            cwd=text(head, "cwd"),
            model=talk.model or (f"{provider}/{model}" if provider and model else model),
            started_at=self._started_at,
            ended_at=self._ended_at,
            title=(talk.title or self._slot)[:500],
            parent_session_id=self._kin.parent,
            agent_id=self._session if side else "",
            sidechain=side,
            interactive=talk.person and not side,
            records=self._records,
            unknown=talk.unknown,
            subagents=subagents(self._path) if self._lineage and not side else (),
            abandoned_writes=self._aside.written(),
        )

    def events(self) -> Iterator[SessionEvent]:
        """What stands on the way from the first entry to the last, in that order."""
        tree = Tree(self._path) if self._lineage else None  # where only the header matters, one look is enough
        for item in records(self._path):
            if item.span.offset >= self.next_offset:
                return
            self.next_number = item.span.record + 1
            if isinstance(item, Malformed):
                yield item
            elif isinstance(item, Record):
                self._records += 1
                yield from self._entry(item, on_way=tree is None or item.span.record in tree)

    def _entry(self, record: Record, *, on_way: bool) -> Iterator[SessionEvent]:
        fields = record.fields
        if text(fields, "type") in OUTSIDE:
            self._slot = text(fields, "title") or self._slot
            return
        stamp = stamp_of(fields)
        moment = Moment(
            at=stamp,
            span=record.span,
            message_id=f"{self._session}:{text(fields, 'id') or record.span.record}",
            cwd=text(self._head, "cwd"),
            sidechain=self._kin.sidechain,
        )
        copied = self._is_copied(text(fields, "id"), stamp)
        if not on_way:
            self._talk.unknown += text(fields, "type") not in KNOWN
            if not copied:
                self._aside.take(fields, moment)
        elif copied:
            yield Inherited(span=record.span, message_id=moment.message_id)
        else:
            if stamp and (not self._kin.forked or stamp > self._ended_at):  # a fork's labels keep their times
                self._started_at = min(self._started_at or stamp, stamp)
                self._ended_at = max(self._ended_at, stamp)
            yield from self._talk.take(fields, moment)

    def _is_copied(self, identity: str, stamp: str) -> bool:
        """Whether a fork took an entry over from the file it came from; without that file, by the time alone."""
        kin = self._kin
        if not kin.forked:
            return False
        if kin.copied and identity:
            return identity in kin.copied
        return bool(stamp) and stamp < instant(text(self._head, "timestamp"))


def is_titled(path: Path) -> bool:
    """Whether a file begins with the slot for a title that only oh-my-pi writes, or lies in its folder."""
    if ".omp" in path.parts:
        return True
    try:
        with path.open("rb") as file:
            return _TITLE.match(file.read(_TITLE_BYTES)) is not None
    except OSError:
        return False


def fit(path: Path) -> Fit:
    """By the record a session begins with, and the types of those behind it."""
    if not path.is_file():
        return "no"
    shaped = False
    for fields in opening(path):
        kind = text(fields, "type")
        if shaped and kind in KNOWN:
            return "sure"
        if kind == "session" and text(fields, "id") and "cwd" in fields:
            shaped = True
    return "shaped" if shaped else "no"


def _recognises(path: Path) -> Fit:
    return "no" if is_titled(path) else fit(path)


def agent_folder(environment: Mapping[str, str], home: Path, own: str) -> Path:
    """The client's folder, which both take from the same variable."""
    moved = environment.get("PI_CODING_AGENT_DIR", "")
    return home.joinpath(moved) if moved else home / own / "agent"


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """`~/.pi/agent/sessions`; `PI_CODING_AGENT_DIR` moves the first part, `PI_CODING_AGENT_SESSION_DIR` all of it."""
    moved = environment.get("PI_CODING_AGENT_SESSION_DIR", "")
    return (home.joinpath(moved) if moved else agent_folder(environment, home, ".pi") / "sessions",)


def all_files(folder: Path) -> tuple[Path, ...]:
    """Every session, newest first; those of sub-agents lie deeper."""
    return newest((*folder.glob("*.jsonl"), *folder.glob("*/*.jsonl")))


def _files(folder: Path) -> tuple[Path, ...]:
    return tuple(path for path in all_files(folder) if not is_titled(path))


HOST: Final = Host(name="pi", recognises=_recognises, reads=PiReader, folders=folders, files=_files, resumes=False)
