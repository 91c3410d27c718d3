"""Claude Code as a writer: a subscription instead of a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from learnt.providers.writers.program import Ended, empty_folder
from learnt.providers.writers.schema import sendable
from learnt.providers.writers.turn import Said, count

if TYPE_CHECKING:
    from learnt.providers.writers.program import Program
    from learnt.providers.writers.turn import Turn

PLAIN = (
    "--output-format",
    "json",
    "--tools",
    "",
    "--no-session-persistence",
    "--strict-mcp-config",
    "--setting-sources",
    "",
)
"""No tools, no transcript, no servers, no settings: so no hooks either. Source: tried with the real program."""


class ClaudeCode:
    """See `learnt.providers.writers.turn.Model`. The prompt goes by standard input, which no other user can read."""

    provider = "claude-code"

    def __init__(self, program: Program, model: str) -> None:
        self._program = program
        self.model = model

    def ask(self, turn: Turn) -> Said:
        """One answer."""
        arguments = ["-p", *PLAIN, "--json-schema", json.dumps(sendable(turn.schema))]
        arguments += ["--system-prompt", turn.system, "--model", self.model]
        with empty_folder() as folder:
            ended = self._program.run(arguments, turn.text, folder)
        return self._read(ended)

    def _read(self, ended: Ended) -> Said:
        try:
            found = json.loads(ended.output)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._program.error("bad_response", f"claude ended with {ended.code} and without an answer.")
        if found.get("is_error"):
            raise self._program.refusal(str(found.get("result", ""))[:1_000])
        value, text, cost = (found.get(name) for name in ("structured_output", "result", "total_cost_usd"))
        usage: Any = found.get("usage") if isinstance(found.get("usage"), dict) else {}
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return Said(
            text=text if isinstance(text, str) else "",
            value=value if isinstance(value, dict) else None,
            stop="refused" if found.get("stop_reason") == "refusal" else "",
            input_tokens=sum(count(usage.get(name)) for name in read),
            output_tokens=count(usage.get("output_tokens")),
            cost_usd=float(cost) if isinstance(cost, int | float) and 0 < cost < 1e6 else None,
        )

    def check(self) -> str:
        """Its version."""
        with empty_folder() as folder:
            return self._program.run(["--version"], "", folder).output.strip()[:80]
