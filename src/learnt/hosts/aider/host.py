"""aider as a host: how its history files are told and where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.hosts.aider.history import STARTED, section_of, sections
from learnt.hosts.aider.reader import AiderReader
from learnt.hosts.host import Asked, Fit, Host, newest
from learnt.hosts.reading.whole import head

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME: Final = ".aider.chat.history.md"
_ABOVE: Final = 20


def recognises(path: Path) -> Fit:
    """By the first line that is not blank: the heading of a session."""
    if not path.is_file():
        return "no"
    first = head(path).removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].decode("utf-8", "replace")
    if STARTED.fullmatch(first):
        return "sure"
    return "shaped" if path.name == NAME else "no"


def _sessions(path: Path) -> tuple[str, ...]:
    return tuple(str(section.number) for section in reversed(sections(path)))


def _folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """The file lies in the repository: the one the caller stands in, and where the client was told to write."""
    told, here = environment.get("AIDER_CHAT_HISTORY_FILE", ""), environment.get("PWD", "")
    above = [home.joinpath(here), *home.joinpath(here).parents][:_ABOVE] if here else []
    every = [home.joinpath(here, told)] if told else []
    every.extend(folder for folder in above if (folder / NAME).is_file())
    return tuple(dict.fromkeys(every))


def _files(folder: Path) -> tuple[Path, ...]:
    return newest((folder if folder.is_file() else folder / NAME,))


def _extent(asked: Asked) -> int:
    """Where the session ends in the file; 0 when it is gone."""
    if not asked.path.is_file():
        return 0
    found = section_of(asked.path, asked.session)
    return found.end if found else 0


def _reads(asked: Asked) -> AiderReader:
    return AiderReader(asked.path, asked.session)


HOST: Final = Host(
    name="aider",
    recognises=recognises,
    reads=_reads,
    sessions=_sessions,
    folders=_folders,
    files=_files,
    extent=_extent,
    resumes=False,
)
