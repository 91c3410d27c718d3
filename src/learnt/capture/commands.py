"""A command that failed and the changed form that then worked; and what had to be done before the same one worked."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import READERS, environment_line, error_line, looks, shortened, shown, words_of
from learnt.capture.evidence import QUOTE_CHARS, reference_of
from learnt.capture.recipes import checks
from learnt.model.anchor import command_files, command_keys, job
from learnt.model.lesson import Lesson
from learnt.model.memory import Reference
from learnt.model.shell import program

if TYPE_CHECKING:
    from learnt.capture.attempt import Attempt

WITHIN: Final = 8
"""A changed form counts when it follows within so many shell calls."""
MAX_OPEN: Final = 12

_FAMILIES: Final = (
    frozenset({"npm", "pnpm", "yarn", "bun", "npx", "pnpx", "bunx"}),
    frozenset({"pip", "pip3", "uv", "poetry", "pipx", "pdm"}),
    frozenset({"docker", "docker-compose", "podman"}),
    frozenset({"make", "gmake", "just", "task", "mise"}),
    frozenset({"gradle", "gradlew"}),
    frozenset({"mvn", "mvnw"}),
)
_PROGRAM_AT_FAULT = re.compile(
    r"command not found|: not found|is not recognized|no module named|not installed", re.IGNORECASE
)
_FORM_AT_FAULT = re.compile(
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


class Corrections:
    """A fold over attempts: `feed` each, get the lesson it completes."""

    def __init__(self, session_id: str, root: str) -> None:
        self._session_id = session_id
        self._root = root
        self._failures: deque[Attempt] = deque(maxlen=MAX_OPEN)
        self._changes: deque[Attempt] = deque(maxlen=MAX_OPEN)

    def feed(self, attempted: Attempt) -> Lesson | None:
        """The lesson that `attempted` completes, if any."""
        if not attempted.parts:
            return None
        if attempted.failed:
            if environment_line(attempted.output) and not all(program(part) in READERS for part in attempted.parts):
                self._failures.append(attempted)
            return None
        lesson = self._resolved(attempted)
        if any(not looks(part) for part in attempted.parts) or attempted.command.startswith("cd "):
            self._changes.append(attempted)
        return lesson

    def _resolved(self, worked: Attempt) -> Lesson | None:
        for failure in reversed(self._failures):
            if worked.number - failure.number > WITHIN:
                continue
            same = failure.exact == worked.exact
            if same and " ".join(failure.command.split()) == " ".join(worked.command.split()):
                self._failures.remove(failure)
                return self._remedied(failure, worked)
            pair = _counterpart(failure, worked)
            if pair is not None and worked.edits == failure.edits:
                self._failures.remove(failure)
                return self._changed(failure, worked, *pair)
        return None

    def _changed(
        self, failure: Attempt, worked: Attempt, wrong: tuple[str, ...], right: tuple[str, ...]
    ) -> Lesson | None:
        place = failure.exact == worked.exact
        before, after = shown(failure, wrong), shown(worked, right, place=place)
        if before == after:
            return None
        error = error_line(failure.output, self._root).rstrip(".")
        keys = command_keys(before)
        trigger = [key for key in keys if key[0] == "="]
        if _PROGRAM_AT_FAULT.search(error):
            trigger = [key for key in keys if key[0] == "^"] + trigger
        elif _FORM_AT_FAULT.search(error):
            trigger += [key for key in keys if key[0] == "~"]
        return self._lesson(
            f"`{before}` fails here: {error}. What worked instead: `{after}`", failure, worked, tuple(trigger)
        )

    def _remedied(self, failure: Attempt, worked: Attempt) -> Lesson | None:
        """The same command worked later without an edit: what was done in between made it work."""
        if worked.edits != failure.edits:
            return None
        between = [done for done in self._changes if failure.number < done.number < worked.number]
        cures = [part for done in between for part in done.parts if not looks(part) and not _bookkeeping(part)]
        if len({" ".join(cure) for cure in cures}) != 1:
            return None
        wrong = next((part for part in failure.parts if not looks(part)), failure.parts[0])
        error = error_line(failure.output, self._root).rstrip(".")
        text = f"`{shown(failure, wrong)}` fails with: {error}. It works after `{shown(between[-1], cures[-1])}`"
        trigger = tuple(key for key in command_keys(shown(failure, wrong)) if key[0] == "=")
        return self._lesson(text, failure, worked, trigger if not looks(wrong) else (), between[-1])

    def _lesson(
        self, text: str, failure: Attempt, worked: Attempt, keys: tuple[str, ...], between: Attempt | None = None
    ) -> Lesson:
        writer = f"session:{self._session_id}"
        error = environment_line(failure.output)
        quoted = [(failure.said, failure.written), (failure.answered, error)]
        quoted += [(between.said, between.written)] if between else []
        quoted += [(worked.said, worked.written)]
        return Lesson(
            origin="failed_then_fixed",
            kind="failure_pattern",
            text=shortened(text, 500),
            rationale="The first command ended with an error; the second, right after and without an edit, did not.",
            evidence=tuple(
                Reference(
                    type="transcript",
                    ref=reference_of(self._session_id, span),
                    quote=quote[:QUOTE_CHARS],
                    trust="tool",
                    writer=writer,
                )
                for span, quote in quoted
            ),
            at=worked.at,
            tags=("failure", "tooling"),
            files=command_files(worked.command, self._root)[:4],
            trigger=tuple(("command", key) for key in keys),
            observation=True,
            confidence=0.6,
            expected_value=0.8,
        )


def _bookkeeping(part: tuple[str, ...]) -> bool:
    """Saving work, which cures nothing."""
    return program(part) == "git" and bool(set(part) & {"add", "commit", "push", "stash"})


def _counterpart(failure: Attempt, worked: Attempt) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The failing simple command and the one that did the same job, or None."""
    error = environment_line(failure.output).lower()
    suspects = sorted(failure.parts, key=lambda part: _suspicion(part, error), reverse=True)
    for wrong in suspects[:3]:
        for right in worked.parts:
            if not looks(wrong) and not looks(right) and _same_job(wrong, right, error):
                return wrong, right
    return None


def _related(wrong: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether the second does under another name what the first meant: the same verb, or one that holds its name."""
    meant = job(wrong)[-1]
    return job(wrong)[:2] == job(right)[:2] or any(meant in word for word in right[1:])


def _suspicion(part: tuple[str, ...], error: str) -> int:
    """How many words of a simple command its error names."""
    return sum(1 for word in part if len(word) > 2 and word.strip("'\"").lower() in error)


def _same_job(wrong: tuple[str, ...], right: tuple[str, ...], error: str) -> bool:
    first, second = program(wrong), program(right)
    here, there = set(wrong[1:]), set(right[1:])
    shared = len(here & there)
    close = shared * 2 >= len(here) or not here
    if first == second:
        if first in _VERBED:
            same = job(wrong) == job(right) or (bool(_FORM_AT_FAULT.search(error)) and _related(wrong, right))
            return same and (close or _suspicion(wrong, error) > 0)
        if checks(wrong):
            return close and wrong != right
        return close or shared > 0
    wrapped = any(first == word.strip("'\"").replace("\\", "/").rsplit("/", 1)[-1] for word in right)
    renamed = first.rstrip("0123456789.") == second.rstrip("0123456789.") and bool(first.rstrip("0123456789."))
    related = any({first, second} <= family for family in _FAMILIES)
    return (wrapped or renamed or related) and close
