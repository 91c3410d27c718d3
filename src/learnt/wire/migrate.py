"""A move of a store, and what bringing its schema to the present did, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.flows.moved import Account, Moved, Upgraded

Json = dict[str, Any]


def moved(value: Moved) -> Json:
    """What became of a move, chapter by chapter."""
    return {
        "source": value.source,
        "target": value.target,
        "as_of": value.as_of,
        "verified": value.verified,
        "resumed": value.resumed,
        "restarted": value.restarted,
        "changed_since": value.changed,
        "chapters": [_account(each) for each in value.chapters],
        "totals": {"rows": sum(each.rows for each in value.chapters), "damaged": len(value.damaged)},
        "damaged": [{"chapter": chapter, "name": name} for chapter, name in value.damaged],
        "left_behind": dict(value.left),
        "audit": {"verified": value.chain.verified, "events": value.chain.events, "head": value.chain.head_stored},
    }


def _account(value: Account) -> Json:
    return {
        "chapter": value.chapter,
        "equal": value.equal,
        "rows": value.rows,
        "digest": value.digest,
        "arrived": value.arrived,
        "arrived_digest": value.arrived_digest,
    }


def upgraded(value: Upgraded) -> Json:
    """Which steps were applied."""
    return {
        "store": value.store,
        "schema": {"before": value.before, "now": value.now, "applied": list(value.applied)},
    }
