"""When flags put a memory aside, and what they cost it in rank. Hook-safe.

Source: contract, flags by readers; the weights are our choice.
"""

from __future__ import annotations

from learnt.model.instant import plus_days

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.flag import Flag
    from learnt.model.memory import Memory

PERSONS, WITHIN_DAYS = 3, 30
"""So many persons, within so long, put a memory aside."""

MOST_FLAGS = 1_000
CLASS = "flagged"
"""What the metadata of a memory that flags put aside says; the gate's classes are other words."""


def is_due(memory: Memory, flags: Iterable[Flag], now: str) -> bool:
    """Whether the open flags of an active memory put it aside until a person has looked.

    Only persons count whom a store or server knows by their credentials, each once: on a machine of one user there
    are none. What a person wrote themselves, and a security note, is not for readers to take away.
    """
    if memory.status != "active" or is_managed(memory):
        return False
    since = plus_days(now, -WITHIN_DAYS)
    persons = {flag.login for flag in flags if flag.person and flag.login and flag.at >= since}
    return len(persons) >= PERSONS


def is_managed(memory: Memory) -> bool:
    """Whether only who manages a memory may put it aside."""
    own = memory.scope.type == "global_user" or memory.provenance.writer.startswith("person:")
    return own or memory.kind == "security_note"


def is_put_aside(memory: Memory) -> bool:
    """Whether it is flags that quarantined a memory, and nothing else."""
    return memory.status == "quarantined" and list(memory.metadata.get("quarantine") or ()) == [CLASS]  # type: ignore[call-overload]
