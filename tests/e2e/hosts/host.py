"""What one real client needs to run headless, against the scripted model, with nothing of the person's own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.protocols.replies import Use

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.e2e.fetch import Recipe


@dataclass(frozen=True, slots=True)
class World:
    """Where one test takes place.

    Attributes:
        root: A temporary directory; home and scratch space are made in it.
        repository: The repository that the client is started in.
        model: The scripted model's address.
        programs: What the recipes gave, by name.
    """

    root: Path
    repository: Path
    model: str
    programs: Mapping[str, Path]

    @property
    def home(self) -> Path:
        """The home directory."""
        return self.root / "home"

    def person(self) -> dict[str, str]:
        """The environment of a person's shell in this world: where things lie, and no mark of an agent."""
        runtimes = [str(self.programs[name].parent) for name in ("node", "bun") if name in self.programs]
        return {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), *runtimes, os.environ["PATH"]]),
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One client.

    Attributes:
        name: As `learnt init --host` has it.
        recipes: What is fetched; the first is the client, the others what it runs on.
        shell: How its model calls the shell; None for a client whose model has no tools.
        tool: How its model calls one of our tools, by the tool's own name.
        prepare: Writes the client's own configuration, as a person would have it.
        variables: What its environment holds beyond the person's and the proxies.
        command: How one headless session is started with a prompt.
        skills: The folder in the home directory whose skills it lists.
        quiet: Whether it keeps to the model's address; another tries other places, and is refused there.
        usual: Whether it runs in the default run of the tests; another only where LEARNT_E2E names it.
    """

    name: str
    recipes: tuple[Recipe, ...]
    shell: Callable[[str], Use] | None
    tool: Callable[[str, Mapping[str, str]], Use] = Use
    prepare: Callable[[World], None]
    variables: Callable[[World], Mapping[str, str]]
    command: Callable[[World, str], list[str]]
    skills: str = ".agents/skills"
    quiet: bool = True
    usual: bool = True

    def environment(self, world: World) -> dict[str, str]:
        """The client's environment; whatever asks for the network is led to the model, which refuses it."""
        proxies = {"HTTP_PROXY": world.model, "HTTPS_PROXY": world.model, "NO_PROXY": "127.0.0.1,localhost"}
        return world.person() | proxies | dict(self.variables(world))

    def ask(self, world: World, prompt: str) -> str:
        """Run one headless session to its end, and give what it printed."""
        done = subprocess.run(
            self.command(world, prompt),
            cwd=world.repository,
            env=self.environment(world),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{self.name} failed: {done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout
