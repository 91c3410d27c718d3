"""A team's store: a million memories of five thousand repositories on PostgreSQL, asked by one and by many.

Sizes fall off as a power: the largest scope holds a fifth of all, the smallest a handful. Sentences and MiniLM vectors
are those of `bench.dense`; what a scope holds beyond one round of them is a mixture of two. Loaded by COPY, as the
store would have written it one by one; shelves of crowded scopes are built as a worker builds them. The server is the
package's, on this machine, durable.

`LEARNT_BENCH_SMALL=1`: a hundred thousand of five hundred, in two minutes. `LEARNT_BENCH_PLOT=FILE`: cost against size.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.dense import Known, means_of, sample
from bench.figure import Figure
from bench.recall import NOW, percentile, scope_of
from bench.scatter import Panel, page
from learnt.flows.recall import recall
from learnt.gate.clearance import PATTERN_SET
from learnt.model.keys import memory_id
from learnt.model.ranking import Query
from learnt.model.scope import Sight
from learnt.model.vector import MEMORY_FORM, VectorFilter
from learnt.stores.index.narrow import BLOCK
from learnt.stores.postgres import blocks
from learnt.stores.postgres.packed import Packed
from learnt.stores.postgres.store import PostgresStore
from learnt.stores.records import memory_json
from learnt.stores.rows import memory_signals, memory_terms
from learnt.testing.samples import memory
from tests.server import Server, started

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.dense import Sample
    from learnt.model.scope import Scope

SMALL = bool(os.environ.get("LEARNT_BENCH_SMALL"))
TOTAL, SCOPES, LARGEST = (100_000, 500, 20_000) if SMALL else (1_000_000, 5_000, 200_000)
SEED, K = 11, 10
CLIENTS, WRITERS, WRITES = 32, 8, 150
CLASSES = ((1, 100), (100, 2_000), (2_000, 15_000), (15_000, 50_000), (50_000, 10**9))
"""Sizes of scopes that figures are given for: read at once; in blocks; nearly crowded; with shelves of their own."""


def sizes() -> list[int]:
    """How many memories each scope holds, largest first: a power law through the largest and the total."""
    low, high, counts = 0.5, 3.0, [LARGEST]
    for _ in range(60):
        steep = (low + high) / 2
        counts = [max(5, round(LARGEST * (n + 1) ** -steep)) for n in range(SCOPES)]
        low, high = (steep, high) if sum(counts) > TOTAL else (low, steep)
    return counts


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a memory is made of, worked out once for each sentence."""

    sample: Sample
    terms: list[str]
    signals: list[str]
    packed: list[bytes]
    mixed: list[bytes]

    def vector(self, at: int, query: np.ndarray[Any, Any]) -> float:
        """How near memory number `at` of a scope is to a query."""
        row = self.packed[at] if at < len(self.packed) else self.mixed[at - len(self.packed)]
        return float(np.frombuffer(row[4:], ">f4").astype("<f4") @ query)


def drawn() -> Drawn:
    """Sentences with terms, signals and vectors; and as many mixtures as the largest scope needs."""
    base = sample()
    kept, scope = base.kept, scope_of("bench")
    made = [memory(scope, text, kind="lesson", clearance=PATTERN_SET, at=NOW) for text in base.texts[:kept]]
    vectors = base.vectors[:kept]
    other = np.roll(vectors, 7_919, axis=0)
    mixed = 0.65 * vectors + 0.35 * other
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return Drawn(
        base,
        [" ".join(memory_terms(each)) for each in made],
        [memory_signals(each) for each in made],
        _packed(vectors),
        _packed(mixed[: max(0, LARGEST - kept)]),
    )


def _packed(vectors: np.ndarray[Any, Any]) -> list[bytes]:
    """As pgvector receives a vector: its dimension, two bytes of nothing, and numbers from the large end."""
    if not len(vectors):
        return []
    head = struct.pack(">HH", vectors.shape[1], 0)
    return [head + row.tobytes() for row in vectors.astype(">f4")]


@dataclass(frozen=True, slots=True)
class Place:
    """One scope as it was loaded: memory `j` is sentence `(first + j) % kept` of the sample, if `j` is below that."""

    scope: Scope
    size: int
    first: int


def placed(texts: Drawn) -> list[Place]:
    """The scopes, largest first."""
    chance = random.Random(SEED)
    kept = len(texts.terms)
    return [Place(scope_of(f"team{n}"), size, chance.randrange(kept)) for n, size in enumerate(sizes())]


