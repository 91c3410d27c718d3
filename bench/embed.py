"""The local embedder: processor time of a text alone and among others, of loading, and memory.

Each part runs in a process of its own. Processor time, because a shared machine makes wall time of no use; with one
thread the two are the same on a quiet one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from bench.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRIPT = """
import json, re, sys, time
def mb():
    found = open("/proc/self/smaps_rollup").read() if sys.platform == "linux" else ""
    sizes = {name: int(size) for name, size in re.findall(r"(\\w+): +(\\d+) kB", found)}
    return sizes.get("Rss", 0) / 1024, sizes.get("Anonymous", 0) / 1024
def ms(work, times):
    costs = []
    for _ in range(times):
        start = time.process_time()
        work()
        costs.append((time.process_time() - start) * 1000)
    return sorted(costs)[len(costs) // 2]
start = time.process_time()
from learnt.providers.choose import embedder_of
from learnt.settings import Settings
embedder = embedder_of(Settings(), {})
chosen = (time.process_time() - start) * 1000
before = mb()
start = time.process_time()
embedder.embed(["first"])
loaded = (time.process_time() - start) * 1000
short = [f"How do I run the tests of module {n} in this repository with the lock held and the cache cleared?"
         for n in range(64)]
long = "what the agents of this repository learnt while the tests ran "
turns = iter(short * 4)
found = {"choose": chosen, "load": loaded, "single": ms(lambda: embedder.embed([next(turns)]), 60)}
found["rss"], found["anonymous"] = (after - at for after, at in zip(mb(), before))
found["batch"] = ms(lambda: embedder.embed(short), 5) / len(short)
found["thousand"] = ms(lambda: embedder.embed([(long * 20)[:1000]]), 9)
found["cut"] = ms(lambda: embedder.embed([long * 1600]), 5)
found["peak"] = mb()[0] - before[0]
print(json.dumps(found))
"""


def figures() -> Iterator[Figure]:
    """Nothing without the extra `local`."""
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False)
    if done.returncode:
        print("embed: the extra `local` is not installed", file=sys.stderr)
        return
    found = json.loads(done.stdout)
    clock = "CPU, one thread, int8 MiniLM"
    yield Figure("embedder: chosen, not loaded", found["choose"], "ms", statistic="once", conditions=clock)
    yield Figure("embedder: loaded, first text", found["load"], "ms", statistic="once", conditions=clock)
    text = f"24 tokens, {clock}"
    yield Figure("embedder: one short text", found["single"], "ms", statistic="median of 60", conditions=text)
    yield Figure("embedder: a short text among 64", found["batch"], "ms", statistic="median of 5", conditions=text)
    yield Figure("embedder: 1,000 characters", found["thousand"], "ms", statistic="median of 9", conditions=clock)
    yield Figure("embedder: 100 KB, cut at 256 tokens", found["cut"], "ms", statistic="median of 5", conditions=clock)
    memory = "more than before loading; Linux"
    yield Figure(
        "embedder: memory, one short text at a time", found["rss"], "MB", statistic="once", conditions=f"RSS, {memory}"
    )
    yield Figure("embedder: anonymous", found["anonymous"], "MB", statistic="once", conditions=f"anonymous, {memory}")
    yield Figure(
        "embedder: memory, after long texts", found["peak"], "MB", statistic="once", conditions=f"RSS, {memory}"
    )
