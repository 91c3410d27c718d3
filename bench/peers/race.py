"""All stores are filled, then take turns: a block of writes each, then a block of questions each."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.peers.child import K
from bench.peers.environment import PROJECT, surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ADDS, SEARCHES = 50, 25
"""In one turn. Small, so that no store has a quiet minute to itself."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A store: what it is called, `module:class` that makes it, the Python it runs in, and what it needs there."""

    name: str
    maker: str
    python: str
    requirement: str = ""


@dataclass(slots=True)
class Outcome:
    """What was measured of one store; `skipped` says why not."""

    name: str
    skipped: str = ""
    add_s: list[float] = field(default_factory=list)
    add_cpu_s: list[float] = field(default_factory=list)
    search_s: list[float] = field(default_factory=list)
    search_cpu_s: list[float] = field(default_factory=list)
    found: list[list[int]] = field(default_factory=list)
    settle_s: float = 0.0
    end: dict[str, Any] = field(default_factory=dict)


class Runner:
    """One store's process, seen from the parent."""

    def __init__(self, process: subprocess.Popen[str], outcome: Outcome) -> None:
        self._process, self.outcome = process, outcome
        self.hear()

    @property
    def runs(self) -> bool:
        """Whether it is still in the race."""
        return not self.outcome.skipped

    def ask(self, command: str, first: int = 0, last: int = 0) -> dict[str, Any]:
        """Its answer; nothing when it fell out, now or before."""
        self.say(command, first, last)
        return self.hear()

    def say(self, command: str, first: int = 0, last: int = 0) -> None:
        """The command only."""
        if self.runs and self._process.stdin is not None:
            with suppress(BrokenPipeError):
                print(json.dumps([command, first, last]), file=self._process.stdin, flush=True)

    def hear(self) -> dict[str, Any]:
        """The answer to what was said."""
        if not self.runs:
            return {}
        line = self._process.stdout.readline() if self._process.stdout else ""
        heard: dict[str, Any] = json.loads(line) if line else {"failed": "its process ended"}
        self.outcome.skipped = heard.get("failed", "")
        return {} if self.outcome.skipped else heard


def race(entrants: Sequence[Entrant], sample: Path, rooms: Path, timed: int) -> Iterator[Outcome]:
    """Every store's outcome on the sample in a folder (`sample.json`, `vectors.npy`), the last `timed` on the clock."""
    held = json.loads((sample / "sample.json").read_text("utf-8"))
    count, asked = len(held["memories"]), len(held["queries"])
    with _started(entrants, sample, rooms) as runners:
        filled = max(0, count - timed)
        _fill(runners, filled)
        for first in range(filled, count, ADDS):
            for runner in _turned(runners, first // ADDS):
                _added(runner, first, min(first + ADDS, count))
            _tell(f"added {min(first + ADDS, count):,} of {count:,}")
        for runner in runners:
            runner.outcome.settle_s = sum(runner.ask("settle").get("wall_s", ()))
            runner.ask("search", 0, 1)
        for first in range(0, asked, SEARCHES):
            for runner in _turned(runners, first // SEARCHES):
                _searched(runner, first, min(first + SEARCHES, asked))
        for runner in runners:
            runner.outcome.end = runner.ask("end")
            yield runner.outcome


def _fill(runners: Sequence[Runner], count: int) -> None:
    """All at once, for nothing is on the clock."""
    for runner in runners:
        runner.say("fill", 0, count)
    for runner in runners:
        runner.hear()
        _tell(f"{runner.outcome.name}: {runner.outcome.skipped or f'filled with {count:,}'}")


def recall(outcome: Outcome, wanted: Sequence[int]) -> float:
    """Share of the questions whose memory is among the `K` found."""
    return sum(item in found[:K] for item, found in zip(wanted, outcome.found, strict=True)) / len(wanted)


def _turned(runners: Sequence[Runner], by: int) -> list[Runner]:
    at = by % len(runners)
    return [*runners[at:], *runners[:at]]


def _added(runner: Runner, first: int, last: int) -> None:
    took = runner.ask("add", first, last)
    runner.outcome.add_s += took.get("wall_s", [])
    runner.outcome.add_cpu_s += took.get("cpu_s", [])


def _searched(runner: Runner, first: int, last: int) -> None:
    took = runner.ask("search", first, last)
    runner.outcome.search_s += took.get("wall_s", [])
    runner.outcome.search_cpu_s += took.get("cpu_s", [])
    runner.outcome.found += took.get("found", [])


@contextmanager
def _started(entrants: Sequence[Entrant], sample: Path, rooms: Path) -> Iterator[list[Runner]]:
    """A process each, ended at the latest when the race is over."""
    processes: list[subprocess.Popen[str]] = []
    try:
        runners = []
        for entrant in entrants:
            processes.append(_process(entrant, sample, rooms))
            runners.append(Runner(processes[-1], Outcome(entrant.name)))
            _tell(f"{entrant.name}: {runners[-1].outcome.skipped or 'ready'}")
        yield runners
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def _process(entrant: Entrant, sample: Path, rooms: Path) -> subprocess.Popen[str]:
    home, room = rooms / f"{entrant.name}-home", rooms / entrant.name
    home.mkdir(parents=True)
    room.mkdir(parents=True)
    command = [entrant.python, "-m", "bench.peers.child", entrant.maker, str(sample), str(room)]
    with (rooms / f"{entrant.name}.log").open("w", encoding="utf-8") as log:
        return subprocess.Popen(
            command,
            cwd=PROJECT,
            env=surroundings(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )


def _tell(said: str) -> None:
    print(said, file=sys.stderr, flush=True)
