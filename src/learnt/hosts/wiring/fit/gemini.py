"""Gemini CLI: hooks and servers in one `settings.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece
from learnt.hosts.wiring.site import Fitting, hooks_for

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site

_TOOLS = "run_shell_command|replace|write_file"


def _gemini_home(site: Site) -> Path:
    return site.under("GEMINI_CLI_HOME") / ".gemini"


def _gemini(site: Site) -> tuple[Piece, ...]:
    return _gemini_in(site, _gemini_home(site))


def _gemini_shared(site: Site) -> tuple[Piece, ...]:
    return _gemini_in(site, site.base / ".gemini")


def _gemini_in(site: Site, base: Path) -> tuple[Piece, ...]:
    events = (
        ("SessionStart", "session-start", "*"),
        ("BeforeAgent", "before-agent", "*"),
        ("AfterTool", "after-tool", _TOOLS),
        ("PreCompress", "pre-compress", "manual"),  # "auto" comes before each request, whether compressed or not
        ("SessionEnd", "session-end", "*"),
    )
    hooks = hooks_for(site, "gemini-cli", events, "milliseconds")
    return (piece.settings(base / "settings.json", hooks, site.server("gemini-cli", "plain")),)


GEMINI = Fitting(
    host="gemini-cli",
    programs=("gemini",),
    folder=_gemini_home,
    pieces=_gemini,
    shared=_gemini_shared,
)
