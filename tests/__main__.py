"""`python -m tests`: every check of the project, in order of cost, with this interpreter.

Installs the checkout without touching its pinned dependencies, then lints, types, import contracts and tests. Every
step runs even when one before it failed, so that one run tells all; the exit code is 1 when any failed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
STEPS = (
    ("install", [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "-e", "."]),
    ("ruff", [str(BIN / "ruff"), "check", "-q"]),
    ("format", [str(BIN / "ruff"), "format", "-q", "--check"]),
    ("mypy", [str(BIN / "mypy")]),
    ("imports", [str(BIN / "lint-imports"), "--no-logo"]),
    ("tests", [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", *sys.argv[1:]]),
)


def main() -> int:
    """Run the steps; 1 when any failed."""
    failed = []
    for name, command in STEPS:
        started_s = time.perf_counter()
        print(f"== {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
        print(f"== {name}: {'FAILED' if name in failed else 'ok'}, {time.perf_counter() - started_s:.0f} s", flush=True)
        if failed == ["install"]:
            break
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
