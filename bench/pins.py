"""Pins: what a check of five hundred costs, and how well it tells standing code from changed code.

Speed: 500 files of 300 lines, each with one pin of 21 lines; read anew (as a command does), and looked at again by a
process that has them. Quality: findings about lines of a real repository, where they are at hand: each is written as a
memory with its reference to the file as it was, the file is replaced by the later one, and the engine is asked.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.figure import Figure
from learnt.bootstrap import Home
from learnt.bootstrap.tree import Tree
from learnt.engine import Engine
from learnt.model.view import View
from learnt.stale import take
from learnt.stale.match import compare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from learnt.model.pin import Pin

ANCHORS = Path(__file__).parents[2] / "shared" / "data" / "entire-anchors"
PINS, LINES, RANGE, SEED = 500, 300, 20, 7
ROUNDS = 15
FRESH = {"intact", "moved"}


def figures() -> Iterator[Figure]:
    """Cost and quality."""
    with tempfile.TemporaryDirectory() as folder:
        pins = _written(Path(folder))
        new, warm = _timed(lambda: Tree(folder), pins), Tree(folder)
        yield _cost("a check of 500 pins, files read anew", new, 50)
        yield _cost("the same with the files known", _timed(lambda: warm, pins), None)
        for path in Path(folder).glob("*.py"):
            path.write_text("# a new first line\n" + path.read_text())
        yield _cost("the same, every file with a new first line", _timed(lambda: Tree(folder), pins), 50)
    if ANCHORS.is_dir():
        yield from _quality()


def _cost(name: str, milliseconds: float, limit: float | None) -> Figure:
    return Figure(name, milliseconds, "ms", limit, conditions=f"{PINS} files of {LINES} lines, CPU, {ROUNDS} rounds")


def _written(folder: Path) -> list[Pin]:
    pick = random.Random(SEED)
    tree, pins = Tree(str(folder)), []
    for number in range(PINS):
        path = folder / f"m{number}.py"
        path.write_text("".join(f"    line_{at} = {pick.random()}\n" for at in range(LINES)))
        os.utime(path, (1, 1))
        view, line = tree.look(path.name), pick.randrange(1, LINES - RANGE)
        assert isinstance(view, View)
        pins.append(take.lines(path.name, view, line, line + RANGE, ""))
    return pins


def _timed(opened: Callable[[], Tree], pins: list[Pin]) -> float:
    times = []
    for _ in range(ROUNDS):
        tree, begin = opened(), time.process_time()
        for pin in pins:
            compare(pin, tree.look(pin.path))
        times.append((time.process_time() - begin) * 1_000)
    return statistics.median(times)


def _quality() -> Iterator[Figure]:
    rows = [json.loads(line) for line in (ANCHORS / "anchors.jsonl").read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        states = _states(rows, Path(folder))
    stale = [states[row["id"]] for row in rows if row["status"] != "intact"]
    intact = [states[row["id"]] for row in rows if row["status"] == "intact"]
    edited = [states[row["id"]] for row in rows if row["status"] == "intact" and row["file_changed"]]
    yield _share("stale found", sum(state not in FRESH for state in stale), stale, 0.95, ">=")
    yield _share("false alarms on intact lines", sum(state not in FRESH for state in intact), intact, 0.05, "<=")
    yield _share("the same where other lines changed", sum(s not in FRESH for s in edited), edited, 0.02, "<=")


def _share(name: str, hits: int, of: list[str], limit: float, better: Any) -> Figure:
    return Figure(name, hits / len(of), "", limit, better, "share", f"{len(of)} findings, memories by the engine")


def _states(rows: list[dict[str, Any]], folder: Path) -> dict[str, str]:
    """The state the engine gives each finding, each in a folder of its own."""
    project = folder / "project"
    home = Home({"HOME": str(folder), "LEARNT_HOME": str(folder / "home"), "LEARNT_CONFIG": str(folder / "c.toml")})
    for row in rows:
        _put(project, row, row["file_then"])
    with Engine.open(project, home=home) as engine:
        ids = {}
        for row in rows:
            reference = f"{row['id']}/{row['path']}:{row['line']}-{row['end_line']}"
            written: Any = engine.remember(f"{row['id']}: {row['finding']}", kind="lesson", evidence=[reference])
            ids[written.memory.id] = row["id"]
        for row in rows:
            _put(project, row, row["file_now"])
        checked = engine.stale(check=True).checked or ()
        return {ids[each.memory.id]: each.state for each in checked}


def _put(project: Path, row: dict[str, Any], name: str | None) -> None:
    path = project / row["id"] / row["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    if name is None:
        path.unlink()
    else:
        path.write_bytes((ANCHORS / "files" / f"{name}.txt").read_bytes())
