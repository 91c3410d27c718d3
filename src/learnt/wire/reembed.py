"""A re-embedding, and the generations a store holds, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.flows.reembed import Progress, Reembedded
    from learnt.model.vector import Generation

Json = dict[str, Any]


def reembedded(value: Reembedded) -> Json:
    """What a run did, target by target."""
    return {
        "dry_run": value.dry_run,
        "stopped": value.stopped or None,
        "targets": [_progress(each) for each in value.targets],
        "totals": {name: sum(getattr(each, name) for each in value.targets) for name in ("wanted", "done", "failed")},
    }


def _progress(value: Progress) -> Json:
    return {
        "target": value.target,
        "model": value.version,
        "wanted": value.wanted,
        "done": value.done,
        "failed": value.failed,
        "current": value.current,
        "removed": value.removed,
    }


def generations(values: Iterable[Generation]) -> list[Json]:
    """Every generation with how far it is."""
    return [
        {
            "target": each.target,
            "model": each.version,
            "status": each.status,
            "embedded": each.embedded,
            "missing": each.missing,
            "failed": each.failed,
        }
        for each in values
    ]
