"""`python -m faults [NAME...]`: make faults, print what held, and exit 1 where something did not."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from faults.verdict import SMALL, Scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from faults.verdict import Verdict

NAMES = (
    "contention",
    "rivals",
    "kills",
    "disk",
    "places",
    "damage",
    "lines",
    "leases",
    "clock",
    "delivery",
    "forgetting",
    "phases",
)


def verdicts(names: Sequence[str], scale: Scale) -> Iterator[Verdict]:
    """What came of each sort, as soon as it is known."""
    for name in names:
        started_s = time.perf_counter()
        print(f"{name} ...", file=sys.stderr, flush=True)
        yield from importlib.import_module(f"faults.{name}").verdicts(scale)
        print(f"{name}: {time.perf_counter() - started_s:.0f} s", file=sys.stderr, flush=True)


def lines(verdict: Verdict) -> Iterator[str]:
    """One row of the table, and beneath it what did not hold."""
    word = "ok" if verdict.met else "BROKEN"
    yield f"{verdict.bar:<3} {word:<7} {verdict.tried:>9,}  {verdict.fault}"
    if verdict.told:
        yield f"{'':24}{verdict.told}"
    for what in verdict.broken[:10]:
        yield f"{'':24}! {what}"
    if len(verdict.broken) > 10:
        yield f"{'':24}! and {len(verdict.broken) - 10:,} more"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the wanted sorts; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all without")
    parser.add_argument("--small", action="store_true", help="a little of everything, as the tests do")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write it there")
    given = parser.parse_args(argv)
    if unknown := sorted(set(given.names) - set(NAMES)):
        parser.error(f"there is no {unknown[0]}; there are {', '.join(NAMES)}")
    found = []
    for verdict in verdicts(given.names or NAMES, SMALL if given.small else Scale()):
        found.append(verdict)
        print("\n".join(lines(verdict)), flush=True)
    if given.json:
        given.json.write_text(json.dumps([{**asdict(each), "met": each.met} for each in found], indent=1) + "\n")
    return 0 if all(each.met for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
