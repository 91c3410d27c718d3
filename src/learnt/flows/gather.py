"""What a consolidation is made from, and whether it still stands when it is done."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from learnt.flows.threads import here
from learnt.gate.clearance import PATTERN_SET
from learnt.jobs.select import selected
from learnt.model.filter import MemoryFilter, ProposalFilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from learnt.flows.means import Means
    from learnt.model.extraction import Extraction, Fact
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

MOST_MEMORIES: Final = 1_000
_PASSING: Final = frozenset({"scratch", "todo", "evidence", "channel_note"})
"""Kinds that say nothing to another session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What is composed; extractions by session, each under its host's own id, which references name.

    Attributes:
        taken: `source_updated_at` by session, under our own id. `facts`: those of each.
        digests: How many digests of forgotten text there were. `seen`: all sessions that had taught something.
    """

    extractions: tuple[Extraction, ...]
    memories: tuple[Memory, ...]
    observations: tuple[Proposal, ...]
    rejected: tuple[str, ...]
    taken: Mapping[str, str]
    facts: Mapping[str, tuple[Fact, ...]] = field(default_factory=dict)
    digests: int = 0
    seen: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all to compose."""
        return not (self.extractions or self.memories or self.observations)


def gathered(means: Means) -> Inputs:
    """What there is to compose now."""
    digests = means.store.digests.count(means.context.sight)  # first: what is forgotten from here on is noticed
    sight, now, wanted = here(means), means.clock.now(), means.settings.sessions
    ranks = means.store.extractions.ranks(sight)
    names = selected(ranks, most=wanted.max_raw_memories, max_unused_days=wanted.max_unused_days, now=now)
    held = means.store.extractions.many(sight, names)
    return Inputs(
        extractions=tuple(_under_host(means, held)),
        memories=_memories(means, now),
        observations=_observations(means),
        rejected=_rejected(means),
        taken={each.session_id: each.source_updated_at for each in held},
        facts={each.session_id: each.facts for each in held},
        digests=digests,
        seen=frozenset(each.session_id for each in ranks),
    )


def _under_host(means: Means, held: Iterable[Extraction]) -> Iterator[Extraction]:
    sight = here(means)
    for each in held:
        thread = means.store.threads.get(sight, each.session_id)
        yield replace(each, session_id=thread.session_id) if thread and thread.session_id else each


def _memories(means: Means, now: str) -> tuple[Memory, ...]:
    """Active memories of the repository that may be shown, none of a passing kind."""
    page = means.store.memories.page(here(means), MemoryFilter(limit=MOST_MEMORIES), now)
    hidden = _PASSING | set(means.settings.memory.exclude_kinds)
    return tuple(
        each
        for each in page.values
        if each.kind not in hidden
        and each.clearance == PATTERN_SET
        and each.trust != "external"
        and each.valid_from <= now
        and each.q_value >= means.settings.learning.suppression_threshold
    )


def _observations(means: Means) -> tuple[Proposal, ...]:
    wanted = ProposalFilter(observations_only=True, limit=MOST_MEMORIES)
    found = means.store.proposals.page(here(means), wanted).values
    return tuple(each for each in found if each.clearance == PATTERN_SET and "quarantine" not in each.metadata)


def _rejected(means: Means) -> tuple[str, ...]:
    """What a person said no to, and what memories said that hold no more: the session that taught it still does."""
    wanted = ProposalFilter(statuses=("rejected",), newest_first=True, limit=MOST_MEMORIES)
    found = means.store.proposals.page(here(means), wanted).values
    ignored = ProposalFilter(statuses=("approved", "applied"), newest_first=True, limit=MOST_MEMORIES)
    agreed = (each for each in means.store.proposals.page(here(means), ignored).values if each.operation == "ignore")
    refused = {each.text for each in (*found, *agreed) if each.reviewer == "user" and each.text}
    past = MemoryFilter(statuses=("superseded", "consolidated", "quarantined", "deleted"), limit=MOST_MEMORIES)
    left = means.store.memories.page(here(means), past, means.clock.now()).values
    return tuple(sorted(refused | {each.text for each in left}))


def stands(means: Means, inputs: Inputs) -> bool:
    """Whether nothing of this was forgotten, dropped or set aside since; a session that went on is no reason.

    Inside the transaction that writes: who forgets waits for it, or was before it.
    """
    if means.store.digests.count(means.context.sight) != inputs.digests:
        return False
    held = {each.session_id: each for each in means.store.extractions.many(here(means), tuple(inputs.taken))}
    return all(
        name in held and (held[name].source_updated_at != source or held[name].facts == inputs.facts[name])
        for name, source in inputs.taken.items()
    )
