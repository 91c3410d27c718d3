"""What a starting session is told of earlier ones, byte for byte as a hook tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.flows.fresh import Looks
from learnt.flows.reflect import shown
from learnt.gate.clearance import PATTERN_SET
from learnt.inject.block import estimate
from learnt.inject.guidance import marker, render, room_of
from learnt.model.scope import Sight

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.thread import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """The block of a session that starts now.

    Attributes:
        text: What is injected; "" for nothing, and then `reason` says why.
        memories: Ids of the memories and observations in it.
        made_at: When the summary was made.
    """

    text: str
    tokens: int
    memories: tuple[str, ...] = ()
    digest: str = ""
    made_at: str = ""
    reason: str = ""


def guidance(means: Means, most_chars: int) -> Guidance:
    """The block for a host that takes so many characters at a start."""
    summary = means.store.summaries.current(Sight((means.context.sight.one("repository"),)))
    reason = _absent(means, summary)
    if summary is None or reason:
        return Guidance(text="", tokens=0, reason=reason)
    looks, now = Looks(means), means.clock.now()

    def stands(names: list[str]) -> bool:
        return all(_may_be_shown(means, name, looks, now) for name in names)

    text, ids = render(
        summary.text,
        digest=summary.digest,
        mark=marker(means.key, summary.digest),
        room_chars=room_of(most_chars, means.settings.sessions.summary_tokens),
        stands=stands,
    )
    return Guidance(
        text=text,
        tokens=estimate(text) if text else 0,
        memories=tuple(ids),
        digest=summary.digest,
        made_at=summary.made_at,
        reason="" if text else "nothing may be shown",
    )


def _absent(means: Means, summary: Summary | None) -> str:
    """Why nothing is injected, as far as that is no matter of single lines."""
    if not means.settings.memory.enabled:
        return "disabled"
    if not means.settings.recall.injection.enabled:
        return "injection is off"
    if summary is None:
        return "no summary yet"
    return "" if summary.clearance == PATTERN_SET else "not cleared by the present patterns"


def _may_be_shown(means: Means, name: str, looks: Looks, now: str) -> bool:
    """Whether a memory is active, or an observation pending; neither external nor gone with its code."""
    if name.startswith("mem_"):
        memory = means.store.memories.get(means.context.sight, name)
        return memory is not None and shown(means, looks, memory, now) is not None
    proposal = means.store.proposals.get(means.context.sight, name)
    if proposal is None or not proposal.observation or proposal.status != "pending" or proposal.trust == "external":
        return False
    held = proposal.expires_at is None or proposal.expires_at > now
    return held and proposal.clearance == PATTERN_SET and proposal.kind not in means.settings.memory.exclude_kinds
