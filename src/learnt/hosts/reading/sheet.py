"""What a reader gathers about a session as a whole while its records pass."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from learnt.model.session import Header

_TITLE_CHARS: Final = 500


@dataclass(slots=True)
class Sheet:
    """A header that is being filled in; the same words as `learnt.model.session.Header`."""

    host: str
    session_id: str
    unfinished: bool = False
    version: str = ""
    cwd: str = ""
    branch: str = ""
    commit: str = ""
    model: str = ""
    started_at: str = ""
    ended_at: str = ""
    title: str = ""
    parent_session_id: str = ""
    agent_id: str = ""
    sidechain: bool = False
    interactive: bool = False
    records: int = 0
    unknown: int = 0

    def seen(self, at: str) -> None:
        """Something happened at this time."""
        if at:
            self.ended_at = max(self.ended_at, at)
            self.started_at = min(self.started_at or at, at)

    def header(self, subagents: tuple[str, ...] = ()) -> Header:
        """Everything known so far."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        return Header(**(known | {"title": self.title[:_TITLE_CHARS]}), subagents=subagents)
