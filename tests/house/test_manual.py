"""The manual of the command line names every command and option."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import pytest

from learnt.interfaces.cli.commands import learnt
from tests.house.source import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "reference" / "cli.md"


def _commands(command: click.Command, path: str = "learnt") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _commands(inner, f"{path} {name}")
        if not command.invoke_without_command:
            return
    yield path, command


def _section(text: str, heading: str) -> str:
    """The part of a page under a heading, to the next of the same or a higher level."""
    found = re.search(rf"^(#+) {re.escape(heading)}$(.*?)(?=^#{{1,2}} |\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(2) if found else ""


@pytest.mark.parametrize(("path", "command"), [pytest.param(*each, id=each[0]) for each in _commands(learnt)])
def test_every_command_and_option_is_documented(path: str, command: click.Command) -> None:
    """docs/reference/cli.md has a heading for each command, and names each of its options beneath it."""
    section = _section(PAGE.read_text("utf-8"), f"`{path}`")
    assert section, f"reference/cli.md has no heading `{path}`"
    missing = [
        option
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
        for option in parameter.opts
        if option.startswith("--") and option not in {"--json", "--project", "--help"} and f"`{option}" not in section
    ]
    assert not missing


def test_no_command_is_documented_that_does_not_exist() -> None:
    """Each heading of docs/reference/cli.md is a command."""
    known = {path for path, _ in _commands(learnt)}
    headings = re.findall(r"^## `(learnt [^`]+)`$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(set(headings) - known) == []
