"""Procedures that two sessions showed to work, as skills."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from learnt.distil.line import CUT, clipped, collapsed, fenced, line
from learnt.distil.near import gist, same
from learnt.distil.skill import DESCRIPTION_CHARS, faults, name
from learnt.model.anchor import job
from learnt.model.extraction import Skill
from learnt.model.shell import essential

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.extraction import Extraction, Fact

LEAST_SESSIONS: Final = 2
"""Source: issue of the sessions, phase 2: a procedure becomes a skill when it was seen to work in two sessions."""
LEAST_STEPS: Final = 2
"""One command is an entry, not a procedure."""
MAX_SKILLS: Final = 20
MAX_STEPS: Final = 8
_STEP_CHARS: Final = 80
_SEQUENCE = re.compile(r"`[^`]+`(?:, then `[^`]+`)+")
"""How a sequence of commands is told, here and of a session."""
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class _Seen:
    """One sequence of commands that worked in one session."""

    session: str
    at: str
    commands: tuple[str, ...]
    fact: Fact


def skills(extractions: Iterable[Extraction], rejected: Iterable[str] = ()) -> tuple[Skill, ...]:
    """Each procedure once, by name. One that a person said no to, by its steps or its description, is left out."""
    rejected = list(rejected)
    refused, refused_steps = [gist(text) for text in rejected], refusals(rejected)
    by_steps: dict[tuple[str, ...], list[_Seen]] = {}
    for seen in (each for extraction in extractions for each in _worked(extraction)):
        by_steps.setdefault(seen.commands, []).append(seen)
    proven = [
        (commands, sorted(group, key=lambda seen: (seen.session, seen.fact.id)))
        for commands, group in by_steps.items()
        if len({seen.session for seen in group}) >= LEAST_SESSIONS
        and not is_refused(commands, refused_steps, parts=True)
    ]
    longest = [
        (commands, group)
        for commands, group in proven
        if not any(_within(commands, other) for other, _ in proven if other != commands)
    ]
    longest.sort(key=lambda pair: (-len({seen.session for seen in pair[1]}), -len(pair[0]), pair[0]))
    made: dict[str, Skill] = {}
    for commands, group in longest:
        skill = _skill(commands, group, made)
        told = gist(skill.description)
        if not faults(skill) and not any(same(told, each) for each in refused) and len(made) < MAX_SKILLS:
            made[skill.name] = skill
    return tuple(made[each] for each in sorted(made))


def refusals(rejected: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The sequences of commands that rejected statements tell, as they are shown; a last `CUT` for what was cut off."""
    found = ((text, match[0]) for text in rejected if (match := _SEQUENCE.search(text)))
    return tuple((*_CODE.findall(told), *([CUT] if text.endswith(CUT) else [])) for text, told in found)


def is_refused(commands: Sequence[str], refused: Iterable[tuple[str, ...]], *, parts: bool = False) -> bool:
    """Whether a person said no to just these commands in this order; with `parts` also to more that hold them."""
    full, cut = tuple(map(collapsed, commands)), tuple(_shown(each) for each in commands)
    for told in refused:
        known = told[:-1] if told[-1] == CUT else told
        for steps in (full, cut):
            if steps == known or (len(known) < len(told) and steps[: len(known)] == known):
                return True
            if parts and _within(steps, known):
                return True
    return False


def _shown(command: str) -> str:
    return clipped(command, _STEP_CHARS)


def _worked(extraction: Extraction) -> Iterable[_Seen]:
    """The sequences of a session that worked, and every run of steps within them."""
    for fact in extraction.facts:
        steps = tuple(each for each in fact.commands[:MAX_STEPS] if each.isprintable() and each.split())
        if (
            len(steps) < len(fact.commands[:MAX_STEPS])
            or fact.section != "workflow"
            or not fact.worked
            or len(steps) < LEAST_STEPS
        ):
            continue
        runs = {
            steps[begin:end]
            for begin in range(len(steps))
            for end in range(begin + LEAST_STEPS, len(steps) + 1)
            if len(set(steps[begin:end])) == end - begin
        }
        for commands in sorted(runs):
            yield _Seen(extraction.session_id, extraction.source_updated_at, commands, fact)


def _within(inner: tuple[str, ...], outer: tuple[str, ...]) -> bool:
    return len(inner) < len(outer) and any(
        outer[at : at + len(inner)] == inner for at in range(len(outer) - len(inner) + 1)
    )


def _skill(commands: tuple[str, ...], group: Sequence[_Seen], taken: dict[str, Skill]) -> Skill:
    sessions = sorted({seen.session for seen in group})
    title = _title(commands)
    told = ", then ".join(f"`{_shown(command)}`" for command in commands)
    rows = [f"{number}. Run\n\n{_indented(fenced(command, 'sh'))}\n" for number, command in enumerate(commands, 1)]
    refs = sorted({f"session:{seen.session}#{quote.record}" for seen in group for quote in seen.fact.quotes})
    body = "\n".join(
        [
            f"# {line(title)}",
            "",
            f"Seen to work in this order in {len(sessions)} sessions (exit code 0); not reviewed. Check it against the",
            "repository before you rely on it.",
            "",
            *rows,
            f"Seen in: {', '.join(line(ref, 200) for ref in refs[:12])}",
        ]
    )
    return Skill(
        name=_free(name(title) or "procedure", taken),
        description=clipped(
            line(f"{title} after a change: {told}. Worked in {len(sessions)} sessions."), DESCRIPTION_CHARS
        ),
        body=body,
        refs=tuple(refs[:12]),
        sessions=len(sessions),
    )


def _indented(text: str) -> str:
    return "\n".join("   " + row for row in text.split("\n"))


_PURPOSES: Final = (
    (re.compile(r"\b(?:fmt|format|prettier|black|isort|gofmt|rustfmt)\b"), "format"),
    (re.compile(r"\b(?:lint|clippy|ruff|eslint|flake8|golangci-lint|vet|pylint|rubocop|shellcheck)\b"), "lint"),
    (re.compile(r"\b(?:mypy|tsc|typecheck|type-check|pyright|tsgo)\b"), "check types"),
    (re.compile(r"\b(?:tests?|pytest|jest|vitest|rspec|tox|nox|ctest|nextest|phpunit)\b"), "test"),
    (re.compile(r"\b(?:build|compile)\b"), "build"),
    (re.compile(r"\b(?:install|sync)\b"), "install"),
    (re.compile(r"\b(?:generate|codegen|gen)\b"), "generate"),
    (re.compile(r"\b(?:docs?|mkdocs|sphinx)\b"), "build docs"),
)


def _title(commands: Sequence[str]) -> str:
    """What the steps do: `Format, lint and test`; a step of no known purpose by the words of its program."""
    words = list(dict.fromkeys(map(_purpose, commands)))
    told = " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
    return told[:1].upper() + told[1:]


def _purpose(command: str) -> str:
    plain = command.lower()
    known = next((words for pattern, words in _PURPOSES if pattern.search(plain)), "")
    if known:
        return known
    stages = essential(command)
    return "run " + " ".join(job(stages[-1][0])[:3] if stages and stages[-1] else command.split()[:2])


def _free(wanted: str, taken: dict[str, Skill]) -> str:
    """A name nobody has: the wanted one, or with a number behind it."""
    found, number = wanted, 1
    while found in taken:
        number += 1
        found = f"{wanted[:60].rstrip('-')}-{number}"
    return found
