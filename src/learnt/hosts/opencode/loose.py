"""opencode's sessions outside its database: what `opencode export` prints, and the tree of files up to 1.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.errors import LearntError, UsageError
from learnt.hosts.opencode.stock import Item
from learnt.hosts.reading.cut import decoded
from learnt.hosts.reading.document import Piece, pieces
from learnt.hosts.reading.lines import opened
from learnt.hosts.reading.value import text
from learnt.model.session import Malformed, Span

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAX_FILE_BYTES: Final = 128 << 20
_INFO, _MESSAGE, _PART = ("info",), ("messages", "*", "info"), ("messages", "*", "parts", "*")


class ExportStock:
    """A session as `opencode export` printed it: one document."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.extent = path.stat().st_size if path.exists() else 0
        first = next(pieces(path, frozenset({_INFO})), None)
        session = decoded(first.body) if isinstance(first, Piece) else None
        if session is None or not text(session, "id"):
            raise UsageError(f"{path} is no export of a session.", code="unreadable")
        self.session = session

    def children(self) -> tuple[str, ...]:
        """An export says nothing of them but in the calls."""
        return ()

    def place(self, session: str) -> str:
        """The export of that session beside this one, else the client's database beside it."""
        export, base = self._path.with_name(f"export-{session}.json"), self._path.with_name("opencode.db")
        return str(export) if export.exists() else f"{base}#{session}" if base.exists() else ""

    def items(self) -> Iterator[Item | Malformed]:
        """Messages and parts, each with its bytes in the file."""
        message = ""
        for number, piece in enumerate(pieces(self._path, frozenset({_MESSAGE, _PART}))):
            if isinstance(piece, Malformed):
                yield piece
                return
            span = Span(offset=piece.offset, length=len(piece.body), record=number)
            fields = decoded(piece.body)
            if piece.way == _MESSAGE:
                message = (text(fields, "id") if fields else "") or f"{self.session['id']}:{piece.numbers[0]}"
            if fields is None:
                yield Malformed(span=span, reason="no JSON object")
                continue
            identity = text(fields, "id") or f"{message}:{piece.numbers[-1]}"
            if piece.way == _MESSAGE:
                yield Item("message", message, message, fields, span)
            else:
                yield Item("part", identity, message, fields, span)


class TreeStock:
    """A session of the tree: `session/<project>/<id>.json`, its messages and parts in folders beside `session`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._root = path.absolute().parents[2]
        session = _read(path)
        if session is None or not text(session, "id"):
            raise UsageError(f"{path} is no session of opencode.", code="unreadable")
        self.session = session
        self.extent = extent(path)

    def children(self) -> tuple[str, ...]:
        """The sessions of the same project that name this one as their parent."""
        found = []
        for path in sorted(self._path.parent.glob("ses_*.json")):
            other = _read(path) if path != self._path else None
            if other and other.get("parentID") == self.session["id"]:
                found.append(str(path))
        return tuple(found)

    def place(self, session: str) -> str:
        """The session's file in the same folder."""
        path = self._path.with_name(f"{session}.json")
        return str(path) if path.exists() else ""

    def items(self) -> Iterator[Item | Malformed]:
        """Messages by their time, each followed by its parts by their ids."""
        number = 0
        for path, fields in self._messages():
            yield _item("message", path, path.stem, fields, number)
            number += 1
            for part in sorted(self._root.glob(f"part/{path.stem}/*.json")):
                yield _item("part", part, path.stem, _read(part), number)
                number += 1

    def _messages(self) -> list[tuple[Path, dict[str, Any] | None]]:
        found = []
        for path in sorted(self._root.glob(f"message/{self.session['id']}/*.json")):
            fields = _read(path)
            times = fields.get("time") if fields else None
            created = times.get("created") if isinstance(times, dict) else None
            found.append((created if isinstance(created, (int, float)) else 0, path, fields))
        return [(path, fields) for _, path, fields in sorted(found, key=lambda each: each[:2])]


def _item(kind: Any, path: Path, message: str, fields: dict[str, Any] | None, number: int) -> Item | Malformed:
    try:
        span = Span(offset=0, length=path.stat().st_size, record=number)
    except OSError:
        span = Span(offset=0, length=0, record=number)
    if fields is None:
        return Malformed(span=span, reason=f"{path.name} is no JSON object")
    return Item(kind, text(fields, "id") or path.stem, message, fields, span)


def _read(path: Path) -> dict[str, Any] | None:
    """The object in a file; None when it is none, or larger than a record ever is."""
    try:
        with opened(path) as file:
            body = file.read(_MAX_FILE_BYTES + 1)
    except (LearntError, OSError):
        return None
    return decoded(body) if len(body) <= _MAX_FILE_BYTES else None


def extent(path: Path) -> int:
    """When anything of a session's tree was last written, in nanoseconds."""
    root = path.absolute().parents[2]
    latest = 0
    for each in (path, *_folders(root, path.stem)):
        latest = max(latest, _written(each))
    return latest


def size(path: Path) -> int:
    """Bytes of a session's tree; 0 when it is gone."""
    total = 0
    for each in (path, *_folders(path.absolute().parents[2], path.stem)):
        try:
            total += each.stat().st_size if each.is_file() else 0
        except OSError:
            continue
    return total


def _folders(root: Path, session: str) -> Iterator[Path]:
    yield root / "message" / session
    for message in root.glob(f"message/{session}/*.json"):
        yield message
        yield root / "part" / message.stem
        yield from root.glob(f"part/{message.stem}/*.json")


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def is_tree(path: Path) -> bool:
    """Whether a file is a session of the tree."""
    if path.suffix != ".json" or not path.name.startswith("ses_") or path.absolute().parent.parent.name != "session":
        return False
    fields = _read(path)
    return fields is not None and text(fields, "id").startswith("ses_")


def is_subagent(path: Path) -> bool:
    """Whether a session of the tree was started by another."""
    fields = _read(path)
    return bool(fields and fields.get("parentID"))
