"""The tool server: how soon it answers, and what a call costs beyond the engine.

A store of 1,000 memories of 30 words drawn by Zipf 0.9 from 4,600, seed 11, in a throw-away folder, no vectors. The
start is a process from its command line to its answer to `initialize`: processor time of that process, as the system
accounts for it. A call is `memory_recall` of three words through the SDK's own handler (arguments checked, thread,
document, validation by the SDK's types), in this process, warm; the same recall by the engine stands beside it.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from mcp import Client

from bench.figure import Figure
from bench.write import Place, percentile, text
from learnt.interfaces.mcp.seat import Seat
from learnt.interfaces.mcp.serve import Desk
from learnt.testing import samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MEMORIES, CALLS, STARTS = 1_000, 300, 5
_SEED = 11
_NAME = {"name": "bench", "version": "1"}
_HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def figures() -> Iterator[Figure]:
    """Start, a call, and the engine alone."""
    took = sorted(_start() for _ in range(STARTS))
    told = "process from its command line to the answer to `initialize`, processor time"
    yield Figure("start of the tool server", took[len(took) // 2], "ms", 1_500, "<=", "median", told)
    with tempfile.TemporaryDirectory() as folder:
        calls, engine = _calls(Path(folder))
    conditions = f"{MEMORIES:,} memories, three words, warm, processor time of client and server together"
    yield Figure("memory_recall by the SDK's client", percentile(calls, 0.95), "ms", 40, "<=", "p95", conditions)
    yield Figure("the same recall by the engine", percentile(engine, 0.95), "ms", None, "<=", "p95", conditions)


def _start() -> float:
    line = [sys.executable, "-I", "-m", "learnt.interfaces.cli.entry", "mcp"]
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO}
    before = os.times()
    subprocess.run(line, input=json.dumps(first).encode() + b"\n", capture_output=True, check=True)
    after = os.times()
    return 1000 * (after.children_user + after.children_system - before.children_user - before.children_system)


def _calls(folder: Path) -> tuple[list[float], list[float]]:
    place = Place.made(folder)
    chance = random.Random(_SEED)
    with place.engine() as engine:
        scope = engine.assembly.means.context.sight.one("repository")
        made = [samples.memory(scope, text(chance, f"n{number}")) for number in range(MEMORIES)]
        with engine.assembly.means.store.transaction():
            for memory in made:
                engine.assembly.means.store.memories.put(memory)
        questions = [" ".join(chance.sample(chance.choice(made).text.split(), 3)) for _ in range(CALLS)]
        alone = [_timed(lambda asked=asked: engine.recall(asked)) for asked in questions]
        home, project = engine.assembly.home, engine.assembly.place.root
    seat = Seat(home.environment, project=project)
    return anyio.run(_through, seat, questions), alone[10:]


def _timed(call: Any) -> float:
    began = time.process_time()
    call()
    return 1000 * (time.process_time() - began)


async def _through(seat: Seat, questions: Sequence[str]) -> list[float]:
    took = []
    async with Client(Desk(seat).server) as client:
        for asked in questions:
            began = time.process_time()
            result = await client.call_tool("memory_recall", {"query": asked})
            took.append(1000 * (time.process_time() - began))
            if result.is_error:
                raise RuntimeError(str(result.structured_content))
    seat.close(1)
    return took[10:]
