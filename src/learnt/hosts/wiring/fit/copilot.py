"""Copilot CLI: a file of hooks of its own, servers in `mcp-config.json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece
from learnt.hosts.wiring.site import Fitting

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site

_TIMEOUT_S = 5


def _copilot_home(site: Site) -> Path:
    return site.under("COPILOT_HOME", ".copilot")


def _copilot(site: Site) -> tuple[Piece, ...]:
    base = _copilot_home(site)
    return (
        _copilot_hooks(site, base / "hooks" / "learnt.json"),
        piece.servers(base / "mcp-config.json", site.server("copilot-cli", "local")),
    )


def _copilot_shared(site: Site) -> tuple[Piece, ...]:
    return (_copilot_hooks(site, site.base / ".github" / "hooks" / "learnt.json"),)


def _copilot_hooks(site: Site, path: Path) -> Piece:
    events = (
        ("sessionStart", "session-start"),
        ("userPromptSubmitted", "user-prompt-submitted"),
        ("postToolUse", "post-tool-use"),
        ("preCompact", "pre-compact"),
        ("sessionEnd", "session-end"),
    )
    hooks = {}
    for event, kebab in events:
        line = site.line(kebab, "copilot-cli")
        plain = line.partition(" || ")[0]
        shell = f"& {plain}" if plain.startswith('"') else plain
        hooks[event] = [{"type": "command", "bash": line, "powershell": shell, "timeoutSec": _TIMEOUT_S}]
    document = {"version": 1, "description": f"{piece.MARK}; `learnt uninit` removes it", "hooks": hooks}
    return piece.file(path, json.dumps(document, indent=2) + "\n")


COPILOT = Fitting(
    host="copilot-cli",
    programs=("copilot",),
    folder=_copilot_home,
    pieces=_copilot,
    shared=_copilot_shared,
)
