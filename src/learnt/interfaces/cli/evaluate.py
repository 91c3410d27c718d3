"""`learnt evaluate`: how well memories are found."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from learnt.errors import UsageError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.model.instant import from_epoch

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]


class Bar:
    """Progress on standard error, where that is a terminal."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is; the last step wipes the line."""
        if not self._shown:
            return
        filled = 30 * done // max(1, total)
        text = "" if done >= total else f"{self._what} [{'#' * filled}{'.' * (30 - filled)}] {done:,}/{total:,}"
        click.echo(f"\r\x1b[K{text}", err=True, nl=False)


@command("evaluate", short_help="How well memories are found.")
@click.option("--fixtures", metavar="DIR", help="Golden fixtures of the project.  [default: those that ship]")
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Fail when precision fell below it.")
@click.option("--update", is_flag=True, help="Pin the baseline anew.")
def evaluate(
    desk: Desk,
    *,
    fixtures: str | None,
    baseline: Path | None,
    update: bool,
) -> None:
    """Measure recall on labelled memories; nothing of yours is read or changed.

    Exit 1 when a figure misses what it must reach.
    """
    if update and baseline is None:
        raise UsageError("`--update` pins a baseline: name its file with `--baseline`.", code="usage")
    report = _golden(desk, fixtures)
    passed = True
    if baseline is not None:
        passed = _gated(desk, report, fixtures, baseline, update=update)
    desk.answer(report, lambda: _golden_lines(report))
    if not passed:
        raise click.exceptions.Exit(NEGATIVE)


def _now() -> str:
    return from_epoch(time.time())


def _root(desk: Desk) -> str:
    from learnt.model.place import place

    return place(desk.folder).root


def _golden(desk: Desk, fixtures: str | None) -> Json:
    from learnt.evals import golden, matrix
    from learnt.evals.fence import SHIPPED, contained

    root = _root(desk)
    folder = contained(fixtures if fixtures is not None else str(SHIPPED / "fixtures"), root)
    return matrix.report(golden.load(folder, root), str(folder), _now(), Bar("fixtures"))


def _gated(desk: Desk, report: Json, fixtures: str | None, baseline: Path, *, update: bool) -> bool:
    """Add the gate to the report; whether it holds."""
    from learnt.evals import regress

    if update:
        regress.write(baseline, regress.pinned(report))
    report["gate"] = regress.gate(report, _golden(desk, fixtures), regress.read(baseline))
    return bool(report["gate"]["passed"])


def _golden_lines(report: Json) -> Iterator[str]:
    summary = report["summary"]
    yield screen.strong(f"{summary['passed_run_count']} of {summary['run_count']} runs passed")
    yield from screen.pairs([(name, _figure(summary[name])) for name in ("precision@k", "recall@k")])
    counts = [(name, str(value)) for name, value in summary.items() if name.endswith("_count") and value]
    yield from screen.pairs(counts)
    failed = [each for each in report["runs"] if not each["passed"]]
    if failed:
        yield screen.strong("Not passed")
        yield from screen.table([_run_row(each) for each in failed])
    if "gate" in report:
        yield from _gate_lines(report["gate"])


def _figure(value: float) -> str:
    return f"{value:.4f}"


def _run_row(run: Json) -> tuple[str, ...]:
    found = ", ".join(run["retrieved_labels"]) or "nothing"
    return run["fixture"], run["provider"], run["mode"], f"found {found}; expected {', '.join(run['expected_labels'])}"


def _gate_lines(gate: Json) -> Iterator[str]:
    yield screen.strong("Baseline " + ("holds" if gate["passed"] else "missed"))
    yield from screen.pairs(
        [
            ("two passes", "the same" if gate["deterministic"] else "differ"),
            ("precision fell by", f"{gate['precision_drop']:.4f} (at most {gate['tolerance']:.2f})"),
        ]
    )
