"""Where a host keeps the session its hook names, where it does not say so itself. Hook-safe.

Ids are used in paths only when they are plain; what is not found is left to a scan.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_DAYS = 90
"""How many of the latest folders of days are looked into for a session of Codex."""

_PROJECTS = 2_000
_LONGEST = 100


def place_of(host: str, session: str, environment: Mapping[str, str]) -> str:
    """The place of a session, `PATH` or `PATH#SESSION`; "" when it is not found."""
    find = _PLACES.get(host)
    if find is None or not _plain(session):
        return ""
    return find(session, environment)


def _plain(name: str) -> bool:
    return 0 < len(name) <= _LONGEST and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def _home(environment: Mapping[str, str]) -> str:
    return environment.get("HOME") or environment.get("USERPROFILE") or ""


def _under(environment: Mapping[str, str], variable: str, *usual: str) -> str:
    """A folder that a variable moves."""
    return environment.get(variable) or os.path.join(_home(environment), *usual)


def _there(path: str) -> str:
    return path if os.path.exists(path) else ""


def _codex(session: str, environment: Mapping[str, str]) -> str:
    root = os.path.join(_under(environment, "CODEX_HOME", ".codex"), "sessions")
    ending = f"-{session}.jsonl"
    for _, day in zip(range(_DAYS), _days(root), strict=False):
        for name in _names(day):
            if name.endswith(ending):
                return os.path.join(day, name)
    return ""


def _days(root: str) -> Iterator[str]:
    """The folders of days below one of years, the latest first."""
    for year in _names(root):
        for month in _names(os.path.join(root, year)):
            for day in _names(os.path.join(root, year, month)):
                yield os.path.join(root, year, month, day)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder), reverse=True)
    except OSError:
        return []


def _copilot(session: str, environment: Mapping[str, str]) -> str:
    """Also of a session whose file is not there yet: it may be written only after the session's end is told."""
    home = _under(environment, "COPILOT_HOME", ".copilot")
    return os.path.join(home, "session-state", session, "events.jsonl")


def _opencode(session: str, environment: Mapping[str, str]) -> str:
    folder = os.path.join(_under(environment, "XDG_DATA_HOME", ".local", "share"), "opencode")
    database = os.path.join(folder, "opencode.db")
    if os.path.isfile(database):
        return f"{database}#{session}"
    root = os.path.join(folder, "storage", "session")
    for project in _names(root)[:_PROJECTS]:
        if found := _there(os.path.join(root, project, f"{session}.json")):
            return found
    return ""


def _cline(session: str, environment: Mapping[str, str]) -> str:
    folder = os.path.join(_under(environment, "CLINE_DIR", ".cline"), "data", "sessions", session)
    return _there(os.path.join(folder, f"{session}.json"))


def _cursor(session: str, environment: Mapping[str, str]) -> str:
    root = os.path.join(_home(environment), ".cursor", "projects")
    for project in _names(root)[:_PROJECTS]:
        folder = os.path.join(root, project, "agent-transcripts")
        for names in ((f"{session}.jsonl",), (session, f"{session}.jsonl")):
            if found := _there(os.path.join(folder, *names)):
                return found
    return ""


def _openhands(session: str, environment: Mapping[str, str]) -> str:
    root = os.path.join(_home(environment), ".openhands", "conversations")
    return _there(os.path.join(root, session.replace("-", ""))) or _there(os.path.join(root, session))


_PLACES: dict[str, Callable[[str, Mapping[str, str]], str]] = {
    "codex": _codex,
    "copilot-cli": _copilot,
    "opencode": _opencode,
    "cline": _cline,
    "cursor": _cursor,
    "openhands": _openhands,
}
