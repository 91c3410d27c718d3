"""How to tell that a coding agent started this process.

Each name is set by a host for the commands its agent runs. A name a person would set in their own shell profile to
configure a host (`CODEX_HOME`, `CLAUDE_CONFIG_DIR`) is none. Source: contract, who is a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKERS: dict[str, str] = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_ENTRYPOINT": "claude-code",
    "GEMINI_CLI": "gemini-cli",
    "OPENCODE": "opencode",
    "OPENCODE_CALLER": "opencode",
    "PI_CODING_AGENT": "pi",
    "OMPCODE": "oh-my-pi",
    "CURSOR_AGENT": "cursor",
    "COPILOT_CLI": "copilot-cli",
    "COPILOT_AGENT_SESSION_ID": "copilot-cli",
    "CLINE_ACTIVE": "cline",
    "ROO_ACTIVE": "roo",
    "OPENHANDS_SESSION_ID": "openhands",
    "SWE_AGENT_RUN": "swe-agent",
}
"""Variable -> host."""
CLIENT = "LEARNT_CLIENT"
"""What `learnt mcp` sets for itself, the name of the client that drives it: its process is an agent's, always."""

_CODEX_CONFIGURATION = frozenset({"CODEX_HOME", "CODEX_API_KEY", "CODEX_SQLITE_HOME", "CODEX_CA_CERTIFICATE"})


def host_of(environment: Mapping[str, str]) -> str:
    """The coding agent whose process tree this is, or "" for a person's shell."""
    if client := environment.get(CLIENT):
        return client
    for name, host in MARKERS.items():
        if environment.get(name):
            return host
    if any(n.startswith("CODEX_") and n not in _CODEX_CONFIGURATION and v for n, v in environment.items()):
        return "codex"
    return ""
