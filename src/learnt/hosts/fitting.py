"""The table of hosts: where each is looked for, which of its files are changed, and what is left to the person.

Source: the hosts' documentation and files written by the real clients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.hosts.fit.claude import CLAUDE
from learnt.hosts.fit.cline import CLINE, ROO
from learnt.hosts.fit.codex import CODEX
from learnt.hosts.fit.copilot import COPILOT
from learnt.hosts.fit.cursor import CURSOR
from learnt.hosts.fit.gemini import GEMINI
from learnt.hosts.fit.opencode import OPENCODE
from learnt.hosts.fit.openhands import OPENHANDS
from learnt.hosts.fit.pi import OMP, PI
from learnt.hosts.fit.reader import AIDER, MASTRA, SPECSTORY, SWE_AGENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.hosts.site import Fitting

_ALL = (
    *(CLAUDE, CODEX, OPENCODE, PI, OMP, GEMINI, COPILOT, CURSOR, CLINE, ROO),
    *(OPENHANDS, MASTRA, SWE_AGENT, AIDER, SPECSTORY),
)
FITTINGS: Final[Mapping[str, Fitting]] = {each.host: each for each in _ALL}
"""Every host, in the order of the contract."""
