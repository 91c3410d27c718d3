"""Points on two logarithmic axes, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COLOURS = ("#2f6fb0", "#c2571a", "#4a8a3a")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 460, 320, 62, 34, 34, 46


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture: milliseconds of some series against `title`."""

    title: str
    series: Mapping[str, Sequence[tuple[float, float]]]


def page(*panels: Panel) -> str:
    """The panels beside each other."""
    size = f'viewBox="0 0 {_WIDTH * len(panels)} {_HEIGHT}" font-family="system-ui, sans-serif" font-size="11"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} fill="#333">',
        f'<rect width="{_WIDTH * len(panels)}" height="{_HEIGHT}" fill="#fff"/>',
    ]
    for at, panel in enumerate(panels):
        parts += [f'<g transform="translate({at * _WIDTH} 0)">', *_panel(panel), "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel) -> Iterator[str]:
    points = [point for some in panel.series.values() for point in some]
    if not points:
        return
    x = _Axis([point[0] for point in points], _LEFT, _WIDTH - _RIGHT)
    y = _Axis([point[1] for point in points], _HEIGHT - _BOTTOM, _TOP)
    for value, place in x.marks():
        yield f'<path d="M{place:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#ddd"/>'
        yield f'<text x="{place:.1f}" y="{_HEIGHT - _BOTTOM + 15}" text-anchor="middle">{_told(value)}</text>'
    for value, place in y.marks():
        yield f'<path d="M{_LEFT} {place:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{_told(value)} ms</text>'
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle">{escape(panel.title)}</text>'
    for at, (name, some) in enumerate(panel.series.items()):
        colour = COLOURS[at % len(COLOURS)]
        for across, up in some:
            at_x, at_y = x.place(across), y.place(up)
            yield f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="2.4" fill="{colour}" fill-opacity=".6"/>'
        yield f'<circle cx="{_LEFT + 6 + 150 * at}" cy="16" r="4" fill="{colour}"/>'
        yield f'<text x="{_LEFT + 14 + 150 * at}" y="20">{escape(name)}</text>'


def _told(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


class _Axis:
    """Whole powers of ten around some values, laid from `start` to `end`."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self._low, self._high = floor(log10(min(values))), ceil(log10(max(values)))
        self._high = max(self._high, self._low + 1)
        self._start, self._span = start, end - start

    def place(self, value: float) -> float:
        """Where a value stands."""
        return self._start + self._span * (log10(value) - self._low) / (self._high - self._low)

    def marks(self) -> Iterator[tuple[float, float]]:
        """Each power of ten and its place."""
        for power in range(self._low, self._high + 1):
            yield 10.0**power, self.place(10.0**power)
