"""The smallest task there is: whether a model answers, and in the form that is asked for."""

from __future__ import annotations

from typing import Any, Final

from learnt.ports.writer import Task
from learnt.providers.writers.write import prompt

_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_MOST_TOKENS: Final = 1_000
"""Room for a model that thinks aloud before a word."""


def task() -> Task:
    """It reads nothing of anybody's."""
    return Task(
        purpose="extraction",
        name="trial",
        system=prompt("trial"),
        material="<question>Are you there?</question>",
        schema=_SCHEMA,
        max_output_tokens=_MOST_TOKENS,
    )
