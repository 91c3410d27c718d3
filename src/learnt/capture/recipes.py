"""Commands that worked and are worth knowing: how this repository is tested, built, checked and run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import looks, shown, words_of
from learnt.capture.evidence import reference_of
from learnt.model.anchor import command_keys
from learnt.model.evidence import Recipe
from learnt.model.shell import program, proven

if TYPE_CHECKING:
    from learnt.capture.attempt import Attempt

MAX_RECIPES: Final = 40
_COMMAND_CHARS: Final = 200

_CHECKERS: Final = words_of(
    """
    pytest tox nox jest vitest mocha ava karma playwright cypress mypy pyright ruff flake8 pylint
    black isort tsc eslint prettier biome golangci-lint staticcheck clippy rubocop rspec phpunit
    phpstan ctest ninja shellcheck hadolint gotestsum pre-commit ktlint swiftlint stylelint
    basedpyright gradle gradlew mvn mvnw make just tsgo
    """
)
_VERBS: Final = {
    "go": "test build vet generate run",
    "cargo": "test build check clippy fmt run nextest bench",
    "npm": "test run ci",
    "pnpm": "test run build lint install exec",
    "yarn": "test run build lint install",
    "bun": "test run install",
    "uv": "run sync",
    "poetry": "run install",
    "pdm": "run install",
    "hatch": "run test",
    "mise": "run install",
    "task": "",
    "deno": "test task run check lint",
    "dotnet": "test build run",
    "mix": "test compile format",
    "rake": "",
    "bundle": "exec install",
    "rails": "test",
    "swift": "test build",
    "flutter": "test analyze",
    "docker": "compose build",
    "cmake": "--build",
    "zig": "build test",
    "sbt": "test compile",
    "npx": "",
    "uvx": "",
}
_MODULES: Final = words_of("pytest unittest mypy ruff black tox nox build pip flake8 pylint")
_SELECTION: Final = ("-run", "-k", "-t", "--grep", "--testNamePattern", "--filter", "-g", "--tests")
_TEST_WORDS: Final = (
    "test",
    "lint",
    "check",
    "vet",
    "clippy",
    "mypy",
    "tsc",
    "build",
    "fmt",
    "format",
    "ruff",
    "eslint",
)


def worth(words: tuple[str, ...]) -> bool:
    """Whether a simple command tests, builds, checks or runs the repository, as a whole rather than one picked test."""
    name = program(words)
    if looks(words) or any(word.split("=", 1)[0] in _SELECTION or "::" in word for word in words[1:]):
        return False
    if name in _CHECKERS:
        return True
    if name in _VERBS:
        verb = words[1] if len(words) > 1 else ""
        return bool(verb) and (not _VERBS[name] or verb in _VERBS[name].split())
    if name.startswith("python"):
        return len(words) > 2 and words[1] == "-m" and words[2] in _MODULES
    return words[0].startswith(("./scripts/", "scripts/", "./script/", "./bin/", "./ci/", "./tools/"))


def checks(words: tuple[str, ...]) -> bool:
    """Whether a simple command judges code: its failure is about the code, unless its output says otherwise."""
    name = program(words)
    if name in _CHECKERS and name not in {"make", "just", "gradle", "gradlew", "mvn", "mvnw"}:
        return True
    if name.startswith("python"):
        return len(words) > 2 and words[1] == "-m" and words[2] in _MODULES - {"pip", "build"}
    known = name in _VERBS or name in _CHECKERS
    return known and any(mark in word for word in words[1:4] for mark in _TEST_WORDS)


class Recipes:
    """A fold over attempts: `feed` each, then read `found`."""

    def __init__(self, session_id: str, commit: str, root: str) -> None:
        self._session_id = session_id
        self._commit = commit
        self._root = root
        self._found: dict[str, Recipe] = {}

    @property
    def found(self) -> tuple[Recipe, ...]:
        """Each command once, in order of first success."""
        return tuple(self._found.values())

    def feed(self, attempted: Attempt) -> None:
        """Note what an attempt proves. Only an exit code of 0 proves anything."""
        if attempted.failed:
            return
        for words in proven(attempted.command):
            if not worth(words) or len(" ".join(words)) > _COMMAND_CHARS:
                continue
            command = shown(attempted, words)
            keys = command_keys(command)
            if not keys or "\u2026" in command:
                continue
            if keys[0] not in self._found and len(self._found) < MAX_RECIPES:
                self._found[keys[0]] = Recipe(
                    key=keys[0],
                    command=command,
                    session_id=self._session_id,
                    commit=self._commit,
                    ref=reference_of(self._session_id, attempted.said),
                    at=attempted.at,
                )
