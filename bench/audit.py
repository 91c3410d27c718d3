"""The audit trail: what an event adds to a change, what one costs alone, how fast a trail is verified and proven.

A store of its own on SQLite, keys beside it, no anchor. Processor time of this process, warm. "In a change": events of
four values, twenty in one transaction, so that the commit is spread; "alone": one event in its own transaction, less
the same transaction without it. Verification reads a trail of 50,000 events from the file, marks included; "whole" is
`learnt audit verify`, with everything it holds against it. PostgreSQL's share is on the server (docs/adr/0027).
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure
from learnt.evals.security.scene import Scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.engine import Engine
    from learnt.model.event import Event

EVENTS, EACH, ALONE = 50_000, 20, 300


def figures() -> Iterator[Figure]:
    """Append, disclosure, verification, checkpoint, proof."""
    with tempfile.TemporaryDirectory() as folder, Scene(Path(folder)).opened() as engine:
        appended = list(_appended(engine))
        yield Figure("audit append", _middle(appended), "us", 50.0, "<=", "median", f"{EACH} events a transaction")
        alone = _middle(list(_alone(engine, with_event=True))) - _middle(list(_alone(engine, with_event=False)))
        yield Figure("audit disclosure alone", alone, "us", 120.0, "<=", "difference of medians", f"{ALONE} each")
        began = time.process_time()
        engine.checkpoint()
        took = time.process_time() - began
        count = engine.verify().report.events
        yield Figure("audit first checkpoint", 1e6 * took / count, "us/event", None, "<=", "mean", f"{count:,} events")
        began = time.process_time()
        report = engine.verify().report
        speed = report.events / (time.process_time() - began)
        yield Figure("audit verify, whole", speed, "events/s", 40_000.0, ">=", "mean", f"{count:,} events, all marked")
        proven = list(_proven(engine))
        yield Figure("audit prove", 1e-3 * _middle(proven), "ms", None, "<=", "median", f"one of {count:,} events")
        again = list(_signed(engine))
        yield Figure("audit checkpoint", 1e-3 * _middle(again), "ms", None, "<=", "median", "20 new events")


def _middle(values: list[float]) -> float:
    return statistics.median(values)


def _event(engine: Engine, number: int) -> Event:
    means = engine.assembly.means
    detail = {"count": 6, "memories": [f"mem_{number:016x}"] * 6, "mode": "prompt", "tokens": 700}
    return means.event("recall", f"bundle_{number}", means.clock.now(), detail)


def _appended(engine: Engine) -> Iterator[float]:
    store = engine.assembly.means.store
    for begin in range(0, EVENTS, EACH):
        events = [_event(engine, number) for number in range(begin, begin + EACH)]
        with store.transaction():
            began = time.process_time_ns()
            for each in events:
                store.events.append(each)
            took = time.process_time_ns() - began
        yield took / EACH / 1e3


def _alone(engine: Engine, *, with_event: bool) -> Iterator[float]:
    store = engine.assembly.means.store
    for number in range(ALONE):
        event = _event(engine, number)
        began = time.process_time_ns()
        with store.transaction():
            store.meta.put("bench", str(number))
            if with_event:
                store.events.append(event)
        yield (time.process_time_ns() - began) / 1e3


def _proven(engine: Engine) -> Iterator[float]:
    rows = engine.assembly.means.store.trail.rows(1_000, 1_040)
    for row in list(rows):
        began = time.process_time_ns()
        if not engine.prove(row.id).holds:
            raise RuntimeError(row.id)
        yield (time.process_time_ns() - began) / 1e3


def _signed(engine: Engine) -> Iterator[float]:
    store = engine.assembly.means.store
    for number in range(20):
        with store.transaction():
            for each in range(20):
                store.events.append(_event(engine, 10**9 + number * 100 + each))
        began = time.process_time_ns()
        engine.checkpoint()
        yield (time.process_time_ns() - began) / 1e3
