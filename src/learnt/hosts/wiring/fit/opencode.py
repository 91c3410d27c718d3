"""opencode: a plugin, and its configuration, which may hold comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece, templates
from learnt.hosts.wiring.site import Fitting

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site


def _opencode_home(site: Site) -> Path:
    return site.under("XDG_CONFIG_HOME", ".config") / "opencode"


def _opencode(site: Site) -> tuple[Piece, ...]:
    base = _opencode_home(site)
    return _opencode_in(site, base, base)


def _opencode_shared(site: Site) -> tuple[Piece, ...]:
    root = site.base
    return _opencode_in(site, root, root / ".opencode")


def _opencode_in(site: Site, base: Path, plugins: Path) -> tuple[Piece, ...]:
    config = base / "opencode.jsonc"
    plugin = templates.filled("opencode.js", words=site.words)
    return (
        piece.file(plugins / "plugins" / "learnt.js", plugin),
        piece.mcp(config if config.is_file() else base / "opencode.json", site.server("opencode", "listed")),
    )


OPENCODE = Fitting(
    host="opencode",
    programs=("opencode",),
    folder=_opencode_home,
    pieces=_opencode,
    shared=_opencode_shared,
)
