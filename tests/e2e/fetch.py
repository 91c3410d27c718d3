"""The real clients, fetched from npm and PyPI into a cache: all at once, each whole or not at all, within one limit.

Packages that hold a program for one platform are fetched as such, without the package that would choose among them;
no script of a package is run.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

if TYPE_CHECKING:
    from collections.abc import Iterable

ENVIRONMENT = dict(os.environ)
"""As the tests were started: each test then runs without the variables that are learnt's."""
LIMIT_S = 150
"""How long all fetching together may take."""
NPM = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", "--fetch-retries=1", "--loglevel=error"]


class UnavailableError(Exception):
    """A client cannot be had here; the text says why."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to fetch for one program.

    Attributes:
        name: Its name; `LEARNT_E2E_NAME` in the environment asks for another version, or for a tag such as `latest`.
        version: The version the assertions were written against.
        packages: npm packages that are fetched together, `{version}` filled in; from PyPI where `pypi` is set.
        entry: A pattern that finds the program below the fetched packages.
    """

    name: str
    version: str
    packages: tuple[str, ...]
    entry: str
    pypi: bool = False

    @property
    def wanted(self) -> str:
        """The version to fetch."""
        return ENVIRONMENT.get(f"LEARNT_E2E_{self.name.upper().replace('-', '_')}") or self.version

    @property
    def place(self) -> Path:
        """The directory that holds it once it is fetched."""
        cache = Path(ENVIRONMENT.get("LEARNT_E2E_CACHE") or user_cache_path("learnt") / "e2e")
        return cache / f"{self.name}-{self.wanted}"

    def program(self) -> Path | None:
        """The program, if it has been fetched."""
        return next(iter(sorted(self.place.glob(self.entry))), None)

    def fetch(self, until_s: float) -> Path:
        """The program, fetched into a directory beside its place and then renamed.

        Raises:
            UnavailableError: It could not be had, or not before the clock (monotonic) showed `until_s`.
        """
        if (program := self.program()) is not None:
            return program
        self.place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.place.parent, ignore_cleanup_errors=True) as staging:
            place = Path(staging) / "place"
            for command in self._pip(place) if self.pypi else self._npm(place):
                self._run(command, until_s)
            shutil.rmtree(place / "npm", ignore_errors=True)
            with contextlib.suppress(OSError):  # another run was quicker
                place.rename(self.place)
        if (program := self.program()) is None:
            raise UnavailableError(f"{self.name} {self.wanted} holds no {self.entry}")
        return program

    def _npm(self, place: Path) -> list[list[str]]:
        npm = shutil.which("npm")
        if npm is None:
            raise UnavailableError("npm is not on the PATH")
        place.mkdir()
        packages = [package.format(version=self.wanted) for package in self.packages]
        return [[npm, "install", *NPM, "--prefix", str(place), "--cache", str(place / "npm"), *packages]]

    def _pip(self, place: Path) -> list[list[str]]:
        # A virtual environment names its own place in every script: the program is started as a module instead.
        python = str(place / "bin" / "python")
        packages = [package.format(version=self.wanted) for package in self.packages]
        return [[sys.executable, "-m", "venv", str(place)], [python, "-m", "pip", "install", "-q", *packages]]

    def _run(self, command: list[str], until_s: float) -> None:
        late = f"{self.name} {self.wanted} was not fetched within {LIMIT_S} s"
        left_s = until_s - time.monotonic()
        if left_s <= 0:
            raise UnavailableError(late)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=left_s, check=False)
        except subprocess.TimeoutExpired as error:
            raise UnavailableError(late) from error
        if done.returncode:
            reason = "; ".join(done.stderr.strip().splitlines()[:2]) or "no reason given"
            raise UnavailableError(f"{self.name} {self.wanted} could not be installed: {reason}")


def stock(recipes: Iterable[Recipe]) -> dict[str, Path | UnavailableError]:
    """Each recipe's program, or why it cannot be had."""
    until_s = time.monotonic() + LIMIT_S

    def fetched(recipe: Recipe) -> tuple[str, Path | UnavailableError]:
        try:
            return recipe.name, recipe.fetch(until_s)
        except UnavailableError as reason:
            return recipe.name, reason

    with ThreadPoolExecutor(16) as pool:
        return dict(pool.map(fetched, recipes))


def system() -> tuple[str, str]:
    """This platform as npm packages name it: `linux` or `darwin`, `x64` or `arm64`; "" where no package is made."""
    systems = {"Linux": "linux", "Darwin": "darwin"}
    machines = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    return systems.get(platform.system(), ""), machines.get(platform.machine(), "")


def musl() -> str:
    """The mark of packages for a Linux without glibc, else ""."""
    return "musl" if system()[0] == "linux" and platform.libc_ver()[0] != "glibc" else ""
