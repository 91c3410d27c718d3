"""At a terminal: questions, colour, width."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.shell import COMMAND, Shell

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
_QUIET_S = 20


def _typed(words: Sequence[str], answers: Sequence[str] = ()) -> tuple[int, str]:
    """Run a command at a terminal; each answer is typed once a question (a line ending in `: `) stands there."""
    ours, theirs = os.openpty()
    process = subprocess.Popen([*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    shown, left = b"", list(answers)
    while select.select([ours], [], [], _QUIET_S)[0]:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
        if left and shown.endswith(b": "):
            os.write(ours, left.pop(0).encode() + b"\n")
    os.close(ours)
    return process.wait(timeout=_QUIET_S), shown.decode("utf-8")


def test_init_asks_before_it_writes(learnt: Shell) -> None:
    """A no changes nothing and is exit 1; a yes asks about instructions, whose default is no."""
    code, shown = _typed(("init", "--host", "claude-code"), ("n",))
    assert code == 1
    assert "SessionStart" in shown
    assert [path for path in learnt.root.rglob("*") if path.is_file()] == []
    code, shown = _typed(("init", "--host", "claude-code"), ("y", ""))
    assert code == 0
    assert "without a review" in shown
    assert learnt.json("init", "--host", "claude-code")["accept_instructions"] is False


def test_an_instruction_may_be_allowed_at_the_terminal(learnt: Shell) -> None:
    """A yes is recorded, and is the default of the next time; uninit asks, too."""
    assert _typed(("init", "--host", "claude-code"), ("y", "y"))[0] == 0
    assert learnt.json("init", "--host", "claude-code")["accept_instructions"] is True
    assert _typed(("uninit",), ("n",))[0] == 1
    assert learnt.settings.exists()
    assert _typed(("uninit", "--yes"))[0] == 0
    assert not learnt.settings.exists()


def test_nobody_is_asked_with_json_or_yes(learnt: Shell) -> None:
    """`--json` and `--yes` ask nothing at a terminal."""
    assert _typed(("init", "--host", "claude-code", "--json"))[0] == 0
    assert _typed(("init", "--host", "claude-code", "--yes"))[0] == 0


def test_colour_is_for_terminals_that_want_it(learnt: Shell) -> None:
    """Escape sequences at a terminal, none with NO_COLOR, and none of a memory's own."""
    learnt.remember()
    assert "\x1b[" in _typed(("recall", "run the tests"))[1]
    learnt.monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in _typed(("recall", "run the tests"))[1]


def test_clearing_asks_first(learnt: Shell) -> None:
    """A memory that a person wrote goes with the others, and nothing brings it back."""
    learnt.json("remember", "The harbour uses uv.", "--kind", "repo_convention")
    code, shown = _typed(("memory", "clear"), ("n",))
    assert (code, "memories too?" in shown) == (130, True)
    assert learnt.json("list")["total"] == 1
    assert _typed(("memory", "clear", "--yes"))[0] == 0
    assert learnt.json("list")["total"] == 0
