"""What `learnt doctor` says of a store on a server beside what it says of every store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Finding = tuple[Literal["ok", "warning", "problem"], str, str]

_MINOR = 8
"""pgvector 0.8 is the first that goes on looking until an index gave enough. Source: its changelog."""


def served(facts: Mapping[str, object]) -> Iterator[Finding]:
    """Result, what was found, and advice, of each thing looked at; nothing for a store that is a file."""
    if "tenant" not in facts:
        return
    role, vector = facts["role"], str(facts["pgvector"] or "missing")
    yield "ok", f"{facts['engine']}, pgvector {vector}, tenant {facts['tenant']}, role {role}", ""
    if _is_old(vector):
        found = f"pgvector {vector} is older than 0.{_MINOR}: crowded scopes are searched by reading all they hold"
        yield "warning", found, f"ALTER EXTENSION vector UPDATE, once the server has 0.{_MINOR}."
    if facts["bypasses_row_security"]:
        found = f"{role} may bypass row-level security: only learnt's own statements keep tenants apart"
        yield "warning", found, "Use a role that may not; the manual has its SQL (a store for a team)."


def _is_old(vector: str) -> bool:
    major, _, rest = vector.partition(".")
    minor = rest.partition(".")[0]
    return major == "0" and minor.isdecimal() and int(minor) < _MINOR
