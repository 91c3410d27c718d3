"""The closed vocabularies of the model, as plain strings, so that the hook process can read them for free.

Source: swarm-memory seed ("What To Store", "Scopes"), to which learnt adds the kinds `lesson` and `channel_note`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal[
        "user_preference",
        "project_fact",
        "architecture_decision",
        "repo_convention",
        "api_finding",
        "code_pattern",
        "test_pattern",
        "failure_pattern",
        "security_note",
        "evidence",
        "todo",
        "scratch",
        "lesson",
        "channel_note",
    ]
    Stability = Literal["ephemeral", "session", "durable"]
    Status = Literal["active", "superseded", "consolidated", "quarantined", "deleted"]
    Trust = Literal["person", "repository", "tool", "agent", "external"]
    ScopeType = Literal[
        "global_user", "workspace", "project", "repository", "run", "agent", "channel", "team", "organization"
    ]
    Operation = Literal["add", "update", "delete", "ignore", "merge", "supersede"]
    Action = Literal["accept", "add", "update", "delete", "merge", "supersede", "reject", "noop"]
    ProposalStatus = Literal["pending", "approved", "rejected", "superseded", "applied", "expired"]
    Reviewer = Literal["user", "controller", "curator_agent", "auto_policy"]
    SourceType = Literal["user", "agent", "tool", "file", "repo", "commit", "test", "web", "manual"]
    Mode = Literal["manual", "injection", "curator"]
    Profile = Literal["lexical", "hybrid", "hybrid+rerank", "dense", "default"]
    SkipReason = Literal["disabled", "no_results", "no_signal", "below_threshold", "budget"]

KINDS: tuple[Kind, ...] = (
    "user_preference",
    "project_fact",
    "architecture_decision",
    "repo_convention",
    "api_finding",
    "code_pattern",
    "test_pattern",
    "failure_pattern",
    "security_note",
    "evidence",
    "todo",
    "scratch",
    "lesson",
    "channel_note",
)
PROMOTABLE_KINDS = frozenset(KINDS) - {"api_finding", "evidence", "todo", "scratch"}
EVIDENCE_REQUIRED_KINDS = frozenset({"api_finding", "evidence", "security_note"})
STATUSES: tuple[Status, ...] = ("active", "superseded", "consolidated", "quarantined", "deleted")
TRUSTS: tuple[Trust, ...] = ("person", "repository", "tool", "agent", "external")
"""Most trusted first."""
OPERATIONS: tuple[Operation, ...] = ("add", "update", "delete", "ignore", "merge", "supersede")
ACTIONS: tuple[Action, ...] = ("accept", "add", "update", "delete", "merge", "supersede", "reject", "noop")
PROPOSAL_STATUSES: tuple[ProposalStatus, ...] = (
    "pending",
    "approved",
    "rejected",
    "superseded",
    "applied",
    "expired",
)
"""The seed's, and `expired`: nobody answered in time."""
OPEN = frozenset({"pending", "expired"})
"""Statuses of proposals that may be decided; an expired one only left the queue."""
CURATOR_ROLES = frozenset({"curator", "curator_init", "curator_phase", "curator_postmortem"})
"""Roles whose output may hold decisions. Source: swarm-memory seed, applying a decision."""
SCOPE_TYPES: tuple[ScopeType, ...] = (
    "global_user",
    "workspace",
    "project",
    "repository",
    "run",
    "agent",
    "channel",
    "team",
    "organization",
)
MODES: tuple[Mode, ...] = ("manual", "injection", "curator")
PROFILES: tuple[Profile, ...] = ("lexical", "hybrid", "hybrid+rerank", "dense", "default")


def least_trust(trusts: tuple[Trust, ...]) -> Trust:
    """The least trusted of `trusts`; `external` for none. Source: contract, trust of one write."""
    return max(trusts, key=TRUSTS.index, default="external")


def most_trust(trusts: tuple[Trust, ...]) -> Trust:
    """The most trusted of `trusts`; `external` for none. Source: contract, several independent writes."""
    return min(trusts, key=TRUSTS.index, default="external")
