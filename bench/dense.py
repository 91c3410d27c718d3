"""Search by vectors, and recall by words and vectors, on vectors of real sentences.

Sentences of conversations, sessions and code where these are at hand (cut at 150 characters, seed 7), embedded by the
packaged MiniLM; without them, or without the model, drawn words and the hashes of these, which the conditions say. The
vectors of real sentences take minutes to make and are kept in the folder of temporary files.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.figure import Figure
from bench.recall import NOW, percentile, scope_of, texts_of
from learnt.flows.identify import Identity
from learnt.flows.means import Means
from learnt.flows.recall import recall
from learnt.gate.clearance import PATTERN_SET
from learnt.gate.scan import Gate
from learnt.hosts.local import LocalTranscripts
from learnt.model.context import Context
from learnt.model.keys import memory_id
from learnt.model.place import Place
from learnt.model.ranking import Query
from learnt.model.scope import Scope, Sight
from learnt.model.vector import MEMORY_FORM, Embedded, Generation, VectorFilter
from learnt.stores.index.narrow import BLOCK
from learnt.stores.rows import memory_signals, memory_terms
from learnt.stores.sqlite import blocks
from learnt.stores.sqlite.nearest import coded
from learnt.stores.sqlite.store import SqliteStore
from learnt.testing.embedders import HashEmbedder
from learnt.testing.fakes import FixedClock, SequenceIds
from learnt.testing.samples import memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from learnt.model.memory import Memory

COUNT, ASKED, SEED = 100_000, 300, 7
SCOPES, EACH = 50, 20_000
SHARED = Path(__file__).parents[2] / "shared" / "data"
SETS = ("beam/*.json", "locomo/*.json", "agentlife/*.jsonl", "cosqa/*.jsonl", "entire-sessions/*.jsonl")
MOST_CHARS, LEAST_CHARS = 150, 25


@dataclass(frozen=True, slots=True)
class Sample:
    """Texts and their vectors, (n, d) float32; the last `ASKED` are queries. `sort` says what they are."""

    texts: list[str]
    vectors: NDArray[np.float32]
    sort: str

    @property
    def kept(self) -> int:
        """How many are memories."""
        return len(self.texts) - ASKED


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def sentences() -> list[str]:
    """Distinct sentences of the sets at hand, in a fixed random order; none where there are no sets."""
    files = [file for pattern in SETS for file in sorted(SHARED.glob(pattern))]
    found: dict[str, None] = {}
    for file in files:
        whole = file.read_text("utf-8")
        for document in whole.split("\n") if file.suffix == ".jsonl" else [whole]:
            for text in strings(json.loads(document or "[]")):
                found.update(dict.fromkeys(_cut(text)))
    order = list(found)
    random.Random(SEED).shuffle(order)
    return list({memory_id("", "lesson", text): text for text in reversed(order)}.values())[::-1]


def _cut(text: str) -> Iterator[str]:
    for part in re.split(r"(?<=[.!?])\s+|\n+", text):
        left = part.strip()
        while len(left) > MOST_CHARS:
            end = left.rfind(" ", 60, MOST_CHARS)
            end = end if end > 0 else MOST_CHARS
            yield left[:end]
            left = left[end:].strip()
        if len(left) >= LEAST_CHARS:
            yield left


def sample(count: int = COUNT) -> Sample:
    """`count` memories and `ASKED` queries."""
    from learnt.errors import ProviderError
    from learnt.providers.local import minilm

    texts = sentences()[: count + ASKED]
    if len(texts) == count + ASKED:
        try:
            return Sample(texts, _vectors(texts, minilm().embed), "MiniLM vectors of real sentences")
        except ProviderError:
            pass
    texts = texts_of(count + ASKED, SEED)
    return Sample(texts, _made(texts, HashEmbedder(384).embed), "HASHES OF DRAWN WORDS, no model or no sentences")


def _vectors(texts: Sequence[str], embed: Callable[[Sequence[str]], tuple[bytes | None, ...]]) -> NDArray[np.float32]:
    mark = hashlib.sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()[:16]
    kept = Path(tempfile.gettempdir()) / f"learnt-bench-{mark}.npy"
    if not kept.exists():
        np.save(kept, _made(texts, embed))
    found: NDArray[np.float32] = np.load(kept)
    return found


def _made(texts: Sequence[str], embed: Callable[[Sequence[str]], tuple[bytes | None, ...]]) -> NDArray[np.float32]:
    left, found = iter(texts), list[bytes]()
    while batch := list(islice(left, 256)):
        found.extend(vector or bytes(1536) for vector in embed(batch))
    return np.frombuffer(b"".join(found), "<f4").reshape(len(texts), -1)


class Known:
    """An embedder that knows the queries' vectors: what is measured is everything but the model."""

    version = "bench:384"
    dimension = 384

    def __init__(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._rows = {text: row.tobytes() for text, row in zip(texts, vectors, strict=True)}

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """The vectors that are known."""
        return tuple(self._rows.get(text) for text in texts)


def made(scope: Scope, texts: Sequence[str]) -> list[Memory]:
    """One memory a text."""
    return [memory(scope, text, kind="lesson", clearance=PATTERN_SET, at=NOW) for text in texts]


_ROW = (
    "INSERT INTO memory_items (row, id, scope_no, scope_key, kind, status, trust, confidence, created_at, updated_at,"
    " valid_from, clearance, text, signals, terms, record_json) VALUES (?, ?, ?, ?, 'lesson', 'active', 'agent', 0.5,"
    " ?, ?, ?, ?, ?, ?, ?, ?)"
)
_CODE = "INSERT INTO vector_codes VALUES (?, ?, ?, 0, ?, 1, 'lesson', ?, NULL, ?, ?)"


def fill(path: Path, scope: Scope, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Load memories and vectors into an empty scope, as the store would have written them one by one."""
    from learnt.stores.records import memory_json

    memories = made(scope, texts)
    json_of = memory_json(memories[0])
    with closing(SqliteStore.open(path, now=lambda: NOW)) as store, store.transaction():
        write, number = store.connection.write_many, store.scopes.number(scope)
        base = (number << 32) + 1
        terms = [" ".join(f"{number}_{term}" for term in memory_terms(each)) for each in memories]
        write(
            _ROW,
            (
                (base + at, each.id, number, scope.key, NOW, NOW, NOW, PATTERN_SET, each.text, memory_signals(each),
                 terms[at], json_of)
                for at, each in enumerate(memories)
            ),
        )  # fmt: skip
        write("INSERT INTO memory_fts (rowid, terms) VALUES (?, ?)", ((base + at, t) for at, t in enumerate(terms)))
        store.connection.write(
            "UPDATE scopes SET next_seq = ?, active = ?, terms = ? WHERE no = ?",
            (len(memories) + 1, len(memories), sum(each.count(" ") + 1 for each in terms), number),
        )
        generation = store.vectors.begin("memory", Known.version, MEMORY_FORM, Known.dimension, NOW)
        first = (store.connection.rows("SELECT max(id) FROM vectors")[0][0] or 0) + 1
        rows = [row.tobytes() for row in vectors]
        write("INSERT INTO vectors (id, vector) VALUES (?, ?)", ((first + at, row) for at, row in enumerate(rows)))
        write(
            _CODE,
            (
                (generation.number, number, base + at, at + 1, NOW, first + at, code)
                for at, code in enumerate(coded(rows))
            ),
        )
        blocks.close(store.connection, number, (len(memories) + 1) // BLOCK)


def means_of(store: SqliteStore, scope: Scope, known: Known) -> Means:
    """A person in a repository."""
    return Means(
        store=store,
        gate=Gate(),
        clock=FixedClock("2026-06-02T00:00:00.000Z"),
        ids=SequenceIds(),
        context=Context(scopes=(Scope(type="global_user", user_id="u"), scope), user_id="u", root="/srv/app"),
        workplace=None,  # type: ignore[arg-type]
        transcripts=LocalTranscripts({}),
        place=Place("/srv/app", "", "", "/srv/app", "/srv"),
        identity=Identity(repository_id=scope.repo_id),
        key=b"k" * 32,
        embedder=known,
        asking=known,
    )


def generation_in(store: SqliteStore) -> Generation:
    """The one that is searched."""
    held = store.vectors.generation("memory")
    assert held is not None
    return held


def figures() -> Iterator[Figure]:
    """All figures of vectors."""
    drawn = sample()
    with tempfile.TemporaryDirectory(prefix="learnt-bench-") as folder:
        path, scope = Path(folder) / "one.db", scope_of("asked")
        fill(path, scope, drawn.texts[: drawn.kept], drawn.vectors[: drawn.kept])
        yield from against_brute(path, scope, drawn)
        yield from recalls(path, [scope], drawn, f"{drawn.kept:,} in one scope")
        yield from first_and_foreign(path, scope, drawn)
        yield counted(path, drawn)
        yield from memory_figures(path, drawn)
        path.unlink()
        many = [scope_of(f"many{n}") for n in range(SCOPES)]
        path = Path(folder) / "many.db"
        for n, each in enumerate(many):
            chosen = (np.arange(EACH) + n * EACH) % drawn.kept
            fill(path, each, [drawn.texts[at] for at in chosen], drawn.vectors[chosen])
        yield from recalls(path, many, drawn, f"{SCOPES * EACH:,} over {SCOPES} scopes")


def against_brute(path: Path, scope: Scope, drawn: Sample) -> Iterator[Figure]:
    """The search against numpy over the float32 matrix, interleaved, and what it finds of the true ten nearest."""
    base, queries = np.ascontiguousarray(drawn.vectors[: drawn.kept]), drawn.vectors[drawn.kept :]
    names = [each.id for each in made(scope, drawn.texts[: drawn.kept])]
    sight, hits, times = Sight((scope,)), 0, ([], [])  # type: ignore[var-annotated]
    with closing(SqliteStore.open(path, now=lambda: NOW)) as store:
        generation = generation_in(store)
        for at, query in enumerate([*queries[:20], *queries]):
            started = time.process_time()
            likeness = base @ query
            best = np.argpartition(likeness, -10)[-10:]
            best = best[np.argsort(-likeness[best])]
            middle = time.process_time()
            found = store.vectors.search(sight, generation, query.tobytes(), 10, VectorFilter(now=NOW))
            ended = time.process_time()
            if at >= 20:
                times[0].append(1000 * (middle - started))
                times[1].append(1000 * (ended - middle))
                hits += len({names[each] for each in best} & {each.id for each in found})
    brute, ours = statistics.median(times[0]), statistics.median(times[1])
    conditions = f"{drawn.sort}; {drawn.kept:,} x 384; {len(queries)} queries, k 10, CPU, interleaved"
    told = f"{conditions}; brute {brute:.1f} ms, ours {ours:.2f} ms (p95 {percentile(times[1], 0.95):.2f})"
    yield Figure("vectors against numpy float32", brute / ours, "times faster", 2.0, ">=", "ratio of p50", told)
    yield Figure("recall@10 of the search", hits / 10 / len(queries), "", 0.999, ">=", "share", conditions)


def recalls(path: Path, scopes: Sequence[Scope], drawn: Sample, size: str) -> Iterator[Figure]:
    """Recall by each profile, warm, without the query's embedding; scopes take turns."""
    texts = drawn.texts[drawn.kept :]
    known = Known(texts, drawn.vectors[drawn.kept :])
    with closing(SqliteStore.open(path, now=lambda: NOW)) as store:
        each = [means_of(store, scope, known) for scope in scopes]
        for profile in ("hybrid", "default", "lexical"):
            for at, here in enumerate([*each, *each]):
                recall(here, Query(text=texts[at % ASKED], profile=profile))
            cpu, wall = [], []
            for at, text in enumerate(texts):
                here = each[at % len(each)]
                begun, started = time.perf_counter(), time.process_time()
                answer = recall(here, Query(text=text, profile=profile))
                cpu.append(1000 * (time.process_time() - started))
                wall.append(1000 * (time.perf_counter() - begun))
                assert profile == "lexical" or answer.diagnostics["arms"]["dense"] == "ran"  # type: ignore[index]
            conditions = (
                f"{drawn.sort}; {len(texts)} asked; warm; CPU; receipt and block included, no query embedding;"
                f" p50 {percentile(cpu, 0.5):.1f} ms;"
                f" wall p50 {percentile(wall, 0.5):.1f} p95 {percentile(wall, 0.95):.1f}"
            )
            limit = None if profile == "lexical" else 15.0
            yield Figure(f"recall {profile}, {size}", percentile(cpu, 0.95), "ms", limit, "<=", "p95", conditions)


def first_and_foreign(path: Path, scope: Scope, drawn: Sample) -> Iterator[Figure]:
    """The first recall of a process, and the first after another process wrote a memory with its vector."""
    script = "import sys; from bench.dense import first; first(sys.argv[1])"
    times = [json.loads(_run(script, str(path))) for _ in range(5)]
    told = "file in the page cache; numpy's import included; CPU and wall of a new process, open included"
    first = statistics.median(each["cpu_s"] for each in times)
    wall = statistics.median(each["wall_s"] for each in times)
    yield Figure("first hybrid recall after open", first, "s", 1.0, "<=", "median of 5", f"{told}; wall {wall:.2f} s")
    known = Known(drawn.texts[drawn.kept :], drawn.vectors[drawn.kept :])
    cpu, wall_ms = [], []
    with (
        closing(SqliteStore.open(path, now=lambda: NOW)) as store,
        closing(SqliteStore.open(path, now=lambda: NOW)) as other,
    ):
        here = means_of(store, scope, known)
        generation = generation_in(other)
        for text in drawn.texts[-ASKED // 2 :]:
            recall(here, Query(text=text, profile="hybrid"))
        for at, text in enumerate(drawn.texts[drawn.kept :][:60]):
            extra = memory(scope, f"written elsewhere {at}", kind="lesson", clearance=PATTERN_SET, at=NOW)
            with other.transaction():
                other.memories.put(extra)
                vector = drawn.vectors[drawn.kept + at].tobytes()
                other.vectors.put(generation, [Embedded(id=extra.id, vectors=(vector,))], NOW)
            begun, started = time.perf_counter(), time.process_time()
            recall(here, Query(text=text, profile="hybrid"))
            cpu.append(1000 * (time.process_time() - started))
            wall_ms.append(1000 * (time.perf_counter() - begun))
            near = store.vectors.search(here.context.sight, generation, vector, 3, VectorFilter())
            assert extra.id in {each.id for each in near}
    told = (
        f"50 writes by another connection, a recall after each; CPU; wall p95 {percentile(wall_ms[10:], 0.95):.1f} ms"
    )
    yield Figure("hybrid recall after a foreign write", percentile(cpu[10:], 0.95), "ms", 20.0, "<=", "p95", told)


def counted(path: Path, drawn: Sample) -> Figure:
    """What `status` takes to count the memories that lack a vector."""
    times = []
    with closing(SqliteStore.open(path, now=lambda: NOW)) as store:
        for _ in range(21):
            started = time.process_time()
            (state,) = store.vectors.state("memory")
            times.append(1000 * (time.process_time() - started))
            assert state.embedded + state.missing >= drawn.kept
    told = f"{drawn.kept:,} memories; CPU; 21 times"
    return Figure("status: counting what lacks a vector", statistics.median(times), "ms", 20.0, "<=", "p50", told)


def first(path: str) -> None:
    """What a new process needs for its first recall, printed."""
    begun, started = time.perf_counter(), time.process_time()
    with closing(SqliteStore.open(path, now=lambda: NOW)) as store:
        vector = np.random.default_rng(SEED).normal(size=(1, 384)).astype("<f4")
        text = "where are the vectors of this repository kept"
        known = Known([text], vector / np.linalg.norm(vector))
        answer = recall(means_of(store, scope_of("asked"), known), Query(text=text, profile="hybrid"))
        assert answer.diagnostics["arms"]["dense"] == "ran"  # type: ignore[index]
    print(json.dumps({"cpu_s": time.process_time() - started, "wall_s": time.perf_counter() - begun}))


def memory_figures(path: Path, drawn: Sample) -> Iterator[Figure]:
    """What a process with the model holds after hybrid recalls."""
    if not drawn.sort.startswith("MiniLM"):
        return
    held = json.loads(_run("import sys; from bench.dense import held; held(sys.argv[1])", str(path)))
    told = f"after 20 hybrid recalls with the model, batch of 1; of it anonymous {held['anonymous_mb']:.0f} MB"
    yield Figure(f"memory, {drawn.kept:,} memories and the model", held["mb"], "MB", 400.0, "<=", "once", told)


def held(path: str) -> None:
    """Megabytes of this process after recalls with the model: anonymous, and mapped pages of model and runtime."""
    from learnt.providers.local import minilm

    model: Any = minilm()
    with closing(SqliteStore.open(path, now=lambda: NOW)) as store:
        with store.transaction():
            store.connection.write("UPDATE vector_generations SET model_version = ?", (model.version,))
        here = means_of(store, scope_of("asked"), model)
        for n in range(20):
            answer = recall(here, Query(text=f"how do we keep vectors number {n}", profile="hybrid"))
            assert answer.diagnostics["arms"]["dense"] == "ran"  # type: ignore[index]
        rows = dict(line.split(":") for line in Path("/proc/self/status").read_text("ascii").splitlines())
        with store.transaction():
            store.connection.write("UPDATE vector_generations SET model_version = ?", (Known.version,))
    anonymous, mapped = (int(rows[name].split()[0]) / 1024 for name in ("RssAnon", "RssFile"))
    print(json.dumps({"mb": anonymous + mapped, "anonymous_mb": anonymous}))


def _run(script: str, *arguments: str) -> str:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
