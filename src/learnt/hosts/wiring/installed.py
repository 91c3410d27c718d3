"""How the files of coding agents are changed, and what is remembered of it.

A change is planned, shown, then applied: to a temporary file beside the target, synced, renamed over it, with the
rights the file had. What was put in is remembered in `wiring.json` of the data directory, so that it comes out exactly.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from learnt.errors import ConfigError
from learnt.hosts.wiring import fresh
from learnt.hosts.wiring.edit import Insertion, difference
from learnt.hosts.wiring.piece import Part, shown, without
from learnt.model.keys import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.hosts.wiring.piece import Piece

_RECORD = "wiring.json"
_MOST_BYTES = 16 << 20
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_RIGHTS = "Put its rights right, or leave this host out: `learnt init --host NAME` names the others."
_EMPTIED = frozenset({"", "{}", '{\n  "version": 1\n}'})
"""What is left of a file that held our part alone."""
_WHOLE = frozenset({"file", "region", "skill"})
"""Parts that are found again by themselves: nothing but the file has to be remembered of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A settings file before and after. `before` is None when there was none, `after` when there is to be none.

    Attributes:
        of: What of it is ours.
        mode: The rights of a new file.
        out: Whether our part is taken out: nothing is remembered of it then.
    """

    path: Path
    before: str | None
    after: str | None
    insertions: tuple[Insertion, ...] = ()
    of: Part = "hooks"
    mode: int = 0o600
    out: bool = False

    @property
    def differs(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """What to show a person."""
        return difference(shown(self.of, self.before), shown(self.of, self.after), str(self.path))


def planned(piece: Piece, home: Path, within: Path | None = None) -> Change:
    """The change that puts our part into a file, in the place of what an earlier installation put in.

    Args:
        home: The data directory, where it is remembered what was put in.
        within: The folder the file must lie in after links are followed; for a file that a repository brought along.

    Raises:
        ConfigError: `host_settings`: the file cannot be changed safely; or a link that leads out of `within`.
    """
    target = _target(piece.path, within)
    before = _read(target)
    try:
        after, insertions = piece.add(before or "", _pieces(_records(home), target))
    except ConfigError as error:
        raise ConfigError(f"{target}: {error.message}", code=error.error_code, hint=error.advice) from None
    if before is None and after == "":
        return Change(path=target, before=None, after=None, of=piece.of)
    return Change(path=target, before=before, after=after, insertions=insertions, of=piece.of, mode=piece.mode)


def copied(path: Path, wanted: str, home: Path, within: Path) -> Change:
    """The change that makes a whole file of ours; one that somebody wrote or changed is no longer ours.

    Raises:
        ConfigError: `host_settings`: somebody else's file is there, or a link leads out of `within`.
    """
    target = _target(path, within)
    before = _read(target)
    if before not in (None, wanted) and not _as_written(_records(home), target, before):
        raise ConfigError(
            f"{path} was not written by learnt, or was changed since; it was left untouched.", code="host_settings"
        )
    return Change(path=target, before=before, after=wanted, of="skill", mode=0o644)


def undone(path: Path, home: Path, of: Part = "hooks", within: Path | None = None) -> Change:
    """The change that takes our part out again. A file that we made, and that is empty then, is removed.

    Args:
        within: See `planned`: by now a link may lead to a file of ours that is another repository's.
    """
    target = _target(path, within)
    before = _read(target)
    if before is None:
        return Change(path=target, before=None, after=None, of=of)
    records = _records(home)
    if of == "skill":
        after = None if _as_written(records, target, before) else before
    else:
        after = _without(target, of, before, _pieces(records, target))
    if after is not None and _made_by_us(records, target) and after.strip() in _EMPTIED:
        after = None
    elif after is None and of == "file" and records.get(str(target), {}).get("existed") is True:
        after = ""  # only an empty file is ever written over
    return Change(path=target, before=before, after=after, of=of, out=True)


def _without(target: Path, of: Part, before: str, pieces: tuple[Insertion, ...]) -> str | None:
    try:
        return without(of, before, pieces)
    except ConfigError as error:
        raise ConfigError(f"{target}: {error.message}", code=error.error_code, hint=error.advice) from None


def apply(change: Change, home: Path) -> None:
    """Write a change and remember what was put in; nothing is done for a change that does not differ.

    Raises:
        ConfigError: The file was changed by somebody since the change was planned.
    """
    fresh.swept(change.path.parent)
    if not change.differs:
        return
    if _target(change.path, None) != change.path or _read(change.path) != change.before:
        raise ConfigError(f"{change.path} was changed meanwhile; nothing was written.", code="host_settings")
    records = _records(home)
    existed = change.before is not None and not _made_by_us(records, change.path)
    existed = existed and (change.of != "file" or not (change.before or "").strip())
    earlier = records.pop(str(change.path), {})
    folders = _folders(earlier) or _missing(change.path)
    if change.after is None:
        _removed(change.path)
        _handed_on(_left(folders), records)
    elif change.of != "skill" or change.before is not None:
        _write(change.path, change.after, change.mode)
    if not change.out and change.after is not None and (change.insertions or change.of in _WHOLE):
        records[str(change.path)] = {
            "digest": sha256_hex(change.after),
            "existed": existed,
            "folders": folders,
            "of": change.of,
            "insertions": [[piece.offset, piece.text] for piece in change.insertions],
        }
    _write(home / _RECORD, json.dumps(records, indent=1) + "\n")
    if change.of == "skill" and change.before is None:  # a new one is remembered first: without that it is nobody's
        _write(change.path, change.after or "", change.mode)


def connected(home: Path) -> dict[Path, Part]:
    """The settings files that learnt changed and has not changed back, and what of them is ours."""
    records = _records(home)
    return {Path(path): _part(records[path].get("of")) for path in sorted(records)}


def _part(name: object) -> Part:
    return cast("Part", name) if name in get_args(Part) else "hooks"


def _records(home: Path) -> dict[str, dict[str, Any]]:
    text = _read(home / _RECORD)
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {path: record for path, record in found.items() if isinstance(record, dict)}


def _pieces(records: Mapping[str, dict[str, Any]], path: Path) -> tuple[Insertion, ...]:
    """What was put into a file, as far as the record can be read."""
    try:
        pieces = records.get(str(path), {}).get("insertions", ())
        return tuple(Insertion(int(offset), str(text)) for offset, text in pieces)
    except (TypeError, ValueError):  # a record somebody edited: the hooks are then found by their commands
        return ()


def _as_written(records: Mapping[str, dict[str, Any]], path: Path, text: str | None) -> bool:
    """Whether a file is what we wrote, to the byte."""
    return text is not None and records.get(str(path), {}).get("digest") == sha256_hex(text)


def _missing(path: Path) -> list[str]:
    """The folders that are made with a file, the outermost first: they go again with it, so that no trace is left."""
    found = [str(folder) for folder in path.parents if not folder.exists()]
    return found[::-1]


def _folders(record: Mapping[str, Any]) -> list[str]:
    """The folders that were made with a file."""
    found = record.get("folders")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _left(folders: Sequence[str]) -> list[str]:
    """Remove folders that were made with a file and hold nothing more; gives those that hold something."""
    for number in range(len(folders), 0, -1):
        try:
            Path(folders[number - 1]).rmdir()
        except OSError:
            return list(folders[:number])
    return []


def _handed_on(folders: Sequence[str], records: dict[str, dict[str, Any]]) -> None:
    """What was made with a file that is gone goes with the next of our files in it."""
    for path, record in records.items():
        within = [folder for folder in folders if Path(folder) in Path(path).parents]
        if within:
            record["folders"] = [*within, *(each for each in _folders(record) if each not in within)]
            return


def _made_by_us(records: Mapping[str, dict[str, Any]], path: Path) -> bool:
    """Whether the file was not there before we came."""
    return records.get(str(path), {}).get("existed") is False


def _target(path: Path, within: Path | None) -> Path:
    """The file itself behind links: a person may keep settings elsewhere, a repository may not lead us out of it."""
    target = Path(os.path.realpath(path))
    if within is not None and not target.is_relative_to(os.path.realpath(within)):
        raise ConfigError(f"{path} leads out of the repository; it was left untouched.", code="host_settings")
    return target


def held(path: Path, within: Path) -> str | None:
    """The text of a file in a folder that no link may lead out of; None where there is none.

    Raises:
        ConfigError: `host_settings`: it cannot be read, is no plain file, or lies elsewhere.
    """
    return _read(_target(path, within))


def _read(path: Path) -> str | None:
    """The text of a plain file: a pipe or a device in its place neither holds anybody up nor fills the memory."""
    try:
        with os.fdopen(os.open(path, _READ), "rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MOST_BYTES:
                raise ConfigError(f"{path} is no plain file of at most 16 MB.", code="host_settings")
            return file.read(_MOST_BYTES + 1).decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", code="host_settings", hint=_RIGHTS) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} cannot be read: {error}.", code="host_settings", hint="Save it as UTF-8.") from None


def _removed(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise ConfigError(f"{path} cannot be removed: {error.strerror}.", code="host_settings", hint=_RIGHTS) from None


def _write(path: Path, text: str, mode: int = 0o600) -> None:
    """Replace a file in one step, keeping its rights; a new one is the owner's alone."""
    kept = path.stat().st_mode & 0o7777 if path.is_file() and not path.is_symlink() else None
    mode = mode if kept is None else kept | mode & stat.S_IXUSR  # a hook that is a program must be one
    name = ""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = fresh.made(path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise ConfigError(f"{path} cannot be written: {error.strerror}.", code="host_settings", hint=_RIGHTS) from None
