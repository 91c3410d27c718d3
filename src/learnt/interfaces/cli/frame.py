"""What every command shares: its options, its engine, its output and its exit codes. Source: contract, command line."""

from __future__ import annotations

import functools
import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec

import click

from learnt.model.answer import Refusal
from learnt.wire import answer as wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.engine import Engine
    from learnt.errors import LearntError

P = ParamSpec("P")
NEGATIVE, USAGE, REFUSED, BUG = 1, 2, 3, 70
"""Exit codes of the contract that are not an error's own."""


class Desk:
    """One invocation: whether it answers in JSON, and the engine once it is needed."""

    def __init__(self, *, as_json: bool, project: str) -> None:
        self.as_json = as_json
        self.project = project
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The engine of the project, opened on first use."""
        if self._engine is None:
            from learnt.engine import Engine
            from learnt.interfaces.cli.warnings import warn

            self._engine = Engine.open(self.project)
            warn(self._engine, self.note)
        return self._engine

    def close(self) -> None:
        """Give the engine back."""
        if self._engine is not None:
            self._engine.close()

    def note(self, text: str) -> None:
        """A line for the person, on standard error."""
        click.echo(f"learnt: {text}", err=True)

    def answer(self, document: dict[str, Any], lines: Callable[[], Iterator[str]]) -> None:
        """Print the answer: the document, or the lines made for reading."""
        if self.as_json:
            emit(document)
            return
        for line in lines():
            click.echo(line)

    def refuse(self, refusal: Refusal) -> NoReturn:
        """Print a refusal and leave with exit code 3."""
        if self.as_json:
            emit(wire.refused(refusal))
        else:
            say_error(refusal.message, refusal.hint, dict(refusal.details))
        raise click.exceptions.Exit(REFUSED)


def emit(document: dict[str, Any]) -> None:
    """Exactly one JSON document on standard output."""
    text = json.dumps(document, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None)
    data = text.encode("utf-8", "backslashreplace") + b"\n"
    click.get_binary_stream("stdout").write(data)
    click.get_binary_stream("stdout").flush()


def say_error(message: str, hint: str, details: dict[str, object]) -> None:
    """An error for a person, on standard error."""
    click.echo(f"learnt: {message}", err=True)
    for name, value in details.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        click.echo(f"  {name}: {shown}", err=True)
    if hint:
        click.echo(f"  {hint}", err=True)


def report(error: LearntError, *, as_json: bool) -> int:
    """Print an exception of ours; gives its exit code."""
    if as_json:
        emit(wire.raised(error))
    else:
        say_error(error.message, error.advice, error.details)
    return error.exit_code


def command(group: click.Group, name: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """A command of `group` with `--json` and `--project`, given a `Desk` as its first argument."""

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(*, as_json: bool, project: str, **arguments: Any) -> None:
            desk = Desk(as_json=as_json, project=project)
            try:
                function(desk, **arguments)
            finally:
                desk.close()

        options = (
            click.option("--json", "as_json", is_flag=True, help="Answer with one JSON document."),
            click.option("--project", default=".", metavar="DIR", help="The project's folder.  [default: here]"),
        )
        wrapped: Callable[..., None] = run
        for option in options:
            wrapped = option(wrapped)
        return group.command(name, **settings)(wrapped)

    return decorate
