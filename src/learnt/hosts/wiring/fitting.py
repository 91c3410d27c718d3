"""The table of hosts: where each is looked for, which of its files are changed, and what is left to the person.

Source: the hosts' documentation and files written by the real clients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.hosts.wiring.fit.claude import CLAUDE
from learnt.hosts.wiring.fit.cline import CLINE, ROO
from learnt.hosts.wiring.fit.codex import CODEX
from learnt.hosts.wiring.fit.copilot import COPILOT
from learnt.hosts.wiring.fit.cursor import CURSOR
from learnt.hosts.wiring.fit.gemini import GEMINI
from learnt.hosts.wiring.fit.opencode import OPENCODE
from learnt.hosts.wiring.fit.openhands import OPENHANDS
from learnt.hosts.wiring.fit.pi import OMP, PI
from learnt.hosts.wiring.fit.reader import AIDER, MASTRA, SPECSTORY, SWE_AGENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.hosts.wiring.site import Fitting

_ALL = (
    *(CLAUDE, CODEX, OPENCODE, PI, OMP, GEMINI, COPILOT, CURSOR, CLINE, ROO),
    *(OPENHANDS, MASTRA, SWE_AGENT, AIDER, SPECSTORY),
)
FITTINGS: Final[Mapping[str, Fitting]] = {each.host: each for each in _ALL}
"""Every host, in the order of the contract."""
