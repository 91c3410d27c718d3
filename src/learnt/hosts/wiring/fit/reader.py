"""Hosts without hooks: aider, which reads a file, and those whose sessions alone are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece
from learnt.hosts.wiring.site import Fitting

if TYPE_CHECKING:
    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site


def _aider(site: Site) -> tuple[Piece, ...]:
    return (piece.read(site.base / ".aider.conf.yml", str(site.memory)),)


_READ_ONLY = "{} has no hooks: nothing is brought to it. Its sessions are read by `learnt sessions {}`{}."


AIDER = Fitting(
    host="aider",
    programs=("aider",),
    pieces=_aider,
    gets=(
        "aider has no hooks: in this repository it reads the summary of its memory at each start, and gets "
        "nothing at a prompt; `learnt sessions scan --read` reads its history."
    ),
    asked=True,
)

MASTRA = Fitting(
    host="mastra",
    gets=_READ_ONLY.format("Mastra", "ingest", ", its tools come with `learnt mcp` as a server of its MCPClient"),
    asked=True,
)

SWE_AGENT = Fitting(
    host="swe-agent",
    gets=_READ_ONLY.format("SWE-agent", "ingest", ""),
    asked=True,
)

SPECSTORY = Fitting(
    host="specstory",
    gets=_READ_ONLY.format("SpecStory", "scan --read", ""),
    asked=True,
)
