"""What all outcomes of a repository come to. Source of every rule and number: swarm-memory seed, reflection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import fsum
from typing import TYPE_CHECKING

from learnt.model.instant import to_epoch
from learnt.model.reflection import Insight, Reflection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.model.memory import Memory
    from learnt.model.outcome import Outcome, Spot
    from learnt.model.reflection import Resolution

MOST_MEMORIES = 2_000
MOST_PROBES = 4_000
MOST_INSIGHTS = 200
"""In each list."""

TEXT_CHARS = 512
MOST_BYTES = 16 * 1024 * 1024
"""More outcomes than that are no digest any more."""

_CUT = "…"
_DAY_S = 86_400.0
_PREFERRED = 2
"""So many useful outcomes, and none against, make a memory preferred."""


@dataclass(frozen=True, slots=True)
class Told:
    """A memory and everything that was said of it."""

    memory: Memory
    outcomes: Sequence[Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a digest depends on beside the outcomes.

    Attributes:
        stands: Whether a spot is still in the work tree. `clean`: a text as it may be shown, redacted.
        repository_id: Whose spots count; those of other repositories are no spots here.
        pattern_set: Of the gate now.
    """

    now: str
    half_life_days: float
    stands: Callable[[Spot], bool]
    clean: Callable[[str], str]
    repository_id: str = ""
    pattern_set: str = ""


def weight(at: str, now: str, half_life_days: float) -> float:
    """What an outcome of that moment is worth now: 1, half after a half-life; 0 for what is no moment."""
    try:
        age_days = max(0.0, (to_epoch(now) - to_epoch(at)) / _DAY_S)
    except (ValueError, IndexError):
        return 0.0
    return float(0.5 ** (age_days / half_life_days))


def reflection(told: Iterable[Told], entries: int, terms: Terms) -> Reflection:
    """The digest; the same for the same outcomes, in whatever order they are given.

    Args:
        told: Memories with at least one outcome. `entries`: how many memories they were chosen from.
    """
    stands = _Bounded(terms.stands)
    lists: dict[Resolution, list[Insight]] = {}
    dead = []
    for each in sorted(told, key=lambda one: one.memory.id):
        spots = sorted({spot for one in each.outcomes if _is_here(one, terms) for spot in one.spots})
        live = [spot for spot in spots if stands(spot)]
        if spots and not live:
            dead.append(each.memory.id)
            continue
        for insight in _insights(each, live, terms):
            lists.setdefault(insight.resolution, []).append(insight)
    corrections = sorted(lists.get("corrected", ()), key=_place)
    corrections.sort(key=lambda one: one.latest_at, reverse=True)
    clean = _Cleaned(terms.clean)
    return Reflection(
        as_of=terms.now,
        entries=entries,
        preferred=clean.all_of(_first(lists.get("preferred", ()))),
        tentative=clean.all_of(_first(lists.get("tentative", ()))),
        contested=clean.all_of(_first(lists.get("contested", ()))),
        dead_ends=clean.all_of(_first(lists.get("dead_end", ()))),
        corrections=clean.all_of(corrections[:MOST_INSIGHTS]),
        dead=tuple(dead),
    )


class _Cleaned:
    """Texts as they may be shown, each redacted once: only of insights that have a place, for it costs most."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        self._clean = cache(clean)

    def all_of(self, insights: Sequence[Insight]) -> tuple[Insight, ...]:
        """The insights, redacted, then cut."""
        return tuple(
            replace(each, text=clipped(self._clean(each.text)), correction=self._clean(each.correction))
            for each in insights
        )


def _is_here(outcome: Outcome, terms: Terms) -> bool:
    return not terms.repository_id or outcome.repository_id in {"", terms.repository_id}


class _Bounded:
    """Whether spots stand, each asked once; after so many questions the rest is taken to stand."""

    def __init__(self, stands: Callable[[Spot], bool]) -> None:
        self._stands = stands
        self._known: dict[str, bool] = {}

    def __call__(self, spot: Spot) -> bool:
        if spot.file not in self._known:
            if len(self._known) >= MOST_PROBES:
                return True
            self._known[spot.file] = self._stands(spot)
        return self._known[spot.file]


def _insights(told: Told, live: Sequence[Spot], terms: Terms) -> Iterable[Insight]:
    """One for every spot that stands, or one without; and one for every correction."""
    outcomes = sorted(told.outcomes, key=lambda one: (one.at, one.id))
    if not outcomes:
        return
    signed = [_signed(one, terms) for one in outcomes]
    positive = sum(one.result == "useful" for one in outcomes)
    cleared = bool(terms.pattern_set) and told.memory.clearance == terms.pattern_set
    facts = {
        "memory_id": told.memory.id,
        "text": told.memory.text,
        "score": round(fsum(signed), 6) + 0.0,
        "positive": positive,
        "negative": len(outcomes) - positive,
        "latest_at": outcomes[-1].at,
    }
    resolution = _resolution(positive, len(outcomes) - positive)
    for spot in live or (None,):
        yield Insight(**facts, resolution=resolution, spot=spot, clearance=terms.pattern_set if cleared else "")  # type: ignore[arg-type]
    for one in outcomes:
        if one.result == "corrected":
            both = cleared and one.clearance == terms.pattern_set
            yield Insight(
                **{**facts, "latest_at": one.at},  # type: ignore[arg-type]
                resolution="corrected",
                spot=live[0] if live else None,
                correction=one.correction,
                by_person=one.by.startswith("person:"),
                clearance=terms.pattern_set if both else "",
            )


def _signed(outcome: Outcome, terms: Terms) -> float:
    worth = weight(outcome.at, terms.now, terms.half_life_days)
    return worth if outcome.result == "useful" else -worth


def _resolution(positive: int, negative: int) -> Resolution:
    if positive and negative:
        return "contested"
    if negative:
        return "dead_end"
    return "preferred" if positive >= _PREFERRED else "tentative"


def clipped(text: str) -> str:
    """At most 512 characters, the last of them an ellipsis where something was cut."""
    return text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1] + _CUT


def _first(insights: Iterable[Insight]) -> list[Insight]:
    return sorted(insights, key=_place)[:MOST_INSIGHTS]


def _place(insight: Insight) -> tuple[object, ...]:
    spot = insight.spot
    return (-insight.score, insight.memory_id, spot.file if spot else "", spot.symbol if spot else "")
