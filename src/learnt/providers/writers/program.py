"""Another program, run in an empty folder of its own, within a time, and ended with all that it started."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Final

from learnt.errors import ProviderError
from learnt.model.thread import CHILD_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

CHILD: Final = "LEARNT_CHILD"
"""What our own hooks look for first: they do nothing in a program that we started."""

MOST_BYTES: Final = 8_000_000
_LIMITED: Final = ("usage limit", "rate limit", "limit reached", "429")
_UNTIL: Final = re.compile(r"\|(\d{10})\b")
"""How Claude Code tells until when its limit counts: seconds since 1970 behind a bar."""

_REST_S: Final = 3_600.0
_LOOK_S: Final = 0.05
_PASSED: Final = frozenset(
    {
        *("HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM"),
        *("APPDATA", "LOCALAPPDATA", "USERPROFILE", "SYSTEMROOT", "PROGRAMDATA", "COMSPEC", "PATHEXT", "TEMP", "TMP"),
        *("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"),
    }
)
_PASSED_BEGINNINGS: Final = ("LC_", "XDG_")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit code and what it printed, cut."""

    code: int
    output: str


@dataclass(frozen=True, slots=True)
class Program:
    """A program of this machine.

    Attributes:
        name: Name or path. `environment`: where its variables are taken from; only the usual ones are passed on, and
            those that a person named (`passed`): a repository can set what an agent starts, an address among that.
    """

    name: str
    environment: Mapping[str, str]
    passed: tuple[str, ...] = ()
    timeout_ms: int = 120_000

    def run(self, arguments: Sequence[str], given: str, folder: Path) -> Ended:
        """What it prints when it is run in a folder, with a text on its standard input.

        Raises:
            ProviderError: `no_program`, `timeout`, `bad_response`: it prints without end.
        """
        found = which(self.name, path=self._path())
        if found is None:
            hint = "Install it, or give its path as `command`."
            raise self.error("no_program", f"There is no program {self.name}.", hint=hint)
        deadline_s = time.monotonic() + self.timeout_ms / 1000
        (folder / "in").write_text(given, encoding="utf-8", errors="replace")
        with (folder / "in").open("rb") as source, (folder / "out").open("wb") as target:
            process = _started([found, *arguments], source, target, self._environment(), folder / CHILD_FOLDER)
            try:
                self._wait(process, folder / "out", deadline_s)
            finally:
                _end(process)
        with (folder / "out").open("rb") as file:
            return Ended(process.returncode, file.read(MOST_BYTES).decode("utf-8", "replace"))

    def _wait(self, process: subprocess.Popen[bytes], out: Path, deadline_s: float) -> None:
        while not _has_ended(process):
            if time.monotonic() >= deadline_s:
                raise self.error("timeout", f"{Path(self.name).name} did not answer in time.", retryable=True)
            if out.stat().st_size > MOST_BYTES:
                raise self.error("bad_response", f"{Path(self.name).name} prints without end.")
            time.sleep(_LOOK_S)

    def _path(self) -> str:
        """Where programs are looked for: in no folder that is relative, or lies in the repository we stand in."""
        here, home = Path.cwd().resolve(), Path(self.environment.get("HOME") or "/").resolve()
        every = map(Path, filter(None, self.environment.get("PATH", os.defpath).split(os.pathsep)))
        whole = home.is_relative_to(here)  # not a repository's folder: the person's own programs lie below it
        kept = (each for each in every if each.is_absolute() and (whole or not each.resolve().is_relative_to(here)))
        return os.pathsep.join(map(str, kept))

    def _environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in self.environment.items()
            if name in _PASSED or name in self.passed or name.startswith(_PASSED_BEGINNINGS)
        }
        return {**kept, "PATH": self._path(), CHILD: "1"}

    def refusal(self, said: str) -> ProviderError:
        """The error of a program that says it cannot; one that met its subscription's limit rests."""
        words = said.lower()
        if not any(each in words for each in _LIMITED):
            hint = f"Run {Path(self.name).name} once by hand and see whether it answers."
            return self.error("server_error", f"{Path(self.name).name} could not answer.", hint=hint, retryable=True)
        error = self.error("rate_limited", f"{Path(self.name).name} met a limit.", retryable=True)
        until = _UNTIL.search(said)
        error.details["retry_after_s"] = _rest_s(float(until[1])) if until else _REST_S
        return error

    def error(self, code: str, message: str, *, hint: str = "", retryable: bool = False) -> ProviderError:
        """An error that names the program, and nothing that it printed."""
        name = Path(self.name).name
        return ProviderError(message, code=code, hint=hint, details={"program": name}, retryable=retryable)


@contextmanager
def empty_folder() -> Iterator[Path]:
    """A folder that nobody else can read, with an empty one in it to run in, gone afterwards.

    Sessions that ran in a folder of that name are never read as somebody's work.
    """
    with tempfile.TemporaryDirectory(prefix="learnt-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        (folder / CHILD_FOLDER).mkdir()
        yield folder


def _rest_s(until: float) -> float:
    """Seconds until a moment: a minute at least, a week at most."""
    return max(60.0, min(until - time.time(), 7 * 86_400.0))


def _started(
    command: list[str], source: object, target: object, environment: dict[str, str], room: Path
) -> subprocess.Popen[bytes]:
    begin: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen
    return begin(
        command,
        stdin=source,
        stdout=target,
        stderr=subprocess.DEVNULL,
        cwd=room,
        env=environment,
        start_new_session=True,
    )


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has, without letting go of its number where the system can: its group is ended by that."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and its children, those among them that outlived it."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        process.kill()
    process.wait()
