"""opencode's database (since 1.2): sessions, messages and parts as rows whose `data` is JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.errors import NotFoundError
from learnt.hosts.opencode.stock import Item
from learnt.hosts.reading.cut import decoded
from learnt.hosts.reading.foreign import connected, loaded, tables
from learnt.model.session import Malformed, Span

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

TABLES: Final = frozenset({"session", "message", "part", "project"})
_ROWS: Final = 1_000_000


def is_base(path: Path) -> bool:
    """Whether a file is a database of opencode."""
    return tables(path) >= TABLES


def sessions(path: Path, *, subagents: bool = False) -> tuple[str, ...]:
    """The sessions in it; those of sub-agents only on request."""
    with connected(path) as base:
        rows = base.execute(loaded("opencode")["known" if subagents else "sessions"])
        return tuple(str(row[0]) for row in rows)


class BaseStock:
    """One session of the database. Each use opens it anew, so that nothing holds it in between.

    Raises:
        NotFoundError: There is no such session.
        UsageError: The database cannot be read.
    """

    def __init__(self, path: Path, session: str) -> None:
        self._path = path
        with connected(path) as base:
            self.session = _session(base, path, session)
            self.extent = _extent(base, session)
            self._children = tuple(str(row[0]) for row in base.execute(loaded("opencode")["children"], (session,)))

    def children(self) -> tuple[str, ...]:
        """The sessions that name this one as their parent."""
        return tuple(map(self.place, self._children))

    def place(self, session: str) -> str:
        """In the same file."""
        return f"{self._path}#{session}"

    def items(self) -> Iterator[Item | Malformed]:
        """Row by row."""
        said = loaded("opencode")
        number = 0
        with connected(self._path) as base:
            for row, identity in base.execute(said["messages"], (self.session["id"],)).fetchall():
                message = str(identity)
                for found in base.execute(said["message"], (row,)):
                    yield _item("message", message, message, found[0], Span(offset=row, length=0, record=number))
                number += 1
                for at, part in base.execute(said["parts"], (identity,)).fetchall():
                    for found in base.execute(said["part"], (at,)):
                        yield _item("part", str(part), message, found[0], Span(offset=at, length=0, record=number))
                    number += 1


def _item(kind: Any, identity: str, message: str, body: Any, span: Span) -> Item | Malformed:
    fields = decoded(body) if isinstance(body, (str, bytes)) else None
    if fields is None:
        return Malformed(span=span, reason=f"the row of {kind} {identity} is no JSON object")
    return Item(kind, identity, message, fields, span)


def _session(base: sqlite3.Connection, path: Path, session: str) -> dict[str, Any]:
    """The session's row in the shape of an export."""
    rows = base.execute(loaded("opencode")["session"], (session,))
    names = [column[0] for column in rows.description]
    row = rows.fetchone()
    if row is None:
        raise NotFoundError(
            f"There is no session {session or '(none named)'} in {path}.",
            hint="`learnt sessions scan` names the sessions; one in a database is PATH#SESSION.",
        )
    fields = dict(zip(names, row, strict=True))
    permission, revert = fields.get("permission"), fields.get("revert")
    return {
        **fields,
        "parentID": fields.get("parent_id"),
        "permission": decoded(f'{{"rules": {permission}}}') if isinstance(permission, str) else None,
        "revert": decoded(revert) if isinstance(revert, str) else None,
        "time": {"created": fields.get("time_created"), "updated": fields.get("time_updated")},
    }


def _extent(base: sqlite3.Connection, session: str) -> int:
    changed, rows = base.execute(loaded("opencode")["extent"], {"session": session}).fetchone()
    return (int(changed) if isinstance(changed, (int, float)) else 0) * _ROWS + int(rows) % _ROWS


def extent(path: Path, session: str) -> int:
    """Grows with everything that is written into the session."""
    with connected(path) as base:
        return _extent(base, session)


def size(path: Path, session: str) -> int:
    """Bytes of the session's records; 0 where it has none."""
    with connected(path) as base:
        return int(base.execute(loaded("opencode")["size"], {"session": session}).fetchone()[0])
