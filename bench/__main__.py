"""`python -m bench [NAME...]`: measure, print a table, and say which limits were kept.

Exit 1 only with --strict, and only for a figure beyond its limit times the slack (see `bench.figure.SLACK`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import bench

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.figure import Figure

_NO_BENCH = {"__main__", "figure", "scatter", "sessions", "formats"}


def names() -> tuple[str, ...]:
    """Every bench module there is, in order of the alphabet."""
    found = (module.name for module in pkgutil.iter_modules(bench.__path__))
    return tuple(sorted(name for name in found if name not in _NO_BENCH and not name.startswith("_")))


def measure(wanted: Sequence[str]) -> Iterator[Figure]:
    """The figures of the wanted modules, each as soon as it is known."""
    for name in wanted:
        module = importlib.import_module(f"bench.{name}")
        if not hasattr(module, "figures"):
            continue
        started_s = time.perf_counter()
        print(f"{name} ...", file=sys.stderr, flush=True)
        yield from module.figures()
        print(f"{name}: {time.perf_counter() - started_s:.0f} s", file=sys.stderr, flush=True)


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": _cores(),
    }


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def table(figures: Sequence[Figure]) -> str:
    """The figures as aligned lines, conditions beneath each."""
    width = max((len(figure.name) for figure in figures), default=0)
    lines = []
    for figure in figures:
        limit = f"{figure.better} {figure.limit:g}" if figure.limit is not None else ""
        number = f"{figure.value:,.3g}" if figure.value < 1000 else f"{figure.value:,.0f}"
        lines.append(
            f"{figure.mark:<6}  {figure.name:<{width}}  {number:>10} {figure.unit:<7} {limit:<10} {figure.statistic}"
        )
        if figure.conditions:
            lines.append(f"        {figure.conditions}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the wanted benches; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(names())}; all without")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures there")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a figure misses its limit")
    asked = parser.parse_args(argv)
    unknown = sorted(set(asked.names) - set(names()))
    if unknown:
        parser.error(f"no such bench: {', '.join(unknown)}")
    figures = list(measure(asked.names or names()))
    print(table(figures))
    if asked.json:
        rows = [asdict(figure) | {"mark": figure.mark} for figure in figures]
        asked.json.write_text(json.dumps({"machine": machine(), "figures": rows}, indent=1) + "\n", "utf-8")
    missed = [figure for figure in figures if figure.failed]
    print(f"{len(figures)} figures, {len(missed)} missed", file=sys.stderr)
    return 1 if missed and asked.strict else 0


if __name__ == "__main__":
    raise SystemExit(main())
