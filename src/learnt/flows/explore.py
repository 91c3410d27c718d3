"""Another chance for what outcomes have suppressed: now and then a recall shows the best of it, marked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.learn import explore
from learnt.learn.average import finite
from learnt.recall.rank import MAX_ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.ranking import Hit, Query
    from learnt.recall.rank import Scored


def is_due(means: Means, query: Query, diagnostics: Mapping[str, object]) -> bool:
    """Whether this recall hid something and is one of those that show the best of it; an injection never is."""
    if not _hid(query, diagnostics):
        return False
    rate = finite(means.settings.learning.exploration_rate, 0.0)
    return explore.is_due(_counted(means) + 1, rate)


def widened(query: Query) -> Query:
    """The same question, with what is suppressed."""
    return replace(query, include_low_q=True, max_items=MAX_ITEMS)


def hidden(hits: Sequence[Scored], suppressed_below: float) -> tuple[Scored, ...]:
    """Those of a wider answer that outcomes suppress, best first."""
    return tuple(hit for hit in hits if hit.candidate.q_value < suppressed_below)


def marked(hit: Hit) -> Hit:
    """A hit that says that it was explored."""
    return replace(hit, labels=(*hit.labels, explore.LABEL))


def count(hits: Sequence[Hit]) -> int:
    """How many of the hits are there by exploration."""
    return sum(explore.LABEL in hit.labels for hit in hits)


def count_up(means: Means, query: Query, diagnostics: Mapping[str, object]) -> None:
    """Count a recall that hid something, inside the caller's transaction."""
    if _hid(query, diagnostics):
        means.store.meta.put(_row(means), str(_counted(means) + 1))


def _hid(query: Query, diagnostics: Mapping[str, object]) -> bool:
    return query.mode != "injection" and query.as_of is None and bool(diagnostics.get("suppressedLowQCount"))


def _counted(means: Means) -> int:
    held = means.store.meta.get(_row(means)) or "0"
    return int(held) if held.isascii() and held.isdigit() else 0


def _row(means: Means) -> str:
    return f"learn.hidden.{means.identity.repository_id}"
