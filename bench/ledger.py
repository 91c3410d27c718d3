"""What a request to a model costs beside the model: its place in the ledger, reserved and settled.

10,000 charges of one person in one month on SQLite, three caps. Processor time of this process, mean of 200; warm. And
what is imported before the first request.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.figure import Figure
from learnt.bootstrap import RandomIds, SystemClock
from learnt.flows.writers import LedgerMeter, Purse
from learnt.model.ledger import Cap, Prices
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHARGES, _TIMES = 10_000, 200
_CAPS = (Cap("start", "usd", 10**15), Cap("day", "tokens", 10**12), Cap("month", "usd", 10**15))
_IMPORT = "import time; a = time.process_time(); {}; print(time.process_time() - a)"
_OURS = "import learnt.providers.writers.choose, learnt.providers.writers.served, learnt.providers.writers.write"


def figures() -> Iterator[Figure]:
    """Reserve and settle; the import."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore.open(Path(folder) / "memory.db", now=SystemClock())
        at = SystemClock().now()
        with store.transaction():
            for number in range(_CHARGES):
                store.ledger.put(samples.charge("u", number, at=at, input_tokens=1))
        purse = Purse(store=store, clock=SystemClock(), ids=RandomIds(), user_id="u", start="s", caps=_CAPS)
        yield Figure(
            "reserve and settle one request",
            _reserved_ms(purse),
            "ms",
            limit=20,
            statistic=f"mean of {_TIMES}",
            conditions=f"SQLite, {_CHARGES:,} charges in the month, CPU",
        )
        store.close()
    yield Figure("import of a writer", _import_ms(), "ms", limit=150, statistic="median of 5", conditions="CPU")


def _reserved_ms(purse: Purse) -> float:
    meter = LedgerMeter(
        purse=purse,
        repository_id="",
        purpose="extraction",
        role="default",
        provider="openai",
        model="m",
        prices=Prices(input_usd=1),
        caps=_CAPS,
    )
    began_s = time.process_time()
    for _ in range(_TIMES):
        meter.settle(meter.reserve(100, 100), input_tokens=1, output_tokens=1)
    return (time.process_time() - began_s) / _TIMES * 1000


def _import_ms() -> float:
    run = [sys.executable, "-c", _IMPORT.format(_OURS)]
    return median(float(subprocess.run(run, capture_output=True, check=True).stdout) for _ in range(5)) * 1000
