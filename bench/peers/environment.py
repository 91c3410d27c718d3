"""The peers' own environment: a virtual environment outside the project, made once."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PROJECT = Path(__file__).parents[2]
_CAN_LOAD = "import sqlite3, sys; sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension'))"
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "OTEL_SDK_DISABLED": "true",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
}


@dataclass(frozen=True, slots=True)
class Environment:
    """Its Python, and why a requirement is missing from it."""

    python: str
    missing: dict[str, str]


def cache() -> Path:
    """Where environments lie: the user's folder of caches."""
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "learnt-bench"


def environment(folder: Path) -> Environment:
    """The environment of the pinned versions in `folder`; installed when it is not there yet."""
    base = _base()
    name = hashlib.sha256(REQUIREMENTS.read_bytes() + base.encode()).hexdigest()[:12]
    place = folder / f"peers-{name}"
    python, done = place / "bin" / "python", place / "missing.json"
    if not done.exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([base, "-m", "venv", str(place)], check=True)
        missing = {line: why for line in _lines() if (why := _installed(str(python), line))}
        done.write_text(json.dumps(missing), "utf-8")
    return Environment(str(python), json.loads(done.read_text("utf-8")))


def surroundings(room: Path) -> dict[str, str]:
    """The variables of a peer's process: a home of its own, the project on the path, telemetry off."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    folders = {"HOME": room, "MEM0_DIR": room / "mem0", "TMPDIR": room, "PYTHONPATH": PROJECT}
    return kept | _QUIET | {name: str(path) for name, path in folders.items()}


def _base() -> str:
    """A Python whose SQLite loads extensions, for LangGraph's store; this one where there is none."""
    names = ("python3", f"python3.{sys.version_info.minor}", "python")
    found = [shutil.which(name, path=part) for part in os.get_exec_path() for name in names]
    for python in [sys.executable, *filter(None, found)]:
        fits = "import sys; sys.exit(sys.version_info < (3, 11))"
        if all(subprocess.run([python, "-c", check], check=False).returncode == 0 for check in (fits, _CAN_LOAD)):
            return python
    return sys.executable


def _lines() -> list[str]:
    lines = REQUIREMENTS.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _installed(python: str, line: str) -> str:
    """Why it could not be installed; "" when it was."""
    print(f"installing {line} ...", file=sys.stderr, flush=True)
    command = [python, "-m", "pip", "install", "--quiet", "--constraint", str(REQUIREMENTS), line]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = [said for said in done.stderr.splitlines() if said.startswith("ERROR")]
    return "" if done.returncode == 0 else (told or ["pip failed"])[0][:300]
