"""A report as a picture: grouped bars in plain SVG, drawn here because one chart is no reason for a library."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

WIDTH, HEIGHT = 760, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 64, 84
_COLOURS = ("#3b6ea8", "#d98a29", "#4c9a6a", "#8a5aa8", "#a8473b", "#5b6670")
"""Told apart in print and by people who do not see red and green apart: they also differ in lightness."""
_INK, _FAINT, _PAPER = "#1f2933", "#c9d1d9", "#ffffff"
METRICS = (
    "precision@k",
    "recall@k",
    "recall@1",
    "recall@5",
    "recall@10",
    "recall@20",
    "hit@1",
    "hit@5",
    "mrr",
    "ndcg@10",
    "stale_recall",
    "stale_precision",
    "false_alarms",
)
"""Those that a report has are drawn, in this order."""


def drawing(title: str, profiles: Mapping[str, Mapping[str, Any]], metrics: Sequence[str] = METRICS) -> str:
    """The SVG document: a group of bars a metric, a bar a profile, its value above it."""
    shown = {name: figures for name, figures in profiles.items() if any(metric in figures for metric in metrics)}
    used = [metric for metric in metrics if any(metric in figures for figures in shown.values())]
    parts = [*_frame(title), *_grid(), *_bars(shown, used), *_legend(list(shown))]
    return "\n".join(parts) + "\n</svg>\n"


def _frame(title: str) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{_INK}" role="img">'
    )
    yield f"<title>{escape(title)}</title>"
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{_PAPER}"/>'
    yield f'<text x="{_LEFT}" y="28" font-size="16" font-weight="600">{escape(title)}</text>'


def _grid() -> Iterator[str]:
    for step in range(6):
        y = _y(step / 5)
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{WIDTH - _RIGHT}" y2="{y:.1f}" stroke="{_FAINT}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{step / 5:.1f}</text>'


def _y(value: float) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * min(1.0, max(0.0, value))


def _bars(profiles: Mapping[str, Mapping[str, Any]], metrics: Sequence[str]) -> Iterator[str]:
    if not metrics:
        yield f'<text x="{WIDTH / 2}" y="{HEIGHT / 2}" text-anchor="middle">nothing was measured</text>'
        return
    room = (WIDTH - _LEFT - _RIGHT) / len(metrics)
    bar = room * 0.8 / len(profiles)
    for group, metric in enumerate(metrics):
        left = _LEFT + group * room + room * 0.1
        middle = left + room * 0.4
        yield f'<text x="{middle:.1f}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{escape(metric)}</text>'
        for number, figures in enumerate(profiles.values()):
            if metric in figures:
                yield from _bar(left + number * bar, bar, float(figures[metric]), _COLOURS[number % len(_COLOURS)])


def _bar(x: float, width: float, value: float, colour: str) -> Iterator[str]:
    y = _y(value)
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(1.0, width - 2):.1f}" height="{HEIGHT - _BOTTOM - y:.1f}" '
        f'fill="{colour}"/>'
    )
    middle = x + width / 2 - 1
    yield (
        f'<text x="{middle:.1f}" y="{y - 5:.1f}" font-size="9" transform="rotate(-60 {middle:.1f} {y - 5:.1f})">'
        f"{value:.2f}</text>"
    )


def _legend(names: Sequence[str]) -> Iterator[str]:
    x = float(_LEFT)
    y = HEIGHT - 24
    for number, name in enumerate(names):
        yield f'<rect x="{x:.1f}" y="{y - 10}" width="12" height="12" fill="{_COLOURS[number % len(_COLOURS)]}"/>'
        yield f'<text x="{x + 18:.1f}" y="{y}">{escape(name)}</text>'
        x += 40 + 7.5 * len(name)
