"""OpenHands: hooks in `.openhands/hooks.json`, of which it takes what a prompt is given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece
from learnt.hosts.wiring.site import Fitting, hooks_for

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site


def _openhands_home(site: Site) -> Path:
    return site.home / ".openhands"


def _openhands(site: Site) -> tuple[Piece, ...]:
    base = _openhands_home(site)
    return (
        *_openhands_shared(replace(site, root=site.home)),
        piece.servers(base / "mcp.json", site.server("openhands", "plain")),
    )


def _openhands_shared(site: Site) -> tuple[Piece, ...]:
    events = (
        ("UserPromptSubmit", "user-prompt-submit", "*"),
        ("SessionEnd", "session-end", "*"),
    )
    return (piece.hooks(site.base / ".openhands" / "hooks.json", hooks_for(site, "openhands", events)),)


OPENHANDS = Fitting(
    host="openhands",
    programs=("openhands",),
    folder=_openhands_home,
    pieces=_openhands,
    shared=_openhands_shared,
    gets="OpenHands takes memories at a prompt only: those of the start come with the first one.",
)
