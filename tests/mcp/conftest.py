"""What tests of the tool server share."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A person's environment with a data directory of its own; without the local model, which takes long to load."""
    home, config = tmp_path / "home", tmp_path / "config"
    home.mkdir()
    config.mkdir()
    (config / "config.toml").write_text("[embeddings]\nenabled = false\n", "utf-8")
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LEARNT_HOME": str(tmp_path / "data"),
        "LEARNT_CONFIG": str(config / "config.toml"),
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository."""
    path = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    (path / "pyproject.toml").write_text("[project]\nname = 'acme'\n", "utf-8")
    return path
