"""Recall in scopes of 10,000 and 100,000 memories, warm and cold, with and without a million foreign ones.

Synthetic memories: 30 words, drawn by Zipf 0.9 from 4,600 (harsher than prose, which has more rare words), seed 7.
Queries: real first prompts of coding sessions where they are at hand (their words are mapped onto the vocabulary by
rank), known items (5 words of a memory among 10 others), and the 40 commonest words.
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.figure import Figure
from learnt.model.keys import memory_id
from learnt.model.ranking import Query
from learnt.model.scope import Scope, Sight
from learnt.model.tokens import query_terms
from learnt.recall.rank import Dials, rank
from learnt.stores.index.narrow import BLOCK
from learnt.stores.sqlite import blocks
from learnt.stores.sqlite.narrow import narrow
from learnt.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from learnt.model.candidate import Candidate

NOW = "2026-06-01T00:00:00.000Z"
WORDS, LENGTH, ZIPF, SEED = 4_600, 30, 0.9, 7
LIMIT = 160
SESSIONS = Path(__file__).parents[2] / "shared" / "data" / "entire-sessions" / "sessions.jsonl"
FOREIGN_SCOPES, FOREIGN_EACH = 50, 20_000
ASKED = 200


def word(rank_: int) -> str:
    """The pronounceable word of one rank of the vocabulary; letters only, so that it has no parts."""
    made = ""
    for _ in range(4):
        made += "bcdfghjklm"[rank_ % 10] + "aeiou"[rank_ // 3 % 5]
        rank_ //= 10
    return made


VOCABULARY = [word(rank_) for rank_ in range(WORDS)]


def drawn(count: int, seed: int) -> np.ndarray:
    """`count` memories as ranks of words, (count, LENGTH) int64."""
    weights = np.arange(1, WORDS + 1, dtype=float) ** -ZIPF
    edges = np.cumsum(weights / weights.sum())
    uniform = np.random.default_rng(seed).random((count, LENGTH))
    return np.minimum(np.searchsorted(edges, uniform), WORDS - 1)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A store's file, the scope asked, and the texts in it."""

    path: Path
    scope: Scope
    texts: list[str]

    @property
    def sight(self) -> Sight:
        """What the queries may see."""
        return Sight((self.scope,))

    def id_of(self, number: int) -> str:
        """The id of one memory."""
        return memory_id(self.scope.key, "lesson", self.texts[number])


def scope_of(name: str) -> Scope:
    """A repository."""
    return Scope(type="repository", repo_id=name)


def texts_of(count: int, seed: int) -> list[str]:
    """`count` synthetic memories."""
    return [" ".join(map(VOCABULARY.__getitem__, row)) for row in drawn(count, seed).tolist()]


