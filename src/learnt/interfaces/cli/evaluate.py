"""`learnt evaluate`: how well memories are found."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from learnt.errors import ConfigError, UsageError
from learnt.interfaces.cli import report as shown
from learnt.interfaces.cli.frame import NEGATIVE, Desk, command
from learnt.model.instant import from_epoch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
@click.option("--profiles", default="", metavar="A,B", help="Ways of ranking to compare.")
@click.option("--manifest", metavar="FILE", help="A held-out corpus of the project: its manifest.json.")
@click.option("--baseline", type=click.Path(path_type=Path), metavar="FILE", help="Fail when precision fell below it.")
@click.option("--update", is_flag=True, help="Pin the baseline anew.")
@click.option("--dataset", default="", metavar="NAME", help="Measure on this data set.")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Where the data set lies.")
@click.option("--calibration", is_flag=True, help="Also whether scores mean what they say.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw the figures as SVG.")
def evaluate(
    desk: Desk,
    *,
    fixtures: str | None,
    profiles: str,
    manifest: str | None,
    baseline: Path | None,
    update: bool,
    dataset: str,
    data: Path | None,
    calibration: bool,
    plot: Path | None,
) -> None:
    """Measure recall on labelled memories; nothing of yours is read or changed.

    Exit 1 when a figure misses what it must reach.
    """
    _check(dataset, data, fixtures, manifest, baseline, profiles, update=update, calibration=calibration)
    if dataset and data is not None:
        made = _dataset(desk, dataset, data, profiles, calibration=calibration)
    elif manifest is not None:
        made = _heldout(desk, manifest, profiles)
    elif profiles:
        made = _compared(desk, fixtures, profiles)
    else:
        made = _golden(desk, fixtures, baseline, update=update)
    if plot is not None:
        _drawn(made, plot)
    desk.answer(made.document, made.lines)
    if not made.passed:
        raise click.exceptions.Exit(NEGATIVE)


def _check(
    dataset: str,
    data: Path | None,
    fixtures: str | None,
    manifest: str | None,
    baseline: Path | None,
    profiles: str,
    *,
    update: bool,
    calibration: bool,
) -> None:
    """Options that go together.

    Raises:
        UsageError: They do not.
    """
    if update and baseline is None:
        raise UsageError("`--update` pins a baseline: name its file with `--baseline`.", code="usage")
    if bool(dataset) != (data is not None):
        raise UsageError("`--dataset NAME` and `--data DIR` go together.", code="usage")
    if sum(each is not None for each in (data, fixtures, manifest)) > 1:
        raise UsageError("Fixtures, a manifest and a data set are measured one at a time.", code="usage")
    if baseline is not None and (data is not None or manifest is not None or profiles):
        raise UsageError("A baseline is that of fixtures, without profiles.", code="usage")
    if calibration and data is None:
        raise UsageError("Calibration is measured on a data set.", code="usage")


@dataclass(frozen=True, slots=True)
class _Made:
    """A report, how a person reads it, what a chart of it shows, and whether it holds."""

    document: Json
    lines: Callable[[], Iterable[str]]
    passed: bool
    title: str
    charted: Mapping[str, Mapping[str, Any]]


def _drawn(made: _Made, path: Path) -> None:
    from learnt.evals.plot import drawing

    try:
        path.write_text(drawing(made.title, made.charted), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"The chart cannot be written: {error.strerror}.", code="unwritable") from None


def _dataset(desk: Desk, name: str, data: Path, profiles: str, *, calibration: bool) -> _Made:
    from learnt.evals import bars, run
    from learnt.evals.subject import MEASURED

    chosen = run.profiles_of(profiles, MEASURED)
    document = run.report(name, data, chosen, desk.environment, calibration=calibration, tell=Bar(name))
    passed = not bars.missed(document["bars"])
    return _Made(document, lambda: shown.dataset(document), passed, f"learnt on {name}", document["profiles"])


def _heldout(desk: Desk, manifest: str, profiles: str) -> _Made:
    from learnt.evals import gate, heldout, run

    chosen = run.profiles_of(profiles, gate.GATED)
    corpus = heldout.load(manifest, _root(desk))
    document = gate.report(corpus, chosen, desk.environment, _now(), Bar("passes"))
    passed = bool(document["passed"])
    return _Made(document, lambda: shown.heldout(document), passed, corpus.corpus_id, document["profiles"])


def _compared(desk: Desk, fixtures: str | None, profiles: str) -> _Made:
    from learnt.evals import compare, golden, run

    chosen = run.profiles_of(profiles, compare.COMPARED)
    folder, root = _folder(desk, fixtures)
    found = golden.load(folder, root)
    document = compare.report(found, str(folder), chosen, desk.environment, _now(), Bar("fixtures"))
    title = "learnt on golden fixtures"
    return _Made(document, lambda: shown.compared(document), True, title, document["profiles"])


def _folder(desk: Desk, fixtures: str | None) -> tuple[Path, str]:
    """The fixtures to read and the project they may lie in."""
    from learnt.evals.fence import SHIPPED, contained

    root = _root(desk)
    return contained(fixtures if fixtures is not None else str(SHIPPED / "fixtures"), root), root


def _golden(desk: Desk, fixtures: str | None, baseline: Path | None, *, update: bool) -> _Made:
    from learnt.evals import regress

    document = _golden_report(desk, fixtures)
    if baseline is not None:
        if update:
            regress.write(baseline, regress.pinned(document))
        document["gate"] = regress.gate(document, _golden_report(desk, fixtures), regress.read(baseline))
    passed = baseline is None or bool(document["gate"]["passed"])
    return _Made(document, lambda: shown.golden(document), passed, "learnt on golden fixtures", _by_mode(document))


def _golden_report(desk: Desk, fixtures: str | None) -> Json:
    from learnt.evals import golden, matrix

    folder, root = _folder(desk, fixtures)
    return matrix.report(golden.load(folder, root), str(folder), _now(), Bar("fixtures"))


def _by_mode(report: Json) -> dict[str, Json]:
    from learnt.evals.matrix import summary

    modes: dict[str, list[Json]] = {}
    for each in report["runs"]:
        modes.setdefault(each["mode"], []).append(each)
    return {mode: summary(runs, len(runs)) for mode, runs in modes.items()}


def _now() -> str:
    return from_epoch(time.time())


def _root(desk: Desk) -> str:
    from learnt.model.place import place

    return place(desk.folder).root
