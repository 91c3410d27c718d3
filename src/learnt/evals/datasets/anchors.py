"""Findings tied to lines of code, with the file as it was then and as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.evals.datasets.files import found, rows, unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path, PurePosixPath
    from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One statement about lines of a file.

    Attributes:
        then, now: The whole file; `now` is None when it is gone.
        stale: The lines no longer stand together.
        touched: The file changed at all.
    """

    id: str
    text: str
    path: str
    line: int
    end: int
    then: Path
    now: Path | None
    status: str
    stale: bool
    touched: bool


def read(folder: Path) -> tuple[Finding, ...]:
    """Every finding whose file of then is there."""
    paths = found(folder, "anchors*.jsonl")
    made = [_finding(folder, each) for each in rows(*paths)]
    findings = tuple(each for each in made if each is not None)
    if not findings:
        raise unreadable(paths[0], "no finding has its file of then in `files`")
    return findings


def _finding(folder: Path, each: Mapping[str, Any]) -> Finding | None:
    then, now = _file(folder, each.get("file_then")), _file(folder, each.get("file_now"))
    if then is None:
        return None
    line = int(each["line"])
    return Finding(
        id=str(each["id"]),
        text=str(each["finding"]),
        path=_inside(folder, str(each["path"])).as_posix(),
        line=line,
        end=int(each.get("end_line") or line),
        then=then,
        now=now,
        status=str(each.get("status") or ""),
        stale=each.get("status") != "intact",
        touched=bool(each.get("file_changed")),
    )


def _file(folder: Path, name: object) -> Path | None:
    if not isinstance(name, str) or not name:
        return None
    path = folder / "files" / f"{name.rpartition('/')[2]}.txt"
    return path if path.is_file() else None


def _inside(folder: Path, path: str) -> PurePosixPath:
    """The path of a finding: relative and without steps upwards, since a file is written there."""
    from pathlib import PurePosixPath

    made = PurePosixPath(path)
    if made.is_absolute() or ".." in made.parts or "\0" in path:
        raise unreadable(folder / "anchors.jsonl", "a path leads out of its folder")
    return made
