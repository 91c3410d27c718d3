"""Codex as a writer: a subscription instead of a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from learnt.providers.writers.program import MOST_BYTES, empty_folder
from learnt.providers.writers.schema import sendable
from learnt.providers.writers.turn import Said, count

if TYPE_CHECKING:
    from pathlib import Path

    from learnt.providers.writers.program import Ended, Program
    from learnt.providers.writers.turn import Turn

PLAIN: Final = ("--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "-c", "features.hooks=false")
"""No rollout file, no hooks, nothing written. Source: tried with the real program."""


class Codex:
    """See `learnt.providers.writers.turn.Model`. It knows no system prompt of ours: that stands before the rest."""

    provider = "codex"

    def __init__(self, program: Program, model: str) -> None:
        self._program = program
        self.model = model

    def ask(self, turn: Turn) -> Said:
        """One answer."""
        with empty_folder() as folder:
            schema, out = folder / "schema.json", folder / "answer"
            schema.write_text(json.dumps(sendable(turn.schema)), encoding="utf-8")
            arguments = ["exec", *PLAIN, "--output-schema", str(schema), "-o", str(out)]
            arguments += ["-m", self.model] if self.model != "default" else []
            ended = self._program.run([*arguments, "-"], f"{turn.system}\n\n{turn.text}", folder)
            return self._read(ended, out)

    def _read(self, ended: Ended, out: Path) -> Said:
        events = [event for line in ended.output.splitlines() if (event := _event(line))]
        failed = next((event for event in events if event.get("type") == "turn.failed"), None)
        if failed is not None:
            raise self._program.refusal(str(failed.get("error", ""))[:1_000])
        try:
            with out.open("rb") as file:
                text = file.read(MOST_BYTES).decode("utf-8", "replace")
        except OSError as error:
            message = f"codex ended with {ended.code} and without an answer."
            raise self._program.error("bad_response", message) from error
        usage: Any = next((event.get("usage") for event in reversed(events) if event.get("usage")), {})
        usage = usage if isinstance(usage, dict) else {}
        tokens = {name: count(usage.get(name)) for name in ("input_tokens", "output_tokens")}
        return Said(text=text, input_tokens=tokens["input_tokens"], output_tokens=tokens["output_tokens"])

    def check(self) -> str:
        """Its version."""
        with empty_folder() as folder:
            return self._program.run(["--version"], "", folder).output.strip()[:80]


def _event(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
