"""Outcomes as rows for people and programs, and as ratios of learnt to the best of the others."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from bench.figure import Figure
from bench.peers.race import recall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.peers.race import Outcome

    Row = dict[str, str | float]

_COLUMNS = (
    ("name", "store"),
    ("adds_a_s", "adds/s"),
    ("add_cpu_ms", "add CPU ms"),
    ("search_p50_ms", "search p50 ms"),
    ("search_p95_ms", "p95 ms"),
    ("search_cpu_ms", "CPU p50 ms"),
    ("recall_at_10", "recall@10"),
    ("settle_s", "settle s"),
    ("disk_mb", "disk MB"),
    ("peak_mb", "peak MB"),
)
_OWN = "learnt"


def rows(outcomes: Sequence[Outcome], wanted: Sequence[int]) -> list[Row]:
    """One row a store; a skipped one holds only its name and the reason."""
    return [_row(each, wanted) if not each.skipped else _skipped(each) for each in outcomes]


def _skipped(outcome: Outcome) -> Row:
    return {"name": outcome.name, "skipped": outcome.skipped}


def _row(outcome: Outcome, wanted: Sequence[int]) -> Row:
    ordered = sorted(outcome.search_s)
    return {
        "name": outcome.name,
        "adds_a_s": len(outcome.add_s) / sum(outcome.add_s),
        "add_cpu_ms": sum(outcome.add_cpu_s) / len(outcome.add_cpu_s) * 1e3,
        "search_p50_ms": median(ordered) * 1e3,
        "search_p95_ms": ordered[int(len(ordered) * 0.95)] * 1e3,
        "search_cpu_ms": median(outcome.search_cpu_s) * 1e3,
        "recall_at_10": recall(outcome, wanted),
        "settle_s": outcome.settle_s,
        **outcome.end,
    }


def overview(told: Sequence[Row]) -> str:
    """The rows as a table, then what each leaves out, then who was skipped and why."""
    ran = [row for row in told if "skipped" not in row]
    lines = ["  ".join(f"{title:>13}" for _, title in _COLUMNS)]
    lines += ["  ".join(f"{_said(row[key]):>13}" for key, _ in _COLUMNS) for row in ran]
    lines += [f"{row['name']} leaves out: {row['leaves_out']}" for row in ran]
    lines += [f"{row['name']} was skipped: {row['skipped']}" for row in told if "skipped" in row]
    return "\n".join(lines)


def _said(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def figures(outcomes: Sequence[Outcome], wanted: Sequence[int]) -> list[Figure]:
    """How learnt compares with the best of the others in each respect; none when it ran alone or not at all.

    Its search by vectors is compared, since that is what the others do; `learnt-recall` is a row of the table only.
    """
    ran = {each.name: _row(each, wanted) for each in outcomes if not each.skipped}
    others = [name for name in ran if not name.startswith(_OWN)]
    if _OWN not in ran or not others:
        return []

    def ratio(name: str, key: str, best: Callable[..., str], *, small: bool) -> Figure:
        peer = best(others, key=lambda other: float(ran[other][key]))
        own, its = float(ran[_OWN][key]), float(ran[peer][key])
        value = (its / own if small else own / its) if min(own, its) > 0 else 0.0
        told = f"against {peer}, the best of {len(others)}; turn about in one run, wall time where nothing else is said"
        return Figure(name, value, "times", 1.0, ">=", key, told)

    return [
        ratio("peers: adds a second", "adds_a_s", max, small=False),
        ratio("peers: add, CPU", "add_cpu_ms", min, small=True),
        ratio("peers: search p50", "search_p50_ms", min, small=True),
        ratio("peers: search p95", "search_p95_ms", min, small=True),
        ratio("peers: search, CPU", "search_cpu_ms", min, small=True),
        ratio("peers: recall@10 of the known item", "recall_at_10", max, small=False),
    ]
