"""A file edited again and again before the check it had to pass did pass."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import environment_line, error_line, output_lines, shortened, shown
from learnt.capture.evidence import cited
from learnt.capture.recipes import checks
from learnt.model.lesson import Lesson
from learnt.model.shell import program, proven

if TYPE_CHECKING:
    from learnt.capture.attempt import Attempt
    from learnt.model.session import Span

MIN_WRITES: Final = 3
"""Source: agent-memory seed, churned files."""
MAX_FILES: Final = 256


_SLIP = re.compile(
    r"\bundefined:|undeclared|cannot find (?:symbol|name)|is not defined|syntax ?error|declared and not used|"
    r"imported and not used|unused (?:import|variable)|no exported member|unresolved import|expected ['\"`]?[;){}\]]",
    re.IGNORECASE,
)
"""What a compiler says about a slip of the pen; it teaches something only when it comes twice."""


@dataclass(slots=True)
class _File:
    """Writes of one file since the last time everything passed."""

    writes: int = 0
    since_failure: int = 0
    last: Span | None = None
    last_write: str = ""


@dataclass(slots=True)
class _Check:
    """Failures of one check since it last passed."""

    failures: list[Attempt] = field(default_factory=list)


class Churn:
    """A fold over writes and attempts: `wrote` and `feed`; `feed` gives the lesson an attempt completes."""

    def __init__(self, session_id: str, root: str) -> None:
        self._session_id = session_id
        self._root = root
        self._files: dict[str, _File] = {}
        self._checks: dict[str, _Check] = {}

    def wrote(self, path: str, span: Span, target: str) -> None:
        """A file was written."""
        known = self._files.setdefault(path, _File())
        known.writes += 1
        known.since_failure += 1
        known.last, known.last_write = span, target
        if len(self._files) > MAX_FILES:
            del self._files[next(iter(self._files))]

    def feed(self, attempted: Attempt) -> Lesson | None:
        """The lesson that `attempted` completes, if any."""
        judging = [part for part in attempted.parts if checks(part)]
        if not judging:
            return None
        if attempted.failed:
            if not environment_line(attempted.output):
                self._failed(attempted, judging)
            return None
        passed = [part for part in proven(attempted.command) if checks(part)]
        return self._passed(passed, attempted)

    def _failed(self, attempted: Attempt, judging: list[tuple[str, ...]]) -> None:
        for part in judging:
            failures = self._checks.setdefault(_name(part), _Check()).failures
            failures.append(attempted)
            del failures[:-4]
        for known in self._files.values():
            known.since_failure = 0

    def _passed(self, passed: list[tuple[str, ...]], attempted: Attempt) -> Lesson | None:
        """The lesson of the last check in a chain that had failed before; a chain ends at what fails."""
        open_checks = [(part, self._checks.pop(_name(part), None)) for part in passed]
        part, check = next(((part, check) for part, check in reversed(open_checks) if check), ((), None))
        if check is None:
            return None
        found = [
            (known.writes, path, known)
            for path, known in self._files.items()
            if known.writes >= MIN_WRITES and known.since_failure and _blamed(path, check.failures)
        ]
        self._files.clear()
        if not found:
            return None
        writes, path, known = max(found, key=lambda entry: entry[:2])
        return self._lesson(part, attempted, check.failures, writes, path, known)

    def _lesson(
        self, part: tuple[str, ...], passed: Attempt, failures: list[Attempt], writes: int, path: str, known: _File
    ) -> Lesson | None:
        failure = failures[-1]
        line = _complaint(path, failure.output)
        error = error_line(line, self._root).removeprefix(path).lstrip(":0123456789 ")
        command = shown(passed, part)
        if not error or known.last is None or (len(failures) == 1 and _SLIP.search(error)):
            return None
        quoted = [(failure.answered, line), (known.last, known.last_write), (passed.said, passed.written)]
        return Lesson(
            origin="churn_before_pass",
            kind="test_pattern",
            text=shortened(
                f"`{path}` was edited {writes} times before `{command}` passed. Its last complaint: {error}", 500
            ),
            rationale="File writes and exit codes of one session.",
            evidence=cited(self._session_id, quoted, "tool"),
            at=passed.at,
            tags=("testing", "failure"),
            files=(path,),
            trigger=(("file", path),),
            observation=True,
            confidence=0.5,
            expected_value=0.45,
        )


def _name(part: tuple[str, ...]) -> str:
    """What makes two runs the same check: program and verbs, whatever was selected."""
    fixed = [word for word in part[1:4] if not word.startswith("-") and "/" not in word and "." not in word]
    return " ".join([program(part), *fixed[:2]])


def _stem(path: str) -> str:
    """A file's name without extension and test marks: `explain_test.go` and `explain.go` are one."""
    name = path.rsplit("/", 1)[-1]
    stem = name.split(".", 1)[0]
    return stem.removeprefix("test_").removesuffix("_test").removesuffix("Test").removesuffix("_spec")


def _blamed(path: str, failures: list[Attempt]) -> bool:
    """Whether the last failure names the file itself, or two failures in a row name its test."""
    name = path.rsplit("/", 1)[-1]
    if name in failures[-1].output:
        return True
    stem = _stem(path)
    return len(failures) > 1 and all(stem in failure.output for failure in failures[-2:])


def _complaint(path: str, output: str) -> str:
    """The line of an output that complains about a file, else its error line."""
    name = path.rsplit("/", 1)[-1]
    lines = output_lines(output)
    named = [line for line in lines if name in line and (":" in line or "error" in line.lower())]
    return named[0] if named else error_line(output)
