"""Whether two shell calls meant the same job, and whether the second says what was wrong with the first."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import blamed_line, conflicts, looks, output_lines, words_of
from learnt.capture.recipes import checks
from learnt.model.anchor import job
from learnt.model.shell import bare, program, simple

if TYPE_CHECKING:
    from learnt.capture.attempt import Attempt

Words = tuple[str, ...]

_FAMILIES: Final = (
    frozenset({"npm", "pnpm", "yarn", "bun", "npx", "pnpx", "bunx"}),
    frozenset({"pip", "pip3", "uv", "poetry", "pipx", "pdm"}),
    frozenset({"docker", "docker-compose", "podman"}),
    frozenset({"make", "gmake", "just", "task", "mise"}),
    frozenset({"gradle", "gradlew"}),
    frozenset({"mvn", "mvnw"}),
)
PROGRAM_AT_FAULT = re.compile(
    r"command not found|: not found|is not recognized|no module named|not installed", re.IGNORECASE
)
FORM_AT_FAULT = re.compile(
    r"(?:unknown|unrecognized|invalid|illegal|unexpected) (?:flag|option|shorthand|argument|command|subcommand)|"
    r"flag provided but not defined|missing script|no such (?:option|command|subcommand)|requires? ",
    re.IGNORECASE,
)
_VERBED: Final = words_of(
    """
    git go npm pnpm yarn bun cargo docker kubectl helm uv pip poetry gh terraform dotnet bundle
    rails mix apt brew
    """
)


def counterpart(failure: Attempt, worked: Attempt) -> tuple[Words, Words] | None:
    """The failing simple command and the one that did the same job in another form, or None.

    One of three must say that the form was at fault: the output blames the command or its place; the output names the
    command that then worked; or the second only adds to the first (an assignment, a folder, and for what judges no code
    an option).
    """
    momentary, error, _ = _read(failure.output)
    if momentary:
        return None
    suspects = sorted(failure.parts, key=lambda part: _suspicion(part, error), reverse=True)
    for wrong in suspects[:3]:
        for right in worked.parts:
            if looks(wrong) or looks(right):
                continue
            if (error and _same_job(wrong, right, error)) or _adds(failure, worked, wrong, right):
                return wrong, right
            if hinted(failure.output, right) and _akin(wrong, right):
                return wrong, right
    return None


@lru_cache(maxsize=64)
def _read(output: str) -> tuple[bool, str, str]:
    """Of a failure's output, once: whether it tells of conflicts, the line that blames the environment, and itself.

    The last two in lower case. A failure is held against every success that follows it, so this is asked often.
    """
    momentary = conflicts(output)
    return momentary, "" if momentary else blamed_line(output).lower(), output.lower()


_ADVICE = re.compile(r"\b(?:use|run|try|say|type|execute|instead|need|to add it)\b", re.IGNORECASE)


def hinted(output: str, words: Words) -> bool:
    """Whether a failure's output advises the command that then worked (`run pnpm install first`).

    A line that a script runner echoes (`> npm run build`) advises nothing.
    """
    named = " ".join(job(words) if len(job(words)) > 1 else words[:2]).lower()
    if len(words) < 2 or len(named) < 6 or named not in _read(output)[2]:
        return False
    for line in output_lines(output):
        before, found, _ = line[:400].lower().partition(named)
        if found and _ADVICE.search(before[-40:]) and not line.startswith((">", "$", "+")):
            return True
    return False


def _akin(wrong: Words, right: Words) -> bool:
    """Whether two commands can stand for one another: the same program or verb, or of one family."""
    first, second = program(wrong), program(right)
    same_verb = len(wrong) > 1 and len(right) > 1 and job(wrong)[-1] == job(right)[-1] and job(wrong)[-1] in wrong[1:]
    return first == second or same_verb or any({first, second} <= family for family in _FAMILIES)


def _adds(failure: Attempt, worked: Attempt, wrong: Words, right: Words) -> bool:
    """Whether the second is the first with something added that can only concern how it runs."""
    if job(wrong) != job(right) or len(failure.parts) > 1 or len(worked.parts) > 1:
        return False
    before, after = _dressing(failure, wrong), _dressing(worked, right)
    if wrong == right:
        return before < after
    added = [word for word in right if word not in wrong]
    optional = bool(added) and all(word.startswith("-") for word in added[:1]) and not checks(wrong)
    return optional and set(wrong) < set(right) and before <= after


def _dressing(attempted: Attempt, part: Words) -> frozenset[str]:
    """Assignments before a simple command, and the folder it was moved to."""
    written = [words for words, _ in simple(attempted.command)]
    own = next((words for words in written if bare(words) == part), part)
    moves = [" ".join(words) for words in written if words and words[0] == "cd"]
    return frozenset([word for word in own[: len(own) - len(part)] if "=" in word] + moves)


def _related(wrong: Words, right: Words) -> bool:
    """Whether the second does under another name what the first meant: the same verb, or one that holds its name."""
    meant = job(wrong)[-1]
    return job(wrong)[:2] == job(right)[:2] or any(meant in word for word in right[1:])


def _suspicion(part: Words, error: str) -> int:
    """How many words of a simple command its error names."""
    return sum(1 for word in part if len(word) > 2 and word.strip("'\"").lower() in error)


def _same_job(wrong: Words, right: Words, error: str) -> bool:
    first, second = program(wrong), program(right)
    here, there = set(wrong[1:]), set(right[1:])
    shared = len(here & there)
    close = shared * 2 >= len(here) or not here
    if first == second:
        if first in _VERBED:
            same = job(wrong) == job(right) or (bool(FORM_AT_FAULT.search(error)) and _related(wrong, right))
            return same and (close or _suspicion(wrong, error) > 0)
        if checks(wrong):
            return close or _suspicion(wrong, error) > 0
        return close or shared > 0
    wrapped = any(first == word.strip("'\"").replace("\\", "/").rsplit("/", 1)[-1] for word in right)
    renamed = first.rstrip("0123456789.") == second.rstrip("0123456789.") and bool(first.rstrip("0123456789."))
    related = any({first, second} <= family for family in _FAMILIES)
    return (wrapped or renamed or related) and close
