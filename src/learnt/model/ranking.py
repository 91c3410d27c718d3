"""A question to the memory, and the ranked answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.kinds import Kind, Mode, Profile, SkipReason
    from learnt.model.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked for.

    Attributes:
        text: At least three characters after normalisation (the rule counts for ASCII-only queries).
        task: The task at hand; in injection mode its tokens replace the query's.
        kinds: Only these; empty for no filter of the caller's.
        role: Who asks; adds the role's kinds to the filter.
        max_items: 1 to 20. None takes the setting.
        budget_tokens: 100 to 5,000. None takes the setting.
        min_score: Inclusive lower bound. None takes the setting.
        as_of: Answer from what was known and held then, by words alone; None for now.
    """

    text: str
    task: str = ""
    kinds: tuple[Kind, ...] = ()
    role: str = ""
    mode: Mode = "manual"
    profile: Profile = "default"
    max_items: int | None = None
    budget_tokens: int | None = None
    min_score: float | None = None
    require_query_signal: bool = True
    include_low_q: bool = False
    include_expired: bool = False
    as_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One memory in a ranking.

    Attributes:
        score: Nine factors plus q term; may exceed 1.
        signals: `textOverlap tagOverlap fileOverlap symbolOverlap kindMatch scopeMatch partOverlap ftsBonus`.
        reason: The non-zero parts of the score, in words.
        labels: What a reader must know (`low confidence`, `seen once, not reviewed`, ...).
        related_to: The hit it stands beside because a merge tied them; None for a hit of its own. `relation`: how.
        belief: How far it may be believed: its writer's grade and what became of it since. In no score.
    """

    memory: Memory
    score: float
    age_days: int
    signals: Mapping[str, float]
    reason: str
    labels: tuple[str, ...] = ()
    related_to: str | None = None
    relation: str | None = None
    belief: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The answer: hits best first, the block they make, and what happened on the way.

    Attributes:
        total: Hits before the token budget cut them.
        prompt_block: The fenced block, or "" for no hit.
        diagnostics: `arms`, `candidateCount`, `preScoredFilteredCount`, `scoredCount`, `returnedCount`,
            `noSignalCount`, `belowThresholdCount`, `suppressedLowQCount`, `exploredCount`, ...
    """

    bundle_id: str
    hits: tuple[Hit, ...]
    total: int
    token_estimate: int
    prompt_block: str
    skip_reason: SkipReason | None
    diagnostics: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The receipt of one recall: what was given to whom, when, at what cost. Never query or block text.

    Attributes:
        moment: manual, injection, curator, session_start, prompt or pre_tool.
        query_hash: Keyed hash of the query; "" without a key.
        context: Keyed hash of the context it went into; "" outside a host.
        run_id, unit_id, round: Of what work it was given for.
        dense: How the search by meaning did, where a hook asked for it.
        signature: That this installation gave these memories to this run, unit and round; see `model.keys.sealed`.
        reward_key: What rewarded it; "" while nothing did. `task_outcome`: the verdict. `last_reward`: its worth.
        q_value: The mean of its memories after the reward; 0.5 before.
    """

    id: str
    timestamp: str
    moment: str
    query_hash: str
    memory_ids: tuple[str, ...]
    scores: tuple[float, ...]
    token_estimate: int
    skip_reason: SkipReason | None = None
    run_id: str = ""
    unit_id: str = ""
    round: str = ""
    session_id: str = ""
    agent_id: str = ""
    agent_role: str = "unknown"
    context: str = ""
    scope_keys: tuple[str, ...] = ()
    dense: str = ""
    signature: str = ""
    reward_key: str = ""
    last_reward: float | None = None
    task_outcome: str = ""
    q_value: float = 0.5
