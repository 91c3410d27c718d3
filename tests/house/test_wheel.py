"""What is installed is what is here."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from tests.house.source import PACKAGE, ROOT, tracked

if TYPE_CHECKING:
    from pathlib import Path


def test_the_wheel_holds_the_whole_package(tmp_path: Path) -> None:
    """A wheel holds every tracked file of the package, statements and patterns too, its licence, and no tests."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, env=os.environ | {"NO_COLOR": "1"})
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"learnt/{path.relative_to(PACKAGE).as_posix()}" for path in tracked() if PACKAGE in path.parents}
    assert wanted - held == set()
    assert not [name for name in held if name.startswith(("tests/", "bench/"))]
    assert [name for name in held if name.endswith("licenses/LICENSE")]
