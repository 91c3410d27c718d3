"""Which lessons become memories without a person, and which wait for one. Pure.

Two doors only. (a) A person's own instruction, where the person agreed at `init` that instructions are taken over.
(b) A command recipe that two sessions at different commits proved by exit code 0, and that can do no harm. Everything
else is a proposal. Source: issue of the spine, capture, rules (a) and (b).

What the flow supplies: `commit` of a recipe. Transcripts of some hosts (Claude Code) hold no commit hash, so the flow
asks git for the one that was checked out: `rev-parse HEAD` for a session that just ended, `log -1 --before=<time of
the success> --format=%H <branch>` for an older one. It leaves the commit empty where git cannot say; such a sighting
never counts. The flow also runs the gate over every accepted text, and counts what it accepted in a session.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from learnt.capture.recipes import checks
from learnt.capture.risk import danger
from learnt.model.lesson import Lesson
from learnt.model.memory import Reference
from learnt.model.shell import pipelines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from learnt.model.evidence import Recipe
    from learnt.model.session import Header

MAX_INSTRUCTIONS: Final = 3
"""Accepted of one session. Source: issue of the spine, rule (a)."""
INSTRUCTION_CHARS: Final = 400


@dataclass(frozen=True, slots=True)
class Ruling:
    """What happens to a lesson, and why, in words a person reads beside it."""

    action: Literal["accept", "propose", "drop"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the flow knows beside the session.

    Attributes:
        instructions_granted: `init` asked, and the person wants instructions taken over.
        accepted: Instructions of this session accepted so far.
    """

    instructions_granted: bool = False
    accepted: int = 0


def judge(lesson: Lesson, header: Header, known: Known) -> Ruling:
    """The ruling on one lesson of the session `header` describes."""
    if not lesson.text.strip() or not any(reference.quote for reference in lesson.evidence):
        return Ruling("drop", "nothing in the session supports it")
    if lesson.origin == "instruction":
        return _instruction(lesson, header, known)
    if lesson.origin == "recipe":
        risk = danger(lesson.command)
        if risk:
            return Ruling("propose", f"a command that {risk} is never accepted without a person")
        return Ruling("accept", "two sessions at different commits proved this command by exit code 0")
    return Ruling("propose", "waits for a person")


def _instruction(lesson: Lesson, header: Header, known: Known) -> Ruling:
    if header.sidechain or header.agent_id:
        return Ruling("drop", "a sub-agent was told this, by an agent")
    missing = (
        (known.instructions_granted, "instructions are taken over only where `learnt init` was told so"),
        (header.interactive, "nothing shows that a person sat in front of this session"),
        (lesson.direct, "not typed by the person alone in a message of at most 400 characters"),
        (len(lesson.text) <= INSTRUCTION_CHARS, "longer than 400 characters"),
        (known.accepted < MAX_INSTRUCTIONS, "three instructions of this session were accepted already"),
    )
    for fulfilled, reason in missing:
        if not fulfilled:
            return Ruling("propose", reason)
    return Ruling("accept", "a person's own instruction")


def agreed(sightings: Sequence[Recipe]) -> tuple[Recipe, Recipe] | None:
    """The earliest two sightings of one command from different sessions at different known commits, or None.

    Cost: grows with the sightings, and with the square of the commits only until two of them differ.
    """
    telling = list(_telling(sightings))
    for at, first in enumerate(telling):
        for second in telling[at + 1 :]:
            if (
                (first.key, first.command) == (second.key, second.command)
                and first.session_id != second.session_id
                and _differ(first.commit, second.commit)
            ):
                return first, second
    return None


def _telling(sightings: Sequence[Recipe]) -> Iterator[Recipe]:
    """Of one command at one commit the first sighting and the first of another session: no other is in that pair."""
    seen: dict[tuple[str, str, str], set[str]] = {}
    for each in sightings:
        sessions = seen.setdefault((each.key, each.command, each.commit), set())
        if each.session_id not in sessions and len(sessions) < 2:
            sessions.add(each.session_id)
            yield each


def _differ(one: str, other: str) -> bool:
    """Whether two commits are known and not the same, a short hash standing for the long one it begins."""
    if len(one) < 7 or len(other) < 7:
        return False
    return not (one.lower().startswith(other.lower()) or other.lower().startswith(one.lower()))


def recipe_lesson(sightings: Sequence[Recipe]) -> Lesson | None:
    """The lesson of a command that two sessions at different commits proved; None before that."""
    pair = agreed(sightings)
    if pair is None:
        return None
    second = pair[1]
    purpose = _purpose(second.command)
    return Lesson(
        origin="recipe",
        kind="repo_convention",
        text=f"`{second.command}` {purpose} in this repository.",
        rationale="It ended with exit code 0 in two sessions at different commits.",
        evidence=tuple(
            Reference(
                type="transcript",
                ref=seen.ref,
                quote=seen.command,
                trust="tool",
                writer=f"session:{seen.session_id}",
            )
            for seen in pair
        ),
        at=second.at,
        tags=("tooling", "testing") if purpose.startswith("runs the tests") else ("tooling",),
        observation=True,
        confidence=0.8,
        expected_value=0.6,
        command=second.command,
    )


_PURPOSES: Final = (
    (re.compile(r"\b(?:lint|clippy|ruff|eslint|flake8|golangci-lint|vet|pylint|rubocop)\b"), "checks the code style"),
    (re.compile(r"\b(?:fmt|format|prettier|black|isort|gofmt)\b"), "formats the code"),
    (re.compile(r"\b(?:mypy|tsc|typecheck|type-check|pyright|tsgo)\b"), "checks the types"),
    (re.compile(r"\b(?:tests?|pytest|jest|vitest|rspec|tox|nox|ctest|nextest|phpunit)\b"), "runs the tests"),
    (re.compile(r"\b(?:build|compile)\b"), "builds"),
    (re.compile(r"\b(?:install|sync|ci)\b"), "installs what is needed"),
)


def _purpose(command: str) -> str:
    plain = command.lower()
    found = next((words for pattern, words in _PURPOSES if pattern.search(plain)), "")
    if found:
        return found
    judging = any(checks(words) for stages in pipelines(command) for words in stages)
    return "checks the code" if judging else "works"
