"""What every command shares: its options, its engine, its output and its exit codes. Source: contract, command line."""

from __future__ import annotations

import functools
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from learnt.errors import ConfigError, StoreError, UsageError
from learnt.wire import answer as wire
from learnt.wire.terminal import line as one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from learnt.bootstrap import Home
    from learnt.engine import Engine
    from learnt.errors import LearntError
    from learnt.model.answer import Refusal

NEGATIVE, USAGE, REFUSED, BUG = 1, 2, 3, 70
"""Exit codes of the contract that are not an error's own."""


def _no_folder(named: str, path: Path) -> UsageError:
    """What is said of a project that is not there; what a person could have meant is named."""
    from difflib import get_close_matches

    if not named:
        return UsageError("No folder is named.", code="no_folder", hint="Leave `--project` out for the current one.")
    what = "no folder" if path.exists() else "not there"
    there = next(parent for parent in path.parents if parent.is_dir())
    with suppress(OSError):
        folders = [each.name for each in there.iterdir() if each.is_dir()]
        if near := get_close_matches(path.relative_to(there).parts[0], folders, 1):
            return UsageError(f"{named} is {what}.", code="no_folder", hint=f"Did you mean {there / near[0]}?")
    return UsageError(f"{named} is {what}.", code="no_folder", hint=f"The nearest folder that is there: {there}")


class Desk:
    """One invocation: whether it answers in JSON, and the engine once it is needed.

    Attributes:
        environment: The process's, with what options of this command say about who and where.
    """

    def __init__(self, *, as_json: bool, project: str, environment: Mapping[str, str] | None = None) -> None:
        self.as_json = as_json
        self.project = project
        self.environment: dict[str, str] = dict(os.environ if environment is None else environment)
        self._engine: Engine | None = None

    @property
    def home(self) -> Home:
        """Where this user's things live."""
        from learnt.bootstrap import Home

        return Home(self.environment)

    @property
    def folder(self) -> str:
        """The folder this is about.

        Raises:
            UsageError: It is the current one, and that is gone; there is no such folder; or its name is no text.
        """
        try:
            path = Path(self.project).absolute()
        except OSError:
            raise UsageError("The current folder is gone.", code="no_folder", hint="Go to one that is there.") from None
        if not self.project or not path.is_dir():
            raise _no_folder(self.project, path)
        if not str(path).isascii() and str(path).encode("utf-8", "replace").decode() != str(path):
            raise UsageError("The name of this folder is not UTF-8.", code="folder_name", hint="Give it another name.")
        return str(path)

    @property
    def engine(self) -> Engine:
        """The engine of the project, opened on first use."""
        if self._engine is None:
            from learnt.engine import Engine
            from learnt.interfaces.cli.drift import warn

            self._engine = Engine.open(self.folder, home=self.home)
            warn(self._engine, self.note)
        return self._engine

    def close(self) -> None:
        """Give the engine back."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    @property
    def asks(self) -> bool:
        """Whether a person can be asked something: both ends are a terminal and the answer is no document."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    def note(self, text: str) -> None:
        """A line for the person, on standard error."""
        click.echo(f"learnt: {one_line(text)}", err=True)

    def answer(self, document: Mapping[str, Any], lines: Callable[[], Iterable[str]]) -> None:
        """Print the answer: the document, or the lines made for reading."""
        if self.as_json:
            emit(document)
            return
        say(lines())

    def refuse(self, refusal: Refusal) -> NoReturn:
        """Print a refusal and leave with exit code 3."""
        if self.as_json:
            emit(wire.refused(refusal))
        else:
            say_error(refusal.message, refusal.hint, refusal.details)
        raise click.exceptions.Exit(REFUSED)

    def need_person(self, what: str) -> None:
        """Refuse where an agent started this process. Source: contract, who is a person."""
        from learnt.bootstrap.assembly import is_person

        if not is_person(self.environment):
            from learnt.model.answer import Refusal

            self.refuse(
                Refusal(
                    code="person_required",
                    message=f"{what} is for a person; an agent started this process.",
                    hint="Run it in a shell of your own.",
                )
            )


def say(lines: Iterable[str]) -> None:
    """Lines for a person on standard output; colour only on a terminal that did not decline it."""
    colour = False if os.environ.get("NO_COLOR") else None
    try:
        for each in lines:
            click.echo(each, color=colour)
    except OSError as error:
        raise _unwritten(error) from None


def emit(document: Mapping[str, Any]) -> None:
    """Exactly one JSON document on standard output."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2 if sys.stdout.isatty() else None)
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(_valid(text).encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _unwritten(error) from None


def _unwritten(error: OSError) -> Exception:
    """What to raise when standard output fails: a reader that left is passed on, a full disk is told."""
    if isinstance(error, BrokenPipeError):
        return error
    silence()
    message = f"The answer cannot be written: {error.strerror}."
    return ConfigError(message, code="not_written", hint="What the command did is done.")


def silence() -> None:
    """Send standard output to nowhere, so that nothing fails once more when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _valid(text: str) -> str:
    """JSON text that UTF-8 can hold: a half character stays as its escape."""
    if text.isascii():
        return text
    return "".join(f"\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text)


def say_error(message: str, hint: str, details: Mapping[str, object]) -> None:
    """An error for a person, on standard error."""
    click.echo(f"learnt: {one_line(message)}", err=True)
    for name, value in details.items():
        if value in ("", None, (), []):
            continue
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        click.echo(f"  {name}: {one_line(shown)}", err=True)
    if hint:
        click.echo(f"  {one_line(hint)}", err=True)


def report(error: LearntError, *, as_json: bool) -> int:
    """Print an exception of ours; gives its exit code."""
    unattended(error.message, again=isinstance(error, StoreError))
    if as_json and error.error_code != "not_written":
        emit(wire.raised(error))
    else:
        say_error(error.message, error.advice, error.details)
    return error.exit_code


def asked_for(environment: Mapping[str, str]) -> bool:
    """Whether somebody gave this command, and no hook."""
    from learnt.interfaces.hook import end

    return not environment.get(end.MARK)


def unattended(fault: str, *, again: bool = False) -> None:
    """Note a fault where `learnt status` finds it, when a hook started this process and nobody reads its answer.

    Args:
        again: What was to be captured may be tried again soon: a store that did not answer may answer then.
    """
    from learnt.interfaces.hook import end, gap

    if os.environ.get(end.MARK) and (home := os.environ.get("LEARNT_HOME")):
        gap.record(home, "capture", fault)
        if again:
            with suppress(OSError):  # no lock, nothing to give back
                end.give_back(home)


def shared_options() -> list[click.Parameter]:
    """The options every command has, last in its help."""
    return [
        click.Option(["--json", "as_json"], is_flag=True, help="Answer with one JSON document."),
        click.Option(["--project"], default=".", metavar="DIR", help="The project's folder.  [default: here]"),
    ]


def command(name: str, *, short_help: str) -> Callable[[Callable[..., None]], click.Command]:
    """A command with `--json` and `--project`, given a `Desk` as its first argument."""

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(*, as_json: bool, project: str, **arguments: Any) -> None:
            above = getattr(click.get_current_context().parent, "params", {})  # `learnt sessions --json list`
            as_json = as_json or bool(above.get("as_json"))
            desk = Desk(as_json=as_json, project=above.get("project", ".") if project == "." else project)
            try:
                function(desk, **arguments)
            finally:
                desk.close()

        made = click.command(name, short_help=short_help)(run)
        made.params.extend(shared_options())
        return made

    return decorate
