"""The warm process with a small embedder of the tests, never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.interfaces.hook import warm
from learnt.interfaces.hook.stub import source_folder
from learnt.interfaces.warm import frame
from learnt.testing.embedders import HashEmbedder
from tests.hook.conftest import Machine, machine

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["machine"]
STARTUP_S = 60
SERVE = """
import sys
sys.path.insert(0, {source!r})
import learnt.bootstrap.models as models
from learnt.testing.embedders import HashEmbedder
models.embedder_of = lambda settings, environment: HashEmbedder()
from learnt.bootstrap import Home
from learnt.interfaces.warm.serve import Bounds, serve
serve(Home({environment!r}), {project!r}, Bounds({bounds}))
"""


@dataclass
class Warmth:
    """The processes of one machine."""

    machine: Machine
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def home(self) -> str:
        """The data directory."""
        return str(self.machine.home)

    @property
    def environment(self) -> dict[str, str]:
        """What the engine and the process are told."""
        machine = self.machine
        return {"LEARNT_HOME": self.home, "LEARNT_CONFIG": str(machine.config), "HOME": str(machine.project.parent)}

    def start(self, **bounds: float) -> subprocess.Popen[bytes]:
        """Start a process; it may end at once."""
        given = {"user": os.geteuid(), "tick_s": 0.05, **bounds}
        code = SERVE.format(
            source=source_folder(),
            environment=self.environment,
            project=str(self.machine.project),
            bounds=", ".join(f"{name}={value!r}" for name, value in given.items()),
        )
        made = subprocess.Popen([sys.executable, "-c", code])
        self.started.append(made)
        return made

    def running(self, **bounds: float) -> subprocess.Popen[bytes]:
        """Start a process and wait until it listens."""
        made = self.start(**bounds)
        self.until("running", made.pid)
        return made

    def told(self) -> tuple[str, int]:
        """What the last process wrote of itself, and which one that is."""
        path = Path(frame.lock_folder(self.home)) / frame.LOCK
        try:
            word, pid, _ = path.read_text("utf-8").splitlines()
        except (FileNotFoundError, ValueError):
            return "", 0
        return word, int(pid)

    def until(self, word: str, pid: int = 0) -> None:
        """Wait for a process (this one) to say so."""
        end_s = time.monotonic() + STARTUP_S
        while not (self.told()[0].startswith(word) and pid in {0, self.told()[1]}):
            assert time.monotonic() < end_s, self.told()
            time.sleep(0.02)

    def end(self) -> None:
        """Leave no process behind, nor one that a hook started and that did not speak yet."""
        for each in self.started:
            each.kill()
            each.wait()
        if (Path(frame.lock_folder(self.home)) / frame.STARTED).exists():
            end_s = time.monotonic() + STARTUP_S
            while not self.told()[0].startswith(("running", "ended")) and time.monotonic() < end_s:
                time.sleep(0.02)
            with suppress(ProcessLookupError):
                if self.told()[0] == "running":
                    os.kill(self.told()[1], signal.SIGKILL)

    @contextmanager
    def engine(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
        """The engine of the project, with the same embedder."""
        monkeypatch.setattr("learnt.bootstrap.models.embedder_of", lambda *_: HashEmbedder())
        with Engine.open(self.machine.project, home=Home(self.environment)) as engine:
            yield engine


@pytest.fixture
def warmth(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Warmth]:
    """A machine with vectors and no process; afterwards there is none again. The hook waits as long as tests need."""
    monkeypatch.setattr(warm, "TOTAL_S", 20.0)
    found = Warmth(machine)
    yield found
    found.end()
