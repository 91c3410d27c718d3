"""Claude Code: hooks in `settings.json`, servers in `.claude.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece
from learnt.hosts.wiring.hook import claude_hooks
from learnt.hosts.wiring.site import Fitting

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site


def _claude_home(site: Site) -> Path:
    return site.under("CLAUDE_CONFIG_DIR", ".claude")


def _claude(site: Site) -> tuple[Piece, ...]:
    base = _claude_home(site)
    servers = (base if site.environment.get("CLAUDE_CONFIG_DIR") else site.home) / ".claude.json"
    return _claude_in(site, base, servers)


def _claude_shared(site: Site) -> tuple[Piece, ...]:
    root = site.base
    return _claude_in(site, root / ".claude", root / ".mcp.json")


def _claude_in(site: Site, base: Path, servers: Path) -> tuple[Piece, ...]:
    hooks = claude_hooks(lambda event: site.line(event, "claude-code"))
    return (
        piece.hooks(base / "settings.json", hooks),
        piece.servers(servers, site.server("claude-code", "stdio")),
    )


CLAUDE = Fitting(
    host="claude-code",
    programs=("claude",),
    folder=_claude_home,
    pieces=_claude,
    shared=_claude_shared,
)
