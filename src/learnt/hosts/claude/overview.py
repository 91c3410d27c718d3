"""What the rows of a Claude Code transcript say about the session as a whole, gathered while they pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.model.session import Header

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE_TYPES: Final = frozenset(
    [
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "file-history-snapshot",
        "queue-operation",
        "last-prompt",
        "mode",
        "permission-mode",
        "tools-used",
        "agent-name",
        "agent-setting",
        "agent-color",
        "cost-state",
        "atis-latch",
        "progress",
        "pr-link",
        "tag",
        "worktree-state",
        "attribution-snapshot",
        "speculation-accept",
        "content-replacement",
        "marble-origami-commit",
        "marble-origami-snapshot",
        "task-summary",
        "bridge-session",
    ]
)
"""Rows that are no part of the conversation."""

KNOWN_TYPES: Final = frozenset(["user", "assistant", "system", "attachment", "summary", "custom-title", "ai-title"])
_TITLE_KEYS: Final = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
_TITLE_RANKS: Final = {"": 0, "summary": 1, "ai-title": 2, "custom-title": 3}
_BY_HAND: Final = frozenset(["typed", "queued", "voice", "paste"])
_SEATS: Final = frozenset(["cli", "claude-vscode", "claude-jetbrains", "claude-desktop"])
_MARKS: Final = ("version", "gitBranch", "cwd", "agentId", "entrypoint", "promptSource")


class Overview:
    """Grows with every row.

    A session counts as interactive only where something shows a person: the client says `typed`, its entry point is
    one a person sits at, or a person stopped a turn, refused a call or used a slash command. Older versions say
    nothing by themselves, and silence counts as no; any other entry point (`sdk-...`, an action) counts as no, too.
    """

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.parent = ""
        self.records = 0
        self.unknown = 0
        self._first: dict[str, str] = {}
        self._last: dict[str, str] = {}
        self._started = ""
        self._ended = ""
        self._title = ("", "")
        self._marks: tuple[Any, ...] = ()
        self._sidechain: bool | None = None
        self._person = False
        self._machine = False

    def take(self, row: dict[str, Any], at: str) -> None:
        """One record more, written at this time."""
        self.records += 1
        kind = row.get("type")
        if not isinstance(kind, str) or (kind not in KNOWN_TYPES and kind not in OUTSIDE_TYPES):
            self.unknown += 1
            return
        if kind in _TITLE_KEYS:
            self._take_title(kind, row.get(_TITLE_KEYS[kind]))
        elif kind in KNOWN_TYPES:
            self._take_row(row, at)

    def saw_person(self) -> None:
        """Something happened that only a person does."""
        self._person = True

    def typed(self, row: dict[str, Any]) -> bool:
        """Whether a prompt's row says, or does not deny, that a person typed it."""
        source, entry = row.get("promptSource"), row.get("entrypoint")
        if isinstance(source, str):
            return source in _BY_HAND
        return not (isinstance(entry, str) and entry.startswith("sdk"))

    def header(self, path: Path, parent: str) -> Header:
        """Everything known so far."""
        side = bool(self._sidechain)
        return Header(
            host="claude-code",
            session_id=self.session_id,
            version=self._last.get("version", ""),
            cwd=self._first.get("cwd", ""),
            branch=self._last.get("gitBranch", ""),
            model=self._last.get("model", ""),
            started_at=self._started,
            ended_at=self._ended,
            title=self._title[1],
            parent_session_id=self.session_id if side else self.parent or parent,
            agent_id=self._first.get("agentId", "") if side else "",
            sidechain=side,
            interactive=self._person and not self._machine and not side,
            records=self.records,
            unknown=self.unknown,
            subagents=() if side else _subagents(path),
        )

    def _take_title(self, kind: str, title: Any) -> None:
        if isinstance(title, str) and _TITLE_RANKS[kind] >= _TITLE_RANKS[self._title[0]]:
            self._title = (kind, title[:500])

    def _take_row(self, row: dict[str, Any], at: str) -> None:
        marks = tuple(map(row.get, _MARKS))
        if marks != self._marks:  # nearly every row repeats those of the one before
            self._marks = marks
            self._take_marks(row)
        if self._sidechain is None and row.get("type") in ("user", "assistant"):
            self._sidechain = row.get("isSidechain") is True
        message = row.get("message")
        if isinstance(message, dict):
            model = message.get("model")
            if isinstance(model, str) and model and model != "<synthetic>":
                self._last["model"] = model
        self._take_time(at)

    def _take_marks(self, row: dict[str, Any]) -> None:
        for key in _MARKS[:4]:
            value = row.get(key)
            if isinstance(value, str) and value:
                self._first.setdefault(key, value)
                self._last[key] = value
        entry, source = row.get("entrypoint"), row.get("promptSource")
        known = isinstance(entry, str) and bool(entry)
        if (known and entry not in _SEATS) or source == "sdk":
            self._machine = True
        elif known or source == "typed":
            self._person = True

    def _take_time(self, at: str) -> None:
        if at:
            self._ended = max(self._ended, at)
            self._started = min(self._started or at, at)


def _subagents(path: Path) -> tuple[str, ...]:
    """The files beside a session's file in which its sub-agents were recorded."""
    folder = path.with_suffix("") / "subagents"
    return tuple(str(found) for found in sorted(folder.glob("agent-*.jsonl"))) if folder.is_dir() else ()
