"""Receipts and their seal: that this installation gave these memories to this run, unit and round."""

from __future__ import annotations

from dataclasses import replace
from hmac import compare_digest
from typing import TYPE_CHECKING, Final

from learnt.errors import AuditKeyError, StoreBusyError, StoreError, StoreFullError, StoreReadOnlyError
from learnt.flows import explore
from learnt.flows.compact import compact_if_due
from learnt.model.keys import keyed_hash, seal_name, sealed
from learnt.model.ranking import Bundle

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.event import Event
    from learnt.model.ranking import Query, Ranking

MOST_ROLE_CHARS: Final = 200
"""Of the name of a role that a receipt keeps."""
_PASSING: Final = (StoreReadOnlyError, StoreBusyError, StoreFullError, AuditKeyError)
"""What keeps a server from counting while it can be read. A file that could be read a moment ago needs no such list:
whatever is in the way of writing, a disk's error too, is told, and the answer is given."""


def signed(means: Means, bundle: Bundle) -> Bundle:
    """The receipt with its seal; without a key it has none."""
    return replace(bundle, signature=sealed(means.key, _parts(bundle))) if means.key else bundle


def is_genuine(means: Means, bundle: Bundle) -> bool:
    """Whether a receipt says what it said when it was written.

    Where there is no key there are no seals. On a server others seal with keys of their own, which nobody else has:
    what keeps strangers out there is the right to write.
    """
    if not means.key:
        return True
    if means.served and bundle.signature.partition(":")[0] not in {"", seal_name(means.key)}:
        return True
    return compare_digest(bundle.signature, sealed(means.key, _parts(bundle)))


def _parts(bundle: Bundle) -> tuple[str, ...]:
    named = (bundle.id, bundle.timestamp, bundle.run_id, bundle.unit_id, bundle.round)
    return (*named, *bundle.memory_ids)


def receipted(means: Means, query: Query, now: str, ranking: Ranking) -> Ranking:
    """`ranking` with its usage row and the event that it was given away; a store that takes neither still answers."""
    try:
        with means.store.transaction():
            bundle = signed(means, receipt(means, query, now, ranking))
            means.store.usage.put(bundle)
            explore.count_up(means, query, ranking.diagnostics)
            if bundle.memory_ids:
                means.store.events.append(disclosed(means, bundle, now))
    except StoreError as error:
        if means.served and not isinstance(error, _PASSING):
            raise
        return replace(ranking, diagnostics={**ranking.diagnostics, "usage": error.error_code})
    if failed := compact_if_due(means):
        return replace(ranking, diagnostics={**ranking.diagnostics, "compaction": failed})
    return ranking


def disclosed(means: Means, bundle: Bundle, now: str, by: str = "") -> Event:
    """The event that memories were given away: which, to answer what sort of question, by whom; never text.

    Args:
        by: Who gave them, where that is not who asks now.
    """
    detail: dict[str, object] = {
        "count": len(bundle.memory_ids),
        "memories": list(bundle.memory_ids),
        "mode": bundle.moment,
        "tokens": bundle.token_estimate,
    }
    if bundle.query_hash:
        detail["query"] = bundle.query_hash
    if by:
        detail |= {"by": by, "at": bundle.timestamp}
    return means.event("recall", bundle.id, now, detail)


def _role(means: Means, name: str) -> str:
    """The name of a role as it is kept: it passes the gate like any text."""
    return means.gate.redact(name)[:MOST_ROLE_CHARS] if name else ""


def receipt(means: Means, query: Query, now: str, ranking: Ranking) -> Bundle:
    """What was given to whom; ids and a keyed hash, never text."""
    context = means.context
    return Bundle(
        id=ranking.bundle_id,
        timestamp=now,
        moment=query.mode,
        query_hash=keyed_hash(means.key, query.text) if means.key else "",
        memory_ids=tuple(hit.memory.id for hit in ranking.hits),
        scores=tuple(hit.score for hit in ranking.hits),
        token_estimate=ranking.token_estimate,
        skip_reason=ranking.skip_reason,
        run_id=context.run_id or context.session_id,
        unit_id=context.unit_id,
        round=context.round,
        session_id=context.session_id,
        agent_id=context.agent_id,
        agent_role=_role(means, query.role) or context.agent_role or "unknown",
        scope_keys=context.sight.keys,
    )
