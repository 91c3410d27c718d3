"""What was forgotten as JSON: ids, counts and places, never a text. Source of the keys: contract, `forget`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.forget import Elsewhere, Ended, Erased, Forgotten


def erased(value: Erased) -> dict[str, Any]:
    """What went with a person."""
    return {**forgotten(value.forgotten), "kept_without": list(value.kept), "outcomes_and_flags": value.unsaid}


def ended(value: Ended) -> dict[str, Any]:
    """What went with a repository."""
    return {
        "repository": value.repository,
        "removed": dict(value.removed),
        "copies_elsewhere": _elsewhere(value.elsewhere),
        "event": value.event or None,
        "dry_run": value.dry_run,
    }


def _elsewhere(value: Iterable[Elsewhere]) -> list[dict[str, Any]]:
    return [{"type": each.type, "place": each.place, "hint": each.hint or None} for each in value]


def forgotten(value: Forgotten) -> dict[str, Any]:
    """What went, what came back, and where a person has to look."""
    return {
        "deleted": list(value.deleted),
        "restored": list(value.restored),
        "restatements": list(value.restatements),
        "proposals": list(value.proposals),
        "evidence_erased": list(value.blanked),
        "evidence_erased_of": list(value.marked),
        "copies_elsewhere": _elsewhere(value.elsewhere),
        "digests": value.digests,
        "event": value.event or None,
        "dry_run": value.dry_run,
    }
