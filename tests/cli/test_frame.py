"""What every command shares."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from learnt.interfaces.cli import commands, entry
from learnt.interfaces.cli.commands import SECTIONS
from learnt.model.kinds import KINDS
from tests.cli.shell import COMMAND, Shell

HEAVY = ("numpy", "re2", "sqlite3", "subprocess", "importlib.metadata")


def _commands(group: click.Group, path: str = "") -> list[tuple[str, click.Command]]:
    found = []
    for name, each in group.commands.items():
        found.append((f"{path} {name}".strip(), each))
        if isinstance(each, click.Group):
            found += _commands(each, f"{path} {name}".strip())
    return found


ALL = _commands(commands.learnt)


def test_the_help_of_remember_names_every_kind(learnt: Shell) -> None:
    """What must be given can be read before it is got wrong."""
    assert [kind for kind in KINDS if kind not in learnt("remember", "--help").out] == []


@pytest.mark.parametrize("group", ["audit", "evidence"])
def test_a_group_that_does_nothing_alone_names_its_commands(learnt: Shell, group: str) -> None:
    """In one line, also in JSON; not its whole help on one line."""
    said = learnt(group).err
    assert said.startswith(f"learnt: `learnt {group}` needs one of these behind it: ")
    assert "list" in said
    assert "Usage:" not in said
    assert "add" in learnt("evidence", "--json").error["message"]


@pytest.mark.parametrize(("path", "command"), ALL, ids=[path for path, _ in ALL])
def test_every_command_has_help_and_json(learnt: Shell, path: str, command: click.Command) -> None:
    """--help answers at once; all but the hook and pure groups take --json and --project."""
    shown = learnt(*path.split(), "--help")
    assert shown.code == 0
    assert "Usage: learnt" in shown.out
    assert command.get_short_help_str()
    options = {option for each in command.params for option in each.opts}
    if path not in {"hook", "audit"}:
        assert {"--json", "--project"} <= options


def test_help_lists_each_command_once() -> None:
    """Every command stands in exactly one section."""
    shown = [each.name for _, section in SECTIONS for each in section]
    assert sorted(map(str, shown)) == sorted(commands.learnt.commands)
    assert len(set(shown)) == len(shown)


def test_alone_it_says_what_to_do(learnt: Shell) -> None:
    """`learnt` by itself is a short, friendly help with exit 0, and --version tells the version."""
    alone = learnt()
    assert alone.code == 0
    assert "learnt demo" in alone.out
    assert learnt("--version").out.startswith("learnt ")


def test_help_is_light() -> None:
    """`learnt --help` imports nothing heavy."""
    script = (
        "import sys; from learnt.interfaces.cli.entry import run; run(['--help']);"
        f"sys.stderr.write(repr([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[]"


def test_the_engine_loads_a_flow_when_it_is_asked_for() -> None:
    """A command pays for what it uses; a flow that is not there is an error as of any module."""
    script = "import sys, learnt.engine as e; from learnt import flows; print('learnt.flows.pipeline' in sys.modules);"
    script += (
        "print(flows.pipeline.rebuild.__name__, 'learnt.flows.pipeline' in sys.modules); from learnt.flows import no"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["False", "rebuild", "True"]
    assert "ModuleNotFoundError: No module named 'learnt.flows.no'" in done.stderr


def test_answers_have_no_colour_in_a_pipe(learnt: Shell) -> None:
    """No escape sequence where standard output is no terminal."""
    learnt.remember()
    done = learnt.process("recall", "run the tests")
    assert b"TZ=UTC" in done.stdout
    assert b"\x1b" not in done.stdout + done.stderr


def test_documents_are_one_line_of_utf8(learnt: Shell) -> None:
    """Exactly one JSON document, UTF-8 whatever the locale says."""
    learnt.remember("Die Gezeiten: 潮汐 ☾", "project_fact")
    done = learnt.process("list", "--json", env={**_environment(), "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert done.stdout.count(b"\n") == 1
    assert "潮汐 ☾" in json.loads(done.stdout.decode("utf-8"))["memories"][0]["text"]


def test_words_survive_a_poor_terminal(learnt: Shell) -> None:
    """Where the locale cannot show a character the command still answers."""
    learnt.remember("Die Gezeiten: 潮汐 ☾", "project_fact")
    environment = {**_environment(), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = learnt.process("list", env=environment)
    assert done.returncode == 0, done.stderr
    assert b"Gezeiten" in done.stdout


def test_a_bug_is_reported_as_one(learnt: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever breaks inside is exit 70 with the place, never a traceback, and never the input."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the text of somebody")

    monkeypatch.setattr("learnt.engine.Engine.list", broken)
    answer = learnt("list", "--json")
    assert answer.code == 70
    assert answer.error["code"] == "bug"
    assert answer.error["details"]["error"] == "ZeroDivisionError"
    assert "somebody" not in answer.out + answer.err
    assert "Traceback" not in learnt("list").err


def test_the_console_script_is_the_module(learnt: Shell) -> None:
    """Started as a process, exit codes are the process's."""
    assert learnt.process("show", "mem_" + "0" * 16).returncode == 1
    assert learnt.process("frobnicate").returncode == 2
    assert COMMAND[0] == sys.executable


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def test_words_without_quotes_are_told_how(learnt: Shell) -> None:
    """And a host nobody knows is no host without a summary."""
    told = learnt("recall", "run", "the", "tests")
    assert (told.code, "in quotes" in told.err) == (2, True)
    unknown = learnt("memory", "view", "--host", "claud", "--json")
    assert (unknown.code, unknown.error["code"]) == (2, "unknown_host")


def test_a_break_while_a_command_loads_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """130, as at any later moment."""

    def broken(_arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "run", broken)
    monkeypatch.setattr("sys.argv", ["learnt", "status"])
    with pytest.raises(SystemExit) as left:
        entry.main()
    assert left.value.code == 130
