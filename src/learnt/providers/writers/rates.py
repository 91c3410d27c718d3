"""What a provider's headers say of its rate limits."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_WINDOWS: Final = ("requests", "tokens", "input-tokens", "output-tokens")
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_UNKNOWN_S: Final = 60.0
"""Where a window does not say when it begins anew. Source: both providers count by the minute."""


_NARROW: Final = 25.0
"""Percent below which a window is narrow. Source: codex, rate guard; the default of `least_remaining_percent`."""


def remaining(headers: Mapping[str, str]) -> tuple[float | None, float]:
    """Percent left in the narrowest window, None where nothing is said, and in how many seconds no window is narrow.

    Source: OpenAI, `x-ratelimit-{limit,remaining,reset}-WINDOW`; Anthropic,
    `anthropic-ratelimit-WINDOW-{limit,remaining,reset}`.
    """
    found = [each for window in _WINDOWS for each in (_openai(headers, window), _anthropic(headers, window)) if each]
    if not found:
        return None, 0.0
    percent, resets_in_s = min(found)
    return percent, max((reset for share, reset in found if share < _NARROW), default=resets_in_s)


def _openai(headers: Mapping[str, str], window: str) -> tuple[float, float] | None:
    return _share(*(headers.get(f"x-ratelimit-{name}-{window}") for name in ("limit", "remaining", "reset")))


def _anthropic(headers: Mapping[str, str], window: str) -> tuple[float, float] | None:
    return _share(*(headers.get(f"anthropic-ratelimit-{window}-{name}") for name in ("limit", "remaining", "reset")))


def _share(limit: str | None, left: str | None, reset: str | None) -> tuple[float, float] | None:
    try:
        most, more = float(limit or ""), float(left or "")
    except ValueError:
        return None
    if not (0 < most < float("inf") and 0 <= more < float("inf")):
        return None
    return min(100.0, 100 * more / most), _in_seconds(reset or "")


def _in_seconds(reset: str) -> float:
    """`1m30s`, `20ms`, a number of seconds, or a moment."""
    with suppress(ValueError, OverflowError):
        return max(0.0, min(float(reset), 86_400.0))
    if parts := _PART.findall(reset):
        return min(sum(float(number) * _SECONDS[unit] for number, unit in parts), 86_400.0)
    with suppress(ValueError, OverflowError):
        return max(0.0, min(datetime.fromisoformat(reset).timestamp() - time.time(), 86_400.0))
    return _UNKNOWN_S
