"""Cline, whose hooks are programs named after events; and Roo, which has none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece, templates
from learnt.hosts.wiring.site import Fitting, rule

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site

_PROGRAM = 0o700


def _cline_home(site: Site) -> Path:
    return site.under("CLINE_DIR", ".cline")


def _cline(site: Site) -> tuple[Piece, ...]:
    server, name = site.server("cline", "plain"), "cline_mcp_settings.json"
    base, extension = _cline_home(site), site.editor("saoudrizwan.claude-dev")
    found = [piece.servers(base / "data" / "settings" / name, server)]
    if extension.is_dir():
        found.append(piece.servers(extension / "settings" / name, server))
    return (*_cline_hooks(site, base / "hooks"), *found)


def _cline_shared(site: Site) -> tuple[Piece, ...]:
    return _cline_hooks(site, site.base / ".clinerules" / "hooks")


def _cline_hooks(site: Site, folder: Path) -> tuple[Piece, ...]:
    if os.name == "nt":
        return ()
    events = (
        ("PreToolUse", "pre-tool-use"),
        ("UserPromptSubmit", "user-prompt-submit"),
        ("PreCompact", "pre-compact"),
        ("TaskComplete", "task-complete"),
        ("SessionShutdown", "session-shutdown"),
    )
    lines = {event: templates.filled("cline.sh", line=site.line(kebab, "cline")) for event, kebab in events}
    return tuple(piece.file(folder / event, text, mode=_PROGRAM) for event, text in lines.items())


def _roo_home(site: Site) -> Path:
    return site.editor("rooveterinaryinc.roo-cline")


def _roo(site: Site) -> tuple[Piece, ...]:
    servers = _roo_home(site) / "settings" / "mcp_settings.json"
    return (
        piece.servers(servers, site.server("roo", "plain")),
        rule(site.home / ".roo" / "rules" / "learnt.md"),
    )


def _roo_shared(site: Site) -> tuple[Piece, ...]:
    base = site.base / ".roo"
    return (
        piece.servers(base / "mcp.json", site.server("roo", "plain")),
        rule(base / "rules" / "learnt.md"),
    )


CLINE = Fitting(
    host="cline",
    programs=("cline",),
    folder=_cline_home,
    pieces=_cline,
    shared=_cline_shared,
    gets="Cline takes memories with the first tool call and before a tool; those of a prompt in the editor only.",
    todo="In the editor, hooks are turned on in Cline's settings.",
)

ROO = Fitting(
    host="roo",
    programs=(),
    folder=_roo_home,
    pieces=_roo,
    shared=_roo_shared,
    gets="Roo has no hooks: it gets the tools and a rule to use them; `learnt sessions scan` reads its sessions.",
)
