"""The manual of the command line names every command and option."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from tests.house.source import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "reference" / "cli.md"


def _commands(command: click.Command, path: str = "learnt") -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _commands(inner, f"{path} {name}")
    if path != "learnt" and not (isinstance(command, click.Group) and not command.invoke_without_command):
        yield path, command


def _section(text: str, heading: str) -> str:
    """The part of a page under a heading, to the next of the same or a higher level."""
    found = re.search(rf"^(#+) {re.escape(heading)}$(.*?)(?=^#{{1,2}} |\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(2) if found else ""


def _root() -> click.Command:
    from learnt.interfaces.cli.commands import learnt

    return learnt


def test_every_command_and_option_is_documented() -> None:
    """docs/reference/cli.md has a heading for each command, and names each of its options beneath it."""
    page = PAGE.read_text("utf-8")
    missing = []
    for path, command in _commands(_root()):
        section = _section(page, f"`{path}`")
        wanted = [option for option in _options(command) if f"`{option}" not in section]
        missing += [f"{path} {option}" for option in wanted] if section else [path]
    assert not missing


def _options(command: click.Command) -> list[str]:
    everywhere = {"--json", "--project", "--help"}
    shown = (each for each in command.params if isinstance(each, click.Option) and not each.hidden)
    return [name for option in shown for name in option.opts if name.startswith("--") and name not in everywhere]


def test_no_command_is_documented_that_does_not_exist() -> None:
    """Each heading of docs/reference/cli.md is a command."""
    known = {path for path, _ in _commands(_root())}
    headings = re.findall(r"^## `(learnt [^`]+)`$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(set(headings) - known) == []
