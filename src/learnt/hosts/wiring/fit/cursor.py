"""Cursor: a plain list of hooks, `mcp.json`, and a rule for a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece
from learnt.hosts.wiring.site import Fitting, hooks_for, rule

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site

_EMPTY = '{\n  "version": 1\n}\n'
_FRONT = "---\ndescription: The memory of this repository\nalwaysApply: true\n---\n"
_TOOLS = "Shell|Write|Edit"


def _cursor_home(site: Site) -> Path:
    return site.home / ".cursor"


def _cursor(site: Site) -> tuple[Piece, ...]:
    return _cursor_in(site, _cursor_home(site))


def _cursor_shared(site: Site) -> tuple[Piece, ...]:
    base = site.base / ".cursor"
    return (*_cursor_in(site, base), rule(base / "rules" / "learnt.mdc", _FRONT))


def _cursor_in(site: Site, base: Path) -> tuple[Piece, ...]:
    events = (
        ("sessionStart", "session-start", ""),
        ("postToolUse", "post-tool-use", _TOOLS),
        ("preCompact", "pre-compact", ""),
        ("sessionEnd", "session-end", ""),
    )
    hooks = hooks_for(site, "cursor", events, "flat")
    return (
        piece.hooks(base / "hooks.json", hooks, empty=_EMPTY),
        piece.servers(base / "mcp.json", site.server("cursor", "plain")),
    )


CURSOR = Fitting(
    host="cursor",
    programs=("cursor", "cursor-agent"),
    folder=_cursor_home,
    pieces=_cursor,
    shared=_cursor_shared,
    gets="Cursor takes memories at the start of a session and after a tool, not at a prompt.",
    todo="Turn the server learnt on once, in Cursor's settings under MCP.",
)
