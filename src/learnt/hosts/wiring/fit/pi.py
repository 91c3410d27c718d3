"""pi and oh-my-pi: an extension, and `mcp.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.hosts.wiring import piece, templates
from learnt.hosts.wiring.site import Fitting

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.hosts.wiring.piece import Piece
    from learnt.hosts.wiring.site import Site


def _pi_home(site: Site) -> Path:
    return site.under("PI_CODING_AGENT_DIR", ".pi", "agent")


def _omp_home(site: Site) -> Path:
    return site.under("PI_CODING_AGENT_DIR", ".omp", "agent")


def _pi_in(site: Site, base: Path, host: str) -> tuple[Piece, ...]:
    extension = templates.filled("pi.ts", words=site.words, host=host)
    return (
        piece.file(base / "extensions" / "learnt.ts", extension),
        piece.servers(base / "mcp.json", site.server(host, "direct")),
    )


PI = Fitting(
    host="pi",
    programs=("pi",),
    folder=_pi_home,
    pieces=lambda site: _pi_in(site, _pi_home(site), "pi"),
    shared=lambda site: _pi_in(site, site.base / ".pi", "pi"),
)

OMP = Fitting(
    host="oh-my-pi",
    programs=("omp",),
    folder=_omp_home,
    pieces=lambda site: _pi_in(site, _omp_home(site), "oh-my-pi"),
    shared=lambda site: _pi_in(site, site.base / ".omp", "oh-my-pi"),
)
