"""Every client beside Claude Code, which has a module of its own, and which of them are to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.e2e.fetch import ENVIRONMENT
from tests.e2e.hosts import aider, codex, copilot, gemini, opencode, pi

if TYPE_CHECKING:
    from tests.e2e.hosts.host import Host

HOSTS = (codex.HOST, opencode.HOST, pi.PI, pi.OMP, gemini.HOST, copilot.HOST, aider.HOST)


def called() -> tuple[Host, ...]:
    """The usual ones; LEARNT_E2E names others in their place, with commas between them, or `all`."""
    named = ENVIRONMENT.get("LEARNT_E2E", "")
    if named == "all":
        return HOSTS
    wanted = set(named.split(","))
    return tuple(host for host in HOSTS if host.name in wanted or (not named and host.usual))
