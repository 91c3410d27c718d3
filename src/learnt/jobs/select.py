"""Which extractions a consolidation takes, and which may leave.

Source: codex, phase-2 selection and retention. Unlike there, what was not used for long is not left out while there is
room: memories that disappear without a word are worse than old ones (codex #24172).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.model.instant import plus_days

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.thread import Rank

PRUNE_BATCH: Final = 200
"""At most so many leave at once. Source: codex, prune batch."""


def selected(ranks: Iterable[Rank], *, most: int, max_unused_days: float, now: str) -> tuple[str, ...]:
    """The sessions whose extractions are taken, by id, so that the order never changes with their use.

    First those used or written within `max_unused_days` (0: all of them), the most used, then the most recent; then,
    where there is room, the others in the same order. None of a session that is disabled or polluted.
    """
    since = plus_days(now, -max_unused_days) if max_unused_days else ""
    usable = [rank for rank in ranks if rank.mode == "enabled"]
    usable.sort(key=lambda each: each.session_id, reverse=True)
    usable.sort(
        key=lambda each: (each.recency >= since, each.usage_count, each.recency, each.source_updated_at), reverse=True
    )
    return tuple(sorted(each.session_id for each in usable[: max(0, most)]))


def prunable(ranks: Iterable[Rank], *, max_unused_days: float, now: str, limit: int = PRUNE_BATCH) -> tuple[str, ...]:
    """Sessions whose extractions leave: not taken by the last consolidation, and of no use for longer than that.

    The stalest first, at most `limit`; none where `max_unused_days` is 0.
    """
    if not max_unused_days:
        return ()
    before = plus_days(now, -max_unused_days)
    stale = [rank for rank in ranks if rank.selected_source is None and rank.recency < before]
    stale.sort(key=lambda each: (each.recency, each.session_id))
    return tuple(each.session_id for each in stale[:limit])


def is_changed(ranks: Iterable[Rank], taken: Iterable[str]) -> bool:
    """Whether a choice differs from what the last consolidation took, as it was then."""
    marked = {rank.session_id: rank.selected_source for rank in ranks if rank.selected_source is not None}
    sources = {rank.session_id: rank.source_updated_at for rank in ranks}
    return {name: sources[name] for name in taken} != marked