def fill(path: Path, scope: Scope, texts: Sequence[str]) -> None:
    """Load memories into an empty scope, exactly as the store would have written them one by one."""
    with closing(SqliteStore.open(path, now=lambda: NOW)) as store:
        with store.transaction():
            number = store.scopes.number(scope)
        with store.transaction():
            _rows(store, scope, number, texts)
            blocks.close(store.connection, number, (len(texts) + 1) // BLOCK)


_ROW = (
    "INSERT INTO memory_items (row, id, scope_no, scope_key, kind, status, trust, confidence, created_at, updated_at,"
    " valid_from, text, signals, terms, record_json) VALUES (:row, :id, :no, :key, 'lesson', 'active', 'agent', 0.5,"
    " :now, :now, :now, :text, :signals, :terms, '{}')"
)


def _rows(store: SqliteStore, scope: Scope, number: int, texts: Sequence[str]) -> None:
    key, base = scope.key, (number << 32) + 1
    tail = f" {number}_lesson {number}_-lesson"
    terms = [f"{number}_" + text.replace(" ", f" {number}_") + tail for text in texts]
    store.connection.write_many(
        _ROW,
        (
            {
                "row": base + at,
                "id": memory_id(key, "lesson", text),
                "no": number,
                "key": key,
                "now": NOW,
                "text": text,
                "signals": " ".join(dict.fromkeys(text.split())) + "\n\n\n\n\n",
                "terms": terms[at],
            }
            for at, text in enumerate(texts)
        ),
    )
    store.connection.write_many(
        "INSERT INTO memory_fts (rowid, terms) VALUES (?, ?)", ((base + at, each) for at, each in enumerate(terms))
    )
    store.connection.write(
        "UPDATE scopes SET next_seq = ?, active = active + ?, terms = terms + ? WHERE no = ?",
        (len(texts) + 1, len(texts), sum(each.count(" ") + 1 for each in terms), number),
    )


def add_foreign(path: Path) -> None:
    """A million memories in fifty other scopes."""
    texts = texts_of(FOREIGN_EACH, SEED + 1)
    for other in range(FOREIGN_SCOPES):
        fill(path, scope_of(f"other{other}"), texts)


def prompts() -> tuple[list[str], str]:
    """Queries and what they are: real prompts with their words mapped onto the vocabulary by rank, else drawn ones."""
    if SESSIONS.exists():
        lines = SESSIONS.read_text("utf-8").splitlines()
        real = [query_terms(prompt) for line in lines for prompt in json.loads(line)["prompts"]]
        real = [terms for terms in real if len(terms) >= 3]
        counts = Counter(term for terms in real for term in terms)
        ranks = {term: at % WORDS for at, (term, _) in enumerate(counts.most_common())}
        chosen = random.Random(SEED).sample(real, min(ASKED, len(real)))
        return [" ".join(VOCABULARY[ranks[term]] for term in terms) for terms in chosen], "real prompts, mapped by rank"
    return [" ".join(VOCABULARY[at] for at in row[:15]) for row in drawn(ASKED, SEED + 2).tolist()], "15 drawn words"


def known_items(corpus: Corpus) -> list[tuple[str, str]]:
    """(query, id wanted): five words of one memory among ten drawn ones."""
    chance = random.Random(SEED)
    noise = drawn(ASKED, SEED + 3).tolist()
    found = []
    for at in range(ASKED):
        number = chance.randrange(len(corpus.texts))
        words = chance.sample(corpus.texts[number].split(), 5) + [VOCABULARY[each] for each in noise[at][:10]]
        chance.shuffle(words)
        found.append((" ".join(words), corpus.id_of(number)))
    return found


COMMONEST = " ".join(VOCABULARY[:40])


def cold(corpus: Corpus, query: str) -> tuple[float, Sequence[Candidate]]:
    """CPU milliseconds of the cold stage on a connection just opened, and what it found."""
    with closing(SqliteStore.open(corpus.path, now=lambda: NOW)) as store:
        number = store.scopes.known(corpus.scope.key)
        assert number is not None
        started = time.process_time()
        answer = narrow(store.connection.rows, [number], query_terms(query), LIMIT, now=NOW)
        found = answer.candidates
        return (time.process_time() - started) * 1000, found


def warm(store: SqliteStore, corpus: Corpus, query: str) -> tuple[float, Sequence[Candidate]]:
    """CPU milliseconds of candidates and the nine factors in a store that was asked before, and the candidates."""
    started = time.process_time()
    found = store.lexicon.candidates(corpus.sight, query_terms(query), LIMIT, now=NOW).candidates
    rank(Query(text=query), found, now=NOW, dials=Dials())
    return (time.process_time() - started) * 1000, found


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of the values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def opened(corpus: Corpus) -> SqliteStore:
    """A store that was asked fifty drawn questions."""
    store = SqliteStore.open(corpus.path, now=lambda: NOW)
    for row in drawn(50, SEED + 4).tolist():
        warm(store, corpus, " ".join(VOCABULARY[at] for at in row[:15]))
    return store


def figures() -> Iterator[Figure]:
    """All figures of recall without a model."""
    with tempfile.TemporaryDirectory(prefix="learnt-bench-") as folder:
        small = made(Path(folder) / "small.db", 10_000)
        large = made(Path(folder) / "large.db", 100_000)
        yield from warm_figures(small, 5.0)
        yield from warm_figures(large, 10.0)
        yield from cold_figures(large)
        crowded = Corpus(Path(folder) / "crowded.db", large.scope, large.texts)
        shutil.copyfile(large.path, crowded.path)
        add_foreign(crowded.path)
        yield from foreign_figures(large, crowded)


def made(path: Path, count: int) -> Corpus:
    """A new store with one scope of `count` memories."""
    corpus = Corpus(path, scope_of("asked"), texts_of(count, SEED))
    fill(path, corpus.scope, corpus.texts)
    return corpus


def warm_figures(corpus: Corpus, limit_ms: float) -> Iterator[Figure]:
    """Warm recall of one scope."""
    queries, sort = prompts()
    size = f"{len(corpus.texts):,}"
    clock = "CPU; inside: terms, candidates, nine factors"
    started = time.perf_counter()
    with closing(SqliteStore.open(corpus.path, now=lambda: NOW)) as store:
        for query in queries[:2]:
            warm(store, corpus, query)
    first_s = time.perf_counter() - started
    yield Figure(f"first two questions after open, {size}", first_s, "s", 2.0, "<=", "wall", "open included")
    with closing(opened(corpus)) as store:
        times = [warm(store, corpus, query)[0] for query in queries]
        worst = [warm(store, corpus, COMMONEST)[0] for _ in range(ASKED)]
    conditions = f"{len(queries)} {sort}; warm; {clock}; p50 {percentile(times, 0.5):.1f} ms"
    yield Figure(f"recall warm, exact, {size}", percentile(times, 0.95), "ms", limit_ms, "<=", "p95", conditions)
    conditions = f"40 commonest words x {ASKED}; warm; {clock}"
    yield Figure(f"recall warm, worst query, {size}", percentile(worst, 0.95), "ms", 15.0, "<=", "p95", conditions)


def cold_figures(corpus: Corpus) -> Iterator[Figure]:
    """The candidate stage of a process that has just started, and what it loses."""
    queries, sort = prompts()
    times = [cold(corpus, query)[0] for query in queries]
    conditions = f"{len(queries)} {sort}; connection just opened, file in the page cache; CPU; inside: the stage"
    yield Figure("candidates cold, 100,000", percentile(times, 0.5), "ms", 12.0, "<=", "p50", conditions)
    yield Figure("candidates cold, 100,000", percentile(times, 0.95), "ms", 40.0, "<=", "p95", conditions)
    worst = [cold(corpus, COMMONEST)[0] for _ in range(40)]
    yield Figure("candidates cold, worst query", percentile(worst, 0.95), "ms", None, "<=", "p95", "40 commonest words")
    there = lost = 0
    with closing(opened(corpus)) as store:
        for query, wanted in known_items(corpus):
            if wanted in {one.id for one in warm(store, corpus, query)[1]}:
                there += 1
                lost += wanted not in {one.id for one in cold(corpus, query)[1]}
    conditions = f"{there} of {ASKED} known items are among the best {LIMIT} of full BM25; 5 words among 10 others"
    yield Figure("known items lost cold", 100 * lost / max(1, there), "%", 2.0, "<=", "share", conditions)


def foreign_figures(alone: Corpus, crowded: Corpus) -> Iterator[Figure]:
    """What a million memories of other scopes cost, interleaved, median of three laps; and that they change nothing."""
    queries, _ = prompts()
    conditions = f"{FOREIGN_SCOPES} scopes of {FOREIGN_EACH:,}; 60 prompts, interleaved, median of three laps; CPU p50"
    ratios = [_ratio(lambda q: cold(alone, q), lambda q: cold(crowded, q), queries[:60]) for _ in range(3)]
    yield Figure("1,000,000 foreign memories, cold", statistics.median(ratios), "times", 1.3, "<=", "ratio", conditions)
    with closing(opened(alone)) as one, closing(opened(crowded)) as two:
        ratios = [
            _ratio(lambda q: warm(one, alone, q), lambda q: warm(two, crowded, q), queries[:60]) for _ in range(3)
        ]
    yield Figure("1,000,000 foreign memories, warm", statistics.median(ratios), "times", 1.3, "<=", "ratio", conditions)


Timed = tuple[float, "Sequence[Candidate]"]


def _ratio(base: Callable[[str], Timed], other: Callable[[str], Timed], queries: Sequence[str]) -> float:
    times: tuple[list[float], list[float]] = ([], [])
    for query in queries:
        (first_ms, first), (second_ms, second) = base(query), other(query)
        assert [one.id for one in first] == [one.id for one in second], "foreign memories changed a ranking"
        times[0].append(first_ms)
        times[1].append(second_ms)
    return statistics.median(times[1]) / statistics.median(times[0])
