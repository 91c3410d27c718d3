"""What grows old by its kind is given its expiry, by hand and by a worker."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.flows.compact import compact
from learnt.flows.decay import decay
from learnt.flows.recall import recall
from learnt.flows.work import work
from learnt.gate.clearance import PATTERN_SET
from learnt.model.instant import plus_days
from learnt.model.ranking import Query
from learnt.settings import ConsolidationSettings, Settings
from learnt.testing.fakes import NOON
from tests.flows.test_compact import compacted, put

if TYPE_CHECKING:
    from learnt.flows.means import Means


def test_each_gets_the_expiry_of_its_kind(means: Means) -> None:
    """Once; the event holds what there was before, and nothing else of a memory changes."""
    todo, later = put(means, "Todo.", kind="todo"), plus_days(NOON, 400)
    finding = put(means, "Finding.", kind="api_finding", expires_at=later)
    fact = put(means, "Fact.", kind="project_fact")
    answer = decay(means)
    sight = means.context.sight
    assert means.store.memories.get(sight, todo.id) == replace(todo, expires_at=plus_days(NOON, 30))
    assert means.store.memories.get(sight, finding.id) == replace(finding, expires_at=plus_days(NOON, 180))
    assert means.store.memories.get(sight, fact.id) == fact
    (row,) = means.store.events.chain()
    assert (row.id,) == answer.events
    assert json.loads(row.event_json or "{}")["before"] == {todo.id: None, finding.id: later}
    assert (answer.inspected, answer.changed) == (3, 2)
    assert decay(means).changed == 0
    assert len(list(means.store.events.chain())) == 1


def test_what_grew_old_is_hidden_and_stays(means: Means) -> None:
    """Recall leaves it out after its day, and no compaction takes it away."""
    todo = put(means, "Renew the harbour lease.", kind="todo")
    decay(means)
    assert recall(means, Query(text="harbour lease")).total == 1
    means.clock.advance(31 * 86_400)  # type: ignore[attr-defined]
    assert recall(means, Query(text="harbour lease")).total == 0
    assert compacted(means, confirm=True).removed == {"deleted": 0, "superseded": 0, "expired_scratch": 0}
    assert means.store.memories.get(means.context.sight, todo.id)


def test_a_worker_does_it_once_a_week(means: Means) -> None:
    """As often as memories are consolidated, unless it is turned off."""
    todo = put(means, "Todo.", kind="todo", clearance=PATTERN_SET)
    off = replace(means, settings=replace(Settings(), consolidation=ConsolidationSettings(decay=False)))
    assert work(off, once=True).counts.get("failed") is None
    assert means.store.memories.get(means.context.sight, todo.id) == todo
    done = work(means, once=True)
    assert {each.job.kind for each in done.outcomes} == {"decay"}
    held = means.store.memories.get(means.context.sight, todo.id)
    assert held is not None
    assert held.expires_at == plus_days(NOON, 30)
    put(means, "Another.", kind="todo", clearance=PATTERN_SET)
    assert not work(means, once=True).outcomes
    means.clock.advance(8 * 86_400)  # type: ignore[attr-defined]
    assert "decay" in {each.job.kind for each in work(means, once=True).outcomes}
    compact(means)
