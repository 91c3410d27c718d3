"""Claude Code itself: fetched from the npm registry into a cache, started with nothing of the person's own.

The package is a self-contained program; Node is not needed to run it, npm only to fetch it. Every directory the client
writes to lies under one temporary root. The environment is built from nothing, so neither the person's configuration
nor a variable that marks an agent's process reaches it. What would go to the network is turned off; the proxy variables
point at the scripted model, which keeps whatever still tries (`Model.strays`) and lets none of it out.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.fetch import Recipe, musl, system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KEY = "-".join(["sk", "ant", "of", "no", "use", "0" * 20])
"""No key: the scripted model asks for none, the client insists on having one."""


def recipe() -> Recipe:
    """What to fetch: the package that holds the program for this platform."""
    package = "-".join(part for part in ("@anthropic-ai/claude-code", *system(), musl()) if part)
    return Recipe("claude-code", "2.1.332", (f"{package}@{{version}}",), f"node_modules/{package}/claude")


@dataclass(frozen=True, slots=True)
class Client:
    """The client in a world of its own.

    Attributes:
        program: What its recipe gave.
        root: A temporary directory; home, configuration and scratch space are made in it.
        model: The scripted model's address.
    """

    program: Path
    root: Path
    model: str

    @property
    def config(self) -> Path:
        """The client's configuration directory, where `settings.json` and transcripts lie."""
        return self.root / "claude"

    def prepare(self, repository: Path) -> None:
        """Make the directories, and answer beforehand what an interactive client asks at its first start."""
        for part in (self.config, self.root / "home", self.root / "tmp"):
            part.mkdir(parents=True, exist_ok=True)
        answers = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(repository.resolve()): {"hasTrustDialogAccepted": True}},
        }
        (self.config / ".claude.json").write_text(json.dumps(answers), "utf-8")

    def person(self) -> dict[str, str]:
        """The environment of a person's shell in this world: where things lie, and no mark of an agent."""
        return {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }

    def environment(self) -> dict[str, str]:
        """The client's environment: a person's, the model's address, and everything that calls home turned off."""
        return self.person() | {
            "CLAUDE_CODE_TMPDIR": str(self.root / "tmp"),
            "ANTHROPIC_BASE_URL": self.model,
            "ANTHROPIC_API_KEY": KEY,
            "HTTP_PROXY": self.model,
            "HTTPS_PROXY": self.model,
            "NO_PROXY": "127.0.0.1,localhost",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
        }

    def command(self, *arguments: str) -> list[str]:
        """The client with shell and our tools allowed: works for root too, whom the client refuses a general bypass."""
        return [str(self.program), "--permission-mode", "default", *arguments, "--allowedTools", "Bash,mcp__learnt"]

    def ask(self, repository: Path, prompt: str, resume: str = "") -> str:
        """Run one headless session to its end, or an earlier one on to its next end, and give its id."""
        earlier = ["--resume", resume] if resume else []
        done = subprocess.run(
            self.command("-p", prompt, "--output-format", "json", *earlier),
            cwd=repository,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"the client failed: {done.stdout}{done.stderr}"
        return str(json.loads(done.stdout)["session_id"])

    def converse(self, repository: Path, prompt: str, answered: Callable[[], bool]) -> None:
        """Run one interactive session at a terminal: type the prompt, wait until it was answered, leave by `/exit`."""
        with _Terminal.start(self.command(), repository, self.environment()) as terminal:
            terminal.settle()
            terminal.type(prompt, until=answered)
            terminal.settle()
            terminal.type("/exit", until=terminal.ended)


@dataclass(slots=True)
class _Terminal:
    """A program at a pseudo terminal. Its screen is read so that it never blocks, and told apart only by its rest."""

    process: subprocess.Popen[bytes]
    end: int
    screen: bytearray = field(default_factory=bytearray)
    quiet_since_s: float = field(default_factory=time.monotonic)

    @classmethod
    @contextlib.contextmanager
    def start(cls, command: list[str], directory: Path, environment: dict[str, str]) -> Iterator[_Terminal]:
        """The program, killed at the end if it still runs."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        # A shell of its own session opens the terminal by name, which makes it the session's controlling terminal.
        lead = ["sh", "-c", 'exec <"$0" >"$0" 2>&1 "$@"', os.ttyname(theirs), *command]
        process = subprocess.Popen(lead, cwd=directory, env=environment, start_new_session=True)
        terminal = cls(process, ours)
        reader = threading.Thread(target=terminal.read, daemon=True)
        reader.start()
        try:
            yield terminal
        finally:
            process.kill()
            process.wait()
            os.close(theirs)
            reader.join(5)
            os.close(ours)

    def read(self) -> None:
        """Take in what the program draws until it ends."""
        with contextlib.suppress(OSError):  # how Linux says that the other end was closed
            while drawn := os.read(self.end, 65_536):
                self.screen += drawn
                self.quiet_since_s = time.monotonic()

    def ended(self) -> bool:
        """Whether the program has ended."""
        return self.process.poll() is not None

    def settle(self) -> None:
        """Wait until the screen has been drawn and then been still for a second."""
        eventually(lambda: bool(self.screen) and time.monotonic() - self.quiet_since_s > 1, "a screen at rest")

    def type(self, text: str, until: Callable[[], bool]) -> None:
        """Type a line, and press Enter again while it seems unheard."""
        os.write(self.end, text.encode())
        for _ in range(4):
            time.sleep(0.4)
            os.write(self.end, b"\r")
            with contextlib.suppress(AssertionError):
                eventually(until, f"an answer to {text!r}", within_s=6)
                return
        raise AssertionError(f"no answer to {text!r}; the screen: {bytes(self.screen[-4000:])!r}")


def eventually(probe: Callable[[], bool], what: str, within_s: float = 30) -> None:
    """Wait for something that another process does, not longer than the limit."""
    limit_s = time.monotonic() + within_s
    while not probe():
        if time.monotonic() > limit_s:
            raise AssertionError(f"waited {within_s} s in vain for {what}")
        time.sleep(0.1)