def load(store: PostgresStore, url: str, places: Sequence[Place], texts: Drawn) -> None:
    """Write some scopes into a store that has none of them."""
    import psycopg

    generation = store.vectors.generation("memory")
    assert generation is not None
    with psycopg.connect(url) as raw:
        raw.execute("SET learnt.tenant = 'main'")
        numbers = _scopes(raw, places, texts)
        _memories(raw, places, numbers, texts)
        _vectors(raw, places, numbers, texts, generation.number)
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("VACUUM ANALYZE")
    for place in places:
        if place.size + 1 >= BLOCK:
            with store.transaction():
                blocks.close(store.connection, numbers[place.scope.key], 0, (place.size + 1) // BLOCK)


def _name(place: Place, at: int, texts: Drawn) -> tuple[str, int, str]:
    """Id of a scope's memory number `at`, its sentence, and its text."""
    kept = len(texts.terms)
    which = (place.first + at) % kept
    text = texts.sample.texts[which] + (" once more" if at >= kept else "")
    return memory_id(place.scope.key, "lesson", text), which, text


def _scopes(raw: Any, places: Sequence[Place], texts: Drawn) -> dict[str, int]:
    lengths = [each.count(" ") + 1 for each in texts.terms]
    kept = len(lengths)
    with raw.cursor().copy("COPY scopes (key, type, next_seq, active, terms) FROM STDIN") as copy:
        for place in places:
            terms = sum(lengths[(place.first + at) % kept] + (2 if at >= kept else 0) for at in range(place.size))
            copy.write_row((place.scope.key, "repository", place.size + 1, place.size, terms))
    return dict(raw.execute("SELECT key, no FROM scopes").fetchall())


_COLUMNS = (
    "row, id, scope_no, scope_key, kind, status, trust, confidence, created_at, updated_at, valid_from, clearance,"
    " text, signals, terms, record_json"
)


def _memories(raw: Any, places: Sequence[Place], numbers: dict[str, int], texts: Drawn) -> None:
    json_of = memory_json(memory(scope_of("bench"), "A text.", kind="lesson", clearance=PATTERN_SET, at=NOW))
    kept = len(texts.terms)
    with raw.cursor().copy(f"COPY memory_items ({_COLUMNS}) FROM STDIN") as copy:
        for place in places:
            number = numbers[place.scope.key]
            base = (number << 32) + 1
            for at in range(place.size):
                name, which, text = _name(place, at, texts)
                terms = texts.terms[which] + (" onc more" if at >= kept else "")
                copy.write_row(
                    (base + at, name, number, place.scope.key, "lesson", "active", "agent", 0.5, NOW, NOW, NOW,
                     PATTERN_SET, text, texts.signals[which], terms, json_of)
                )  # fmt: skip


def _vectors(raw: Any, places: Sequence[Place], numbers: dict[str, int], texts: Drawn, generation: int) -> None:
    columns = "generation, scope_no, row, part, target_id, live, kind, since, vector"
    types = ("int8", "int8", "int8", "int2", "text", "bool", "text", "text", "bytea")
    kept = len(texts.packed)
    with raw.cursor().copy(f"COPY vectors ({columns}) FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(types)
        for place in places:
            number = numbers[place.scope.key]
            base = (number << 32) + 1
            for at in range(place.size):
                name, which, _ = _name(place, at, texts)
                vector = texts.packed[which] if at < kept else texts.mixed[at - kept]
                copy.write_row((generation, number, base + at, 0, name, True, "lesson", NOW, vector))


SERVER = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
    "shared_buffers": "4GB",
    "max_wal_size": "8GB",
    "maintenance_work_mem": "1GB",
}
"""Durable, and with the memory a server would be given; the rest is as the package has it."""

STAGES = (0.1, 0.3, 1.0)
"""Shares of the scopes after which the same few are asked: the cost against the number of scopes."""


def figures() -> Iterator[Figure]:
    """All figures of a store on a server."""
    texts = drawn()
    places = placed(texts)
    with started(SERVER) as (address, told), Server(address).database() as url:
        with closing(PostgresStore.open(url, now=lambda: NOW)) as store:
            with store.transaction():
                store.vectors.begin("memory", Known.version, MEMORY_FORM, Known.dimension, NOW)
            bench = Bench(store, Busy(int(str(told["keeper"]))), places, texts)
            yield from _filled(bench, url)
            yield from bench.finding()
            yield from bench.asking()
            yield from bench.crowd()
        yield from writing(url)
        if plot := os.environ.get("LEARNT_BENCH_PLOT"):
            Path(plot).write_text(bench.drawing(), "utf-8")


def _filled(bench: Bench, url: str) -> Iterator[Figure]:
    """Load in stages, asking the same scopes after each; then the indexes."""
    order = list(bench.places)
    random.Random(SEED).shuffle(order)
    loaded_s, start = 0.0, 0
    probes = [each for each in order[: round(STAGES[0] * SCOPES)] if each.size < BLOCK][:20]
    for share in STAGES:
        end = round(share * SCOPES)
        begun = time.perf_counter()
        load(bench.store, url, order[start:end], bench.texts)
        loaded_s, start = loaded_s + time.perf_counter() - begun, end
        wall = []
        for at in range(80):
            begun = time.perf_counter()
            bench.recall(probes[at % len(probes)], at)
            wall.append(1000 * (time.perf_counter() - begun))
        bench.among.append((end, statistics.median(wall[20:])))
        conditions = f"hybrid, 60 asked of 20 scopes below {BLOCK:,}, p95 {percentile(wall[20:], 0.95):.1f} ms; wall"
        yield Figure(f"the same small scopes among {end:,}", bench.among[-1][1], "ms", None, "<=", "p50", conditions)
    begun, shelves = time.perf_counter(), 0
    while bench.store.upkeep.build():
        shelves += 1
    built_s = time.perf_counter() - begun
    sizes_told = f"{TOTAL:,} over {SCOPES:,} scopes, largest {bench.places[0].size:,}, smallest {bench.places[-1].size}"
    yield Figure("loaded, with blocks", loaded_s, "s", None, "<=", "once", f"{sizes_told}; {bench.texts.sample.sort}")
    yield Figure("indexes of crowded scopes", built_s, "s", None, "<=", "once", f"{shelves} scopes")


class Busy:
    """CPU seconds of the server beneath a keeper: its main process, what that has buried, and who still lives."""

    def __init__(self, keeper: int) -> None:
        self._main = next(pid for pid, parent, *_ in _processes() if parent == keeper)

    def cpu_s(self) -> float:
        """Since the server started."""
        ticks = sum(
            own + (buried if pid == self._main else 0)
            for pid, parent, own, buried in _processes()
            if self._main in (pid, parent)
        )
        return ticks / os.sysconf("SC_CLK_TCK")


def _processes() -> Iterator[tuple[int, int, int, int]]:
    """Of each process its number, its parent's, and ticks of CPU: its own and its dead children's."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text("utf-8", "replace").rsplit(") ", 1)[1].split()
        except OSError:
            continue
        yield int(folder.name), int(fields[1]), int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])


class Bench:
    """Questions to a loaded store."""

    def __init__(self, store: PostgresStore, server: Busy, places: Sequence[Place], texts: Drawn) -> None:
        self.store, self.server, self.places, self.texts = store, server, places, texts
        self.points: dict[str, list[tuple[int, float]]] = {}
        self.among: list[tuple[int, float]] = []
        held = store.vectors.generation("memory")
        assert held is not None
        self.generation = held
        kept = texts.sample.kept
        self.queries = texts.sample.vectors[kept:]
        self.asked = texts.sample.texts[kept:]
        self.known = Known(self.asked, self.queries)
        self.chance = random.Random(SEED)

    def finding(self) -> Iterator[Figure]:
        """What the search finds of the true ten nearest, and what it costs beside the plain query, by size of scope."""
        for low, high in CLASSES:
            chosen = [each for each in self.places if low <= each.size < high]
            if not chosen:
                continue
            hits = wanted = 0
            ours, plain = [], []
            for at in range(60):
                place = chosen[self.chance.randrange(len(chosen))]
                query = self.queries[at % len(self.queries)]
                found, _ = self._search(place, query)  # whoever asked first would read the scope's pages for both
                asked = (self._search, self._plain) if at % 2 else (self._plain, self._search)
                told = {ask: ask(place, query) for ask in asked}
                (_, spent), (same, cost) = told[self._search], told[self._plain]
                truth = self._exact(place, query)
                hits, wanted = hits + len(truth & found), wanted + min(K, place.size)
                if at >= 10:
                    ours.append(spent)
                    plain.append(cost)
                    self.points.setdefault("search by vectors", []).append((place.size, spent))
                assert len(same) == min(K, place.size)
            size = f"scopes of {low:,} to {min(high, LARGEST + 1) - 1:,}"
            conditions = f"{len(chosen)} scopes, 60 questions, against all vectors, float32; equal ones alike"
            yield Figure(f"recall@10, {size}", hits / wanted, "", 0.99, ">=", "share", conditions)
            ratio = statistics.median(ours) / statistics.median(plain)
            conditions = (
                f"wall, turn about, pages in memory; ours {statistics.median(ours):.1f} ms, plain"
                f" {statistics.median(plain):.1f};"
                " plain: the ten of the same predicate by nearness, as in PLAIN and PLAIN_OWN of this module, by"
                " the same index where there is one, same ef_search"
            )
            yield Figure(
                f"search against plain pgvector, {size}", ratio, "times", 1.5, "<=", "ratio of p50", conditions
            )

    def _search(self, place: Place, query: np.ndarray[Any, Any]) -> tuple[set[str], float]:
        begun = time.perf_counter()
        found = self.store.vectors.search(
            Sight((place.scope,)), self.generation, query.tobytes(), K, VectorFilter(now=NOW)
        )
        return {each.id for each in found}, 1000 * (time.perf_counter() - begun)

    def _plain(self, place: Place, query: np.ndarray[Any, Any]) -> tuple[set[str], float]:
        """The same question by hand, over the same connection's driver."""
        connection = self.store.connection
        number = self.store.scopes.known(place.scope.key)
        own = connection.rows(
            "SELECT shelf FROM vector_shelves WHERE scope_no = %s AND generation = %s", (number, self.generation.number)
        )
        values = {
            "shelf": own[0][0] if own else 0,
            "scope": number,
            "generation": self.generation.number,
            "vector": Packed(query.tobytes()),
            "now": NOW,
        }
        begun = time.perf_counter()
        if own:
            effort = ("SELECT set_config('hnsw.ef_search', '400', true)", ())
            rows = connection.together(effort, (PLAIN_OWN, values))[1]
        else:
            rows = connection.rows(PLAIN, values)
        return {row[0] for row in rows}, 1000 * (time.perf_counter() - begun)

    def _exact(self, place: Place, query: np.ndarray[Any, Any]) -> set[str]:
        """The true ten nearest, and whatever is as near as the tenth: sentences that differ in case have one vector."""
        texts, kept = self.texts, len(self.texts.terms)
        vectors = texts.sample.vectors[: texts.sample.kept]
        near = (np.roll(vectors, -place.first, axis=0)[: min(place.size, kept)] @ query).tolist()
        near += [texts.vector(kept + at, query) for at in range(max(0, place.size - kept))]
        least = sorted(near)[-min(K, place.size)] - 1e-6
        return {_name(place, at, texts)[0] for at, cosine in enumerate(near) if cosine >= least}

    def asking(self) -> Iterator[Figure]:
        """Whole hybrid recalls of one client."""
        ten = list(self.places[:10])
        for name, chosen, limit in (("scopes drawn evenly", self.places, 40.0), ("the ten largest", ten, 80.0)):
            wall, cpu, busy = [], [], self.server.cpu_s()
            many = 200 if name.startswith("scopes") else 100
            for at in range(many + 20):
                place = chosen[self.chance.randrange(len(chosen))]
                if at == 20:
                    busy = self.server.cpu_s()
                begun, started = time.perf_counter(), time.process_time()
                self.recall(place, at)
                if at >= 20:
                    wall.append(1000 * (time.perf_counter() - begun))
                    cpu.append(1000 * (time.process_time() - started))
                    self.points.setdefault("hybrid recall", []).append((place.size, wall[-1]))
            served = 1000 * (self.server.cpu_s() - busy) / many
            conditions = (
                f"hybrid, one client, {many} asked, receipt and block included, no query embedding; wall p50"
                f" {percentile(wall, 0.5):.1f} ms; {_shares(statistics.mean(cpu), served)}"
            )
            yield Figure(f"scoped hybrid recall, {name}", percentile(wall, 0.95), "ms", limit, "<=", "p95", conditions)

    def recall(self, place: Place, at: int) -> None:
        """One hybrid recall."""
        answer = recall(
            means_of(self.store, place.scope, self.known),  # type: ignore[arg-type]
            Query(text=self.asked[at % len(self.asked)], profile="hybrid"),
        )
        assert answer.diagnostics["arms"]["dense"] == "ran"  # type: ignore[index]

    def crowd(self) -> Iterator[Figure]:
        """Hybrid recalls of many clients of one process at once."""
        weights = [each.size for each in self.places]
        for name, weighed, limit in (("drawn evenly", None, 200.0), ("drawn by size", weights, 50.0)):
            many = 640
            work = self.chance.choices(self.places, weighed, k=many)
            busy, used, begun = self.server.cpu_s(), resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
            failures: list[BaseException] = []

            def ask(first: int, work: Sequence[Place] = work, failures: list[BaseException] = failures) -> None:
                try:
                    for at in range(first, len(work), CLIENTS):
                        self.recall(work[at], at)
                except BaseException as error:  # noqa: BLE001 - told below
                    failures.append(error)

            threads = [threading.Thread(target=ask, args=(first,)) for first in range(CLIENTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if failures:
                raise failures[0]
            spent_s = time.perf_counter() - begun
            now = resource.getrusage(resource.RUSAGE_SELF)
            client = 1000 * (now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) / many
            served = 1000 * (self.server.cpu_s() - busy) / many
            conditions = f"{CLIENTS} threads of one process, {many} asked; {_shares(client, served)}"
            yield Figure(
                f"hybrid recalls at {CLIENTS} clients, {name}", many / spent_s, "/s", limit, ">=", "mean", conditions
            )

    def drawing(self) -> str:
        """Cost against size of scope and against number of scopes, as SVG."""
        return page(
            Panel("memories in the scope asked", self.points),
            Panel("scopes in the store", {"hybrid recall of small scopes": self.among}),
        )


def _shares(client_ms: float, server_ms: float) -> str:
    return f"CPU a query: client {client_ms:.1f}, server {server_ms:.1f} ms"


PLAIN = """
SELECT target_id FROM vectors
WHERE tenant = learnt_tenant() AND shelf = 0 AND generation = %(generation)s AND scope_no = %(scope)s AND live
  AND since <= %(now)s AND (until IS NULL OR until > %(now)s)
ORDER BY vector <#> %(vector)s::vector LIMIT 10
"""
PLAIN_OWN = """
SELECT target_id FROM vectors
WHERE tenant = learnt_tenant() AND shelf = %(shelf)s AND generation = %(generation)s AND scope_no = %(scope)s AND live
  AND since <= %(now)s AND (until IS NULL OR until > %(now)s)
ORDER BY (vector::halfvec(384)) <#> (%(vector)s::vector::halfvec(384)) LIMIT 10
"""


def writing(url: str) -> Iterator[Figure]:
    """The whole write path of several processes, each in a repository of its own."""
    script = "import sys; from bench.postgres import write; write(sys.argv[1], sys.argv[2])"
    with tempfile.TemporaryDirectory(prefix="learnt-bench-") as folder:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "LEARNT_"))},
            "LEARNT_DATABASE_URL": url,
            "LEARNT_CONFIG": str(Path(folder) / "config.toml"),
        }
        Path(environment["LEARNT_CONFIG"]).write_text("[embeddings]\nenabled = false\n", "utf-8")
        clients = []
        for n in range(WRITERS):
            project, home = Path(folder) / f"project{n}", Path(folder) / f"home{n}"
            project.mkdir()
            command = [sys.executable, "-c", script, str(project), str(n)]
            clients.append(
                subprocess.Popen(
                    command,
                    env={**environment, "LEARNT_HOME": str(home)},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        for client in clients:
            assert client.stdout
            assert client.stdout.readline() == "ready\n"
        begun = time.perf_counter()
        for client in clients:
            assert client.stdin
            client.stdin.write("go\n")
            client.stdin.flush()
        cpu = []
        for client in clients:
            assert client.stdout
            cpu.append(float(client.stdout.readline()))
        spent_s = time.perf_counter() - begun
        for client in clients:
            client.communicate()
    conditions = (
        f"{WRITERS} processes, {WRITES} each, each its own repository: Engine.remember with gate, full text and event,"
        f" no vectors, durable; CPU a write of a client {1000 * statistics.mean(cpu) / WRITES:.2f} ms"
    )
    yield Figure(
        f"whole writes at {WRITERS} clients", WRITERS * WRITES / spent_s, "/s", 500.0, ">=", "mean", conditions
    )


def write(project: str, number: str) -> None:
    """One of the processes: says when it is ready, waits, writes, and prints its CPU seconds."""
    from learnt import Engine

    chance = random.Random(int(number))
    words = [f"word{n}" for n in range(2_000)]
    with Engine.open(project=project) as engine:
        engine.remember(f"The first memory of project {number}.", kind="lesson", evidence=["pyproject.toml"])
        print("ready", flush=True)
        sys.stdin.readline()
        started = time.process_time()
        for n in range(WRITES):
            text = f"Memory {n} of {number}: " + " ".join(chance.choices(words, k=14)) + "."
            engine.remember(text, kind="lesson", evidence=["pyproject.toml"])
        print(time.process_time() - started, flush=True)
