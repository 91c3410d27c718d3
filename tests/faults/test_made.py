"""A little of every fault of `python -m faults`; the whole takes minutes and is for whoever changes a store."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from faults import __main__ as program
from faults.contention import anomalies
from faults.verdict import SMALL

if TYPE_CHECKING:
    from pathlib import Path

    Done = dict[str, object]


@pytest.mark.parametrize("name", program.NAMES)
def test_what_must_hold_holds(name: str) -> None:
    """No violation of any sort."""
    if name == "disk" and not sys.platform.startswith("linux"):
        pytest.skip("the shim preloads into Linux processes")
    for verdict in program.verdicts([name], SMALL):
        assert verdict.met, "\n".join(program.lines(verdict))


def test_a_lost_append_is_seen() -> None:
    """The check of histories is no rubber stamp: a lost update, a foreign value and a circle are told."""
    one: Done = {"name": "a", "steps": [("append", 0, "x")]}
    two: Done = {"name": "b", "steps": [("append", 0, "y")]}
    lost: list[Done] = [
        one,
        two,
        {"name": "c", "steps": [("read", 0, ["x"])]},
        {"name": "d", "steps": [("read", 0, ["y"])]},
    ]
    assert any("no other read" in what for what in anomalies(lost))
    assert any("nobody appended" in what for what in anomalies([{"name": "c", "steps": [("read", 0, ["z"])]}]))
    first: Done = {"name": "a", "steps": [("append", 0, "x"), ("read", 1, ["y"])]}
    second: Done = {"name": "b", "steps": [("append", 1, "y"), ("read", 0, ["x"])]}
    assert any("circle" in what for what in anomalies([first, second]))


def test_the_table_is_also_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One row a fault, and `--json` writes them; an unknown name is an error of usage."""
    code = program.main(["leases", "--small", "--json", str(tmp_path / "faults.json")])
    verdict, _ = json.loads((tmp_path / "faults.json").read_text())
    assert (code, verdict["bar"], verdict["met"], verdict["tried"]) == (0, "C4", True, SMALL.runs)
    assert "C4" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        program.main(["nonsense"])
