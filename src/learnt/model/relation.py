"""Which memories an applied merge ties together: read off the proposals, never kept or taken from anybody else.

Hook-safe.
"""

from __future__ import annotations

from itertools import permutations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.proposal import Proposal

MERGED_WITH = "merged_with"
"""The one type of relation there is. Source: swarm-memory seed, merge."""
MAX_RELATIONS = 32
"""Of one memory; a merge that would give it another is refused. Source: swarm-memory seed, merge."""


def tied(proposal: Proposal) -> tuple[tuple[str, str], ...]:
    """The pairs of memory ids a proposal ties, each in both directions; none while it is no applied merge.

    A merge that was answered with `noop` is applied and ties nothing.
    """
    if proposal.operation != "merge" or proposal.status != "applied":
        return ()
    taken = proposal.metadata.get("curatorDecision")
    if not isinstance(taken, dict) or taken.get("action") != "merge":
        return ()
    return tuple(permutations(dict.fromkeys(proposal.related), 2))


def gathered(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The other side of each pair by the one, each once, by id."""
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        found.setdefault(one, set()).add(other)
    return {one: tuple(sorted(others)) for one, others in found.items()}
