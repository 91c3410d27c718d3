"""What was recalled for whom, and what became of it: the recall log and the value log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.flows.reward import belief, entries
from learnt.model.reward import is_promotable
from learnt.stale.report import Recalled, recalls_of, roles_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.ranking import Bundle
    from learnt.model.reward import Past

MAX_RECEIPTS = 100_000
"""The newest that are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLog:
    """What was recalled.

    Attributes:
        receipts: The newest. `total`: how many there are, and what the counts are taken over.
        never: Active memories that were never given to anybody; none where a run was named.
    """

    run: str
    receipts: tuple[Bundle, ...]
    total: int
    recalls: Mapping[str, Recalled]
    by_role: Mapping[str, tuple[int, tuple[str, ...]]]
    never: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Valued:
    """What a memory that was recalled is worth by now.

    Attributes:
        past: How it came to its value, oldest first.
        belief: How far it may be believed after the verdicts on it.
        promotable, suppressed: Whether it is a candidate for promotion, and whether it is no longer recalled.
    """

    memory: Memory
    recalls: int
    last_at: str
    past: tuple[Past, ...]
    belief: float
    promotable: bool
    suppressed: bool

    @property
    def last(self) -> Past | None:
        """The latest verdict on the memory itself."""
        return next((each for each in reversed(self.past) if not each.shared), None)


def recall_log(means: Means, run: str = "", limit: int = 200) -> RecallLog:
    """The newest recalls, and what all of them come to.

    Args:
        limit: Most receipts and most memories in a list.
    """
    sight, usage = means.context.sight, means.store.usage
    bundles = usage.page(sight, run, MAX_RECEIPTS)
    return RecallLog(
        run=run,
        receipts=bundles[:limit],
        total=len(bundles),
        recalls=recalls_of(bundles),
        by_role=roles_of(bundles),
        never=() if run else usage.unrecalled(sight, limit),
    )


def value_log(means: Means, limit: int = 20) -> tuple[Valued, ...]:
    """What recalled memories are worth: latest recall first, then the highest value, then by id."""
    sight = means.context.sight
    last: dict[str, str] = {}
    for bundle in means.store.usage.page(sight, "", MAX_RECEIPTS):
        for name in bundle.memory_ids:
            last[name] = max(last.get(name, ""), bundle.timestamp)
    latest = sorted(last, key=lambda name: last[name], reverse=True)
    bound = last[latest[limit - 1]] if len(latest) > limit else ""
    held = means.store.memories.many(sight, [name for name in latest if last[name] >= bound])
    found = sorted(held, key=lambda memory: (-memory.q_value, memory.id))
    found.sort(key=lambda memory: last[memory.id], reverse=True)
    return tuple(_valued(means, memory, last[memory.id]) for memory in found[:limit])


def _valued(means: Means, memory: Memory, last_at: str) -> Valued:
    learning, recalls = means.settings.learning, means.store.usage.recalls(memory.id)
    is_live = memory.status == "active"
    return Valued(
        memory=memory,
        recalls=recalls,
        last_at=last_at,
        past=tuple(past for _, past in entries(means.store.events.about(memory.id))),
        belief=belief(means, memory),
        promotable=is_live and is_promotable(memory.q_value, recalls, learning.promotion_threshold),
        suppressed=is_live and memory.q_value < learning.suppression_threshold,
    )
