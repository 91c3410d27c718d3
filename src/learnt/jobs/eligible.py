"""Which sessions are read for what they taught, and why the others are not.

Source: autonomous-memory seed, extraction behaviour (too recent, too old, active); its thread registry (scan limit,
source kinds, cap); codex (modes, own sessions never).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal

from learnt.model.instant import plus_days
from learnt.model.job import later
from learnt.model.thread import CHILD_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from learnt.model.thread import Thread

Wait = Literal[
    "",
    "up_to_date",
    "disabled",
    "polluted",
    "own",
    "source",
    "excluded",
    "too_old",
    "too_recent",
    "waits",
    "live",
    "capped",
]
"""Why a session is not read now; "" where it is."""

SOURCES: Final = frozenset({"cli", "app"})
"""Who a session may have been run by. Source: autonomous-memory seed, source kinds."""
_HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the choice goes by.

    Attributes:
        now: The present.
        max_age_days: None for any age.
        scan_limit: So many of the newest are looked at. `most`: so many may be read, those being read included.
        running: How many are being read, or wait to be.
    """

    now: str
    max_age_days: float | None
    min_idle_hours: float
    scan_limit: int
    most: int
    running: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """One session, and why it is not read now."""

    thread: Thread
    why: Wait


def eligible(
    threads: Iterable[Thread],
    terms: Terms,
    *,
    live: Callable[[Thread], bool],
    waits: Callable[[Thread], bool] = lambda _: False,
    excluded: Collection[str] = (),
) -> tuple[Verdict, ...]:
    """What is to become of the newest sessions, newest first.

    Args:
        threads: In any order.
        live: Whether a client holds a session open; asked last, because it looks at the machine.
        waits: Whether its job is asked for, rests after a failure, or was given up: it takes no other's room.
        excluded: Ids of sessions that are left out, as the one that asks.
    """
    newest = sorted(sorted(threads, key=lambda each: each.id), key=lambda each: each.updated_at, reverse=True)
    found, room = [], terms.most - terms.running
    for thread in newest[: terms.scan_limit]:
        why = _why(thread, terms, excluded)
        if not why and room <= 0:
            why = "capped"
        elif not why and waits(thread):
            why = "waits"
        elif not why and live(thread):
            why = "live"
        room -= not why
        found.append(Verdict(thread, why))
    return tuple(found)


def is_own(folder: str) -> bool:
    """Whether a session that ran in this folder was learnt's own. Source: codex #15175 (it must not read itself)."""
    return CHILD_FOLDER in PurePath(folder.replace("\\", "/")).parts


def _why(thread: Thread, terms: Terms, excluded: Collection[str]) -> Wait:
    if thread.mode != "enabled":
        return thread.mode
    if thread.source == "own" or is_own(thread.cwd):
        return "own"
    if thread.source not in SOURCES:
        return "source"
    if thread.id in excluded or thread.session_id in excluded:
        return "excluded"
    if thread.extracted >= thread.updated_at:
        return "up_to_date"
    if terms.max_age_days is not None and thread.updated_at < plus_days(terms.now, -terms.max_age_days):
        return "too_old"
    if thread.updated_at > later(terms.now, -terms.min_idle_hours * _HOUR_S):
        return "too_recent"
    return ""
