"""A command that failed and the changed form that then worked; and what had to be done before the same one worked."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import complaint, environment_line, error_line, looks, reads, shortened, shown
from learnt.capture.evidence import cited
from learnt.capture.intent import FORM_AT_FAULT, PROGRAM_AT_FAULT, counterpart, hinted
from learnt.capture.risk import risky
from learnt.model.anchor import INSTEAD, command_files, command_keys
from learnt.model.lesson import Lesson
from learnt.model.shell import program

if TYPE_CHECKING:
    from learnt.capture.attempt import Attempt

WITHIN: Final = 8
"""A changed form counts when it follows within so many shell calls."""
MAX_OPEN: Final = 12


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
            if not all(reads(part) for part in attempted.parts):
                self._failures.append(attempted)
            return None
        lesson = self._resolved(attempted)
        if any(not looks(part) for part in attempted.parts) or attempted.command.startswith("cd "):
            self._changes.append(attempted)
        return lesson

    def _resolved(self, worked: Attempt) -> Lesson | None:
        for failure in reversed(self._failures):
            if worked.number - failure.number > WITHIN:
                break
            same = failure.command.split() == worked.command.split()
            if same and failure.exact == worked.exact:
                self._failures.remove(failure)
                return self._remedied(failure, worked)
            pair = counterpart(failure, worked) if worked.edits == failure.edits else None
            if pair is not None:
                self._failures.remove(failure)
                return self._changed(failure, worked, *pair)
        return None

    def _changed(
        self, failure: Attempt, worked: Attempt, wrong: tuple[str, ...], right: tuple[str, ...]
    ) -> Lesson | None:
        place = failure.exact == worked.exact
        before, after = shown(failure, wrong), shown(worked, right, place=place)
        if before == after or risky(after):
            return None
        error = error_line(failure.output, self._root).rstrip(".")
        keys = command_keys(before)
        trigger = [key for key in keys if key[0] == "="]
        if PROGRAM_AT_FAULT.search(error):
            trigger = [key for key in keys if key[0] == "^"] + trigger
        elif FORM_AT_FAULT.search(error):
            trigger += [key for key in keys if key[0] == "~"]
        return self._lesson(f"`{before}` fails here: {error}. {INSTEAD}{after}`", failure, worked, tuple(trigger))

    def _remedied(self, failure: Attempt, worked: Attempt) -> Lesson | None:
        """The same command worked later without an edit: what was done in between made it work."""
        if worked.edits != failure.edits:
            return None
        between = [done for done in self._changes if failure.number < done.number < worked.number]
        cures = [part for done in between for part in done.parts if _cures(part)]
        if len({" ".join(cure) for cure in cures}) != 1 or risky(" ".join(cures[0])):
            return None
        if not environment_line(failure.output) and not hinted(failure.output, cures[0]):
            return None
        wrong = next((part for part in failure.parts if not looks(part)), failure.parts[0])
        error = error_line(failure.output, self._root).rstrip(".")
        text = f"`{shown(failure, wrong)}` fails with: {error}. It works after `{shown(between[-1], cures[-1])}`"
        trigger = tuple(key for key in command_keys(shown(failure, wrong)) if key[0] == "=")
        return self._lesson(text, failure, worked, trigger if not looks(wrong) else (), between[-1])

    def _lesson(
        self, text: str, failure: Attempt, worked: Attempt, keys: tuple[str, ...], between: Attempt | None = None
    ) -> Lesson:
        error = complaint(failure.output)
        quoted = [(failure.said, failure.written), (failure.answered, error)]
        quoted += [(between.said, between.written)] if between else []
        quoted += [(worked.said, worked.written)]
        return Lesson(
            origin="failed_then_fixed",
            kind="failure_pattern",
            text=shortened(text, 500),
            rationale="The first command ended with an error; the second, right after and without an edit, did not.",
            evidence=cited(self._session_id, quoted, "tool"),
            at=worked.at,
            tags=("failure", "tooling"),
            files=command_files(worked.command, self._root)[:4],
            trigger=tuple(("command", key) for key in keys),
            observation=True,
            confidence=0.6,
            expected_value=0.8,
        )


def _cures(part: tuple[str, ...]) -> bool:
    """Whether a command between can be what helped: it changes something, and is more than saving work."""
    if program(part) == "git" and set(part) & {"add", "commit", "push", "stash"}:
        return False
    return program(part) == "cd" or not looks(part)
