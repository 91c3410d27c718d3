"""Which kinds of memory a role asks for, with which limits. Hook-safe data.

Source: swarm-memory seed, recall roles and profiles.
"""

from __future__ import annotations

_PREFIXES = ("mega_", "swarm_", "local_", "cloud_", "paid_", "lowtier_", "modelrelay_")
"""Names of swarms that a host puts before an agent's role."""

_CRITICS = ("sounding_board", "drift_verifier", "hallucination_verifier", "architecture_supervisor")

_PROFILE_OF = {
    "architect": "architect",
    "sme": "sme",
    "docs": "sme",
    "coder": "coder",
    "reviewer": "qa",
    "test_engineer": "qa",
    "qa": "qa",
    "critic": "security",
    "security": "security",
    **{f"critic_{name}": "security" for name in _CRITICS},
    "curator": "curator",
    **{f"curator_{name}": "curator" for name in ("init", "phase", "postmortem")},
}

KINDS_OF: dict[str, frozenset[str]] = {
    "architect": frozenset(
        ("project_fact", "architecture_decision", "repo_convention", "failure_pattern", "security_note")
    ),
    "sme": frozenset(("api_finding", "code_pattern", "repo_convention", "failure_pattern", "evidence")),
    "coder": frozenset(("architecture_decision", "repo_convention", "code_pattern", "test_pattern", "failure_pattern")),
    "qa": frozenset(("test_pattern", "failure_pattern", "repo_convention", "security_note")),
    "security": frozenset(("security_note", "architecture_decision", "repo_convention", "evidence")),
    "curator": frozenset(
        (
            "project_fact",
            "architecture_decision",
            "repo_convention",
            "api_finding",
            "code_pattern",
            "test_pattern",
            "failure_pattern",
            "security_note",
            "evidence",
        )
    ),
}

ADDED_KINDS = frozenset(("lesson", "user_preference"))
"""What every role also sees. Source: contract, kinds."""

LIMITS_OF = {
    "architect": (10, 1600),
    "sme": (8, 1200),
    "coder": (8, 1200),
    "qa": (8, 1200),
    "security": (8, 1200),
    "curator": (20, 3000),
}
"""Most memories and budget in tokens, by profile."""


def profile_of(role: str) -> str:
    """The profile of a role: the swarm's prefix is stripped, no role is the architect's, an unknown one the coder's."""
    name = role.strip().lower()
    if not name:
        return "architect"
    for prefix in _PREFIXES:
        if name not in _PROFILE_OF and name.startswith(prefix):
            name = name[len(prefix) :]
    return _PROFILE_OF.get(name, "coder")


def boosted(role: str) -> frozenset[str]:
    """The kinds whose score a role raises: exactly the seed's profile; none without a role."""
    return KINDS_OF[profile_of(role)] if role.strip() else frozenset()


def wanted(role: str) -> frozenset[str]:
    """The kinds a role's recall is narrowed to; empty for no filter."""
    return boosted(role) | ADDED_KINDS if role.strip() else frozenset()
