"""Memories that a merge tied to those found, in places nobody else wants. Hook-safe.

Source: swarm-memory seed, merge: at most two of each hit, one hop, ordinary order first, never one twice.
"""

from __future__ import annotations

from learnt.recall.factors import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.candidate import Candidate

MOST = 2
"""Of one hit."""


def beside(
    order: Sequence[Candidate],
    ties: Mapping[str, Sequence[str]],
    known: Mapping[str, Candidate],
    most: int,
    *,
    capped: bool,
) -> list[tuple[Candidate, str]]:
    """What stands beside the hits, each with the id of the hit it belongs to: in the order of the hits, then by worth.

    Args:
        order: The hits, best first; what is among them is never added.
        ties: Ids tied to a hit.
        known: Those of them that may be shown, by id.
        most: Places in all.
        capped: Whether the limits of an injected block count (one external memory, two of a run).
    """
    taken = {one.id for one in order}
    found: list[tuple[Candidate, str]] = []
    for hit in order:
        mine = [known[name] for name in ties.get(hit.id, ()) if name in known and name not in taken]
        mine.sort(key=lambda one: (-one.q_value, -one.confidence, one.id))
        for one in mine[:MOST]:
            taken.add(one.id)
            found.append((one, hit.id))
    if not capped:
        return found[: max(0, most - len(order))]
    kept = {one.id for one in places([*order, *(one for one, _ in found)], most)}
    return [pair for pair in found if pair[0].id in kept]


def told(source: str) -> str:
    """What a reader is told of such a memory."""
    return f"related to {source} (merged with it)"
