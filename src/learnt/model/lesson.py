"""What a session may have taught, before anybody decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from learnt.model.evidence import Recipe
    from learnt.model.kinds import Kind
    from learnt.model.memory import Reference

Origin = Literal["failed_then_fixed", "churn_before_pass", "instruction", "final_note", "recipe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One statement found in a session without a model, with the spans it rests on.

    Attributes:
        text: At most 500 characters, so that it can be promoted.
        evidence: `session:ID#record` references, each with the words it rests on (verbatim, not yet redacted).
        files: Repository-relative paths.
        trigger: Anchors of the action it warns of; see `learnt.model.anchor`.
        observation: It rests only on exit codes or file writes.
        expected_value: 0 to 1, how much a person gains by looking at it.
        direct: For an instruction: a person typed it in the main thread, in a message of at most 400 characters, to
            the agent, outside pastes, quotes, code fences and our own blocks. Always False for the other origins.
        command: For a recipe: the command.
    """

    origin: Origin
    kind: Kind
    text: str
    rationale: str
    evidence: tuple[Reference, ...]
    at: str
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    trigger: tuple[tuple[str, str], ...] = ()
    observation: bool = False
    confidence: float = 0.5
    expected_value: float = 0.5
    direct: bool = False
    command: str = ""


@dataclass(frozen=True, slots=True)
class Harvest:
    """Everything one session gave: lessons, most valuable first, and the commands that worked in it."""

    lessons: tuple[Lesson, ...] = ()
    recipes: tuple[Recipe, ...] = ()
