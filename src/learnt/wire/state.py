"""Status and verification as JSON. Source of the keys: contract, shapes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from learnt.wire.account import account
from learnt.wire.phases import phases
from learnt.wire.portable import last as last_import
from learnt.wire.reembed import generations

if TYPE_CHECKING:
    from learnt.flows.state import Status
    from learnt.flows.upkeep import Repaired

Json = dict[str, Any]


def status(value: Status) -> Json:
    """What is stored, what works, what is missing."""
    return {
        "memories": {**dict.fromkeys(("active", "superseded", "quarantined", "deleted"), 0), **value.memories},
        "proposals": {**dict.fromkeys(("pending", "applied", "rejected"), 0), **value.proposals},
        "arms": dict(value.arms),
        "models": account(value.account),
        "vectors": generations(value.vectors),
        "jobs": dict(value.jobs),
        "copy": _copy(value),
        "gaps": list(value.gaps),
        "audit": dict(value.audit),
        "provider": value.store.get("engine"),
        "migration": {"schema_version": value.store.get("schema_version")},
        "flags": {"open": value.flags.flags, "memories": value.flags.memories},
        "cleanup": _cleanup(value),
        "last_import": last_import(value.imported),
        "store": dict(value.store),
        "repository": dict(value.repository),
        "sessions": value.sessions,
        "phases": phases(value.phases),
        "last_session_at": value.last_session_at,
        "recalls": value.recalls,
        "pattern_set": value.pattern_set,
    }


def _cleanup(value: Status) -> Json:
    held = value.cleanup
    return {
        "mode": "automatic" if held.automatic else "manual",
        "every_recalls": held.every_recalls if held.automatic else 0,
        "undo_days": held.undo_days,
        "counted_since": held.counted_since or None,
        "failure": held.failure or None,
    }


def _copy(value: Status) -> Json | None:
    """The copy that hooks read, and its age; null where they read the store itself."""
    if value.copy is None:
        return None
    found: Json = {field.name: getattr(value.copy, field.name) for field in fields(value.copy)}
    age_s = value.copy_age_s
    return {**found, "synced_at": value.copy.synced_at or None, "age_s": None if age_s is None else round(age_s, 1)}


def repaired(value: Repaired) -> Json:
    """What a rebuild found, made and left."""
    return {
        "before": dict(value.before),
        "made": dict(value.made),
        "after": dict(value.after),
        "event": value.event,
    }
