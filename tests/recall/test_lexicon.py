"""The full-text stage of SQLite gives one answer cold, warm and by the book, and follows every change."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from learnt.model.keys import memory_id
from learnt.model.memory import Memory, Provenance
from learnt.model.scope import Scope, Sight
from learnt.model.tokens import index_terms, query_terms
from learnt.stores.index import blocks
from learnt.stores.index.bits import PLANES, add, bisected, positions
from learnt.stores.index.narrow import BLOCK, EXACT
from learnt.stores.sqlite.narrow import narrow
from learnt.stores.sqlite.store import SqliteStore

NOW = "2026-06-01T00:00:00.000Z"
LATER = "2026-07-01T00:00:00.000Z"
HERE = Scope(type="repository", repo_id="here")
THERE = Scope(type="repository", repo_id="there")
ME = Scope(type="global_user", user_id="me")
WORDS = [f"{a}{b}{c}" for a in ("ka", "lo", "mi", "tre") for b in ("bar", "dor", "fin") for c in ("nak", "pol", "rim")]
MANY = BLOCK + 150


def memory(scope: Scope, text: str, **more) -> Memory:
    """A lesson with this text."""
    facts = {"kind": "lesson", "created_at": NOW, "updated_at": NOW, "valid_from": NOW, **more}
    return Memory(id=memory_id(scope.key, facts["kind"], text), scope=scope, text=text, **facts)


def sample(scope: Scope, count: int, seed: int, rare: int = 0) -> list[Memory]:
    """Memories of common words, each with its own number; `rare` of them also speak of a zeppelin."""
    chance = random.Random(seed)
    texts = [
        " ".join(chance.choices(WORDS, range(len(WORDS), 0, -1), k=9)) + f" nr {n} of {seed}" for n in range(count)
    ]
    for n in chance.sample(range(count), rare):
        texts[n] += " zeppelin"
    return [memory(scope, text, kind=chance.choice(("lesson", "repo_convention"))) for text in texts]


def put(store: SqliteStore, memories: list[Memory]) -> None:
    """Store them in one transaction."""
    with store.transaction():
        for each in memories:
            store.memories.put(each)


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    opened = SqliteStore.open(tmp_path / "memory.db", now=lambda: NOW)
    yield opened
    opened.close()


def by_the_book(memories: list[Memory], terms: tuple[str, ...]) -> list[tuple[float, str]]:
    """(BM25, id) of everything that holds a term, best first, written as plainly as can be."""
    counts = [Counter(index_terms(each.text, each.tags, each.kind)) for each in memories]
    mean = sum(each.total() for each in counts) / len(counts)
    holders = {term: sum(1 for each in counts if term in each) for term in terms}
    found = []
    for each, held in zip(memories, counts, strict=True):
        score = 0.0
        for term in terms:
            rarity = max(math.log((len(counts) - holders[term] + 0.5) / (holders[term] + 0.5)), 1e-6)
            often = held[term]
            score += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * held.total() / mean))
        if score > 0:
            found.append((-round(score, 9), each.id))
    return [(-score, memory_id_) for score, memory_id_ in sorted(found)]


def cold_ids(store: SqliteStore, sight: Sight, terms, limit: int = 50, **more) -> list[str]:
    """What a fresh process finds."""
    numbers = [number for key in sight.keys if (number := store.scopes.known(key)) is not None]
    answer = narrow(store.connection.rows, numbers, terms, limit, **more)
    return [each.id for each in answer.candidates] if answer.matched else []


def warm_ids(store: SqliteStore, sight: Sight, terms, limit: int = 50, **more) -> list[str]:
    """What a process finds that has asked before."""
    store.lexicon.candidates(sight, terms, limit, **more)
    answer = store.lexicon.candidates(sight, terms, limit, **more)
    return [each.id for each in answer.candidates] if answer.matched else []


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A scope with one full block and more, and what is in it."""
    opened = SqliteStore.open(tmp_path_factory.mktemp("large") / "memory.db", now=lambda: NOW)
    memories = sample(HERE, MANY, 3, rare=120)
    put(opened, memories)
    yield opened, memories
    opened.close()


def test_a_full_block_is_made_once(large):
    """2,048 memories close a block; its bit sets are there and the rest is in FTS5 only."""
    store, _ = large
    rows = store.connection.rows("SELECT blocks, next_seq FROM scopes")
    assert rows == [(1, MANY + 1)]
    assert store.connection.rows("SELECT count(*) FROM lexicon_lengths") == [(1,)]


@pytest.mark.parametrize("query", ["zeppelin", "zeppelin nr 17", "nr 2100", "kabarnak zeppelin lodorpol treFinRim"])
def test_cold_warm_and_the_book_agree(large, query):
    """Where a cold answer is exact it is the same as the warm one and as plain BM25, in order."""
    store, memories = large
    terms = query_terms(query)
    wanted = by_the_book(memories, terms)
    warm = warm_ids(store, Sight((HERE,)), terms)
    assert warm == [each for _, each in wanted][:50]
    if len(wanted) <= EXACT:
        assert cold_ids(store, Sight((HERE,)), terms) == warm


def test_a_cold_answer_to_a_broad_question_keeps_the_best(large):
    """Where half the scope matches, the cold answer still holds the best and nearly all of the exact one."""
    store, memories = large
    terms = query_terms("zeppelin " + " ".join(WORDS[:12]))
    exact = [each for _, each in by_the_book(memories, terms)][:160]
    found = cold_ids(store, Sight((HERE,)), terms, 160)
    assert found[0] == exact[0]
    assert len(set(found) & set(exact)) >= 156


def test_kind_and_expiry_bound_before_the_limit(store):
    """Better matches of another kind or past their time take no place, cold and warm alike."""
    crowd = [memory(HERE, f"cache eviction cache eviction nr {n}", kind="repo_convention") for n in range(300)]
    crowd += [memory(HERE, f"cache eviction cache eviction old {n}", expires_at=NOW) for n in range(300)]
    wanted = [memory(HERE, f"cache things, a longer text that says less about it, nr {n}") for n in range(3)]
    put(store, crowd + wanted)
    terms = query_terms("cache eviction")
    asked: dict[str, Any] = {"limit": 5, "kinds": ("lesson",), "now": LATER}
    ids = {each.id for each in wanted}
    assert set(cold_ids(store, Sight((HERE,)), terms, **asked)) == ids
    assert set(warm_ids(store, Sight((HERE,)), terms, **asked)) == ids


def test_foreign_rows_change_neither_answer_nor_order(store):
    """A thousand better matches in another scope, before or after: the same ids in the same order."""
    put(store, sample(HERE, 300, 5, rare=40))
    terms = query_terms("zeppelin kabarnak kabarpol")
    before = cold_ids(store, Sight((HERE,)), terms), warm_ids(store, Sight((HERE,)), terms)
    put(store, [memory(THERE, f"zeppelin zeppelin kabarnak {n}") for n in range(1000)])
    assert (cold_ids(store, Sight((HERE,)), terms), warm_ids(store, Sight((HERE,)), terms)) == before
    ids = set(cold_ids(store, Sight((HERE,)), terms, 20))
    assert all(store.memories.get(Sight((HERE,)), each) for each in ids)


def test_several_scopes_are_ranked_as_one(store):
    """Statistics and order are those of the scopes in sight together."""
    mine, theirs = sample(HERE, 200, 7, rare=20), sample(ME, 150, 8, rare=15)
    put(store, mine + theirs)
    terms = query_terms("zeppelin mifinrim")
    wanted = [each for _, each in by_the_book(mine + theirs, terms)][:60]
    sight = Sight((ME, HERE))
    assert warm_ids(store, sight, terms, 60) == wanted
    if len(wanted) <= EXACT:
        assert cold_ids(store, sight, terms, 60) == wanted


def test_changes_are_followed_in_full_blocks_and_after_them(tmp_path):
    """Leaving, coming back and new words are seen cold and warm, whichever process wrote them."""
    store = SqliteStore.open(tmp_path / "memory.db", now=lambda: NOW)
    other = SqliteStore.open(tmp_path / "memory.db", now=lambda: NOW)
    memories = sample(HERE, MANY, 3, rare=60)
    put(store, memories)
    chance, sight, terms = random.Random(1), Sight((HERE,)), query_terms("zeppelin kabarnak nr 12")
    live = {each.id: each for each in memories}
    for lap in range(6):
        changed = []
        for each in chance.sample(memories, 40):
            new = chance.choice(
                [replace(each, status="superseded"), each, replace(each, tags=("zeppelin", "kabarnak"))]
            )
            changed.append(new)
            live.pop(each.id, None)
            if new.status == "active":
                live[each.id] = new
        changed += [memory(HERE, f"zeppelin fresh {lap} {n}") for n in range(5)]
        live.update({each.id: each for each in changed[40:]})
        put(other if lap % 2 else store, changed)
        wanted = [each for _, each in by_the_book(list(live.values()), terms)]
        assert warm_ids(store, sight, terms) == wanted[:50]
        few = ("zeppelin", "fresh")
        assert cold_ids(store, sight, few) == [each for _, each in by_the_book(list(live.values()), few)][:50]
    store.close()
    other.close()


def test_what_is_kept_of_a_candidate_follows_changes(store):
    """A q value that another process changed is seen by the next warm question."""
    memories = sample(HERE, 200, 9, rare=5)
    put(store, memories)
    sight, terms = Sight((HERE,)), ("zeppelin",)
    first = warm_ids(store, sight, terms)[0]
    put(store, [replace(each, q_value=0.9, confidence=0.7) for each in memories if each.id == first])
    again = next(each for each in store.lexicon.candidates(sight, terms, 50).candidates if each.id == first)
    assert (again.q_value, again.confidence) == (0.9, 0.7)


def test_recall_works_without_the_full_text_table(store):
    """Its table dropped, a first question is answered from the rows, and the fault is on record."""
    memories = sample(HERE, 200, 9, rare=5)
    put(store, memories)
    wanted = [each for _, each in by_the_book(memories, ("zeppelin",))]
    with store.transaction():
        store.connection.write("DROP TABLE memory_fts")
    found = store.lexicon.candidates(Sight((HERE,)), ("zeppelin",), 50).candidates
    assert [each.id for each in found] == wanted
    assert "memory_fts" in store.connection.unreadable


def test_the_run_of_a_memory_is_known(store):
    """A candidate names the run, else the session, that wrote it."""
    put(store, [memory(HERE, "one", provenance=Provenance(run_id="r", session_id="s"))])
    put(store, [memory(HERE, "two", provenance=Provenance(session_id="s"))])
    found = store.lexicon.candidates(Sight((HERE,)), (), 5).candidates
    assert {each.run for each in found} == {"r", "s"}


@pytest.mark.parametrize(
    "query",
    [
        'post-merge "half open',
        "NEAR( AND OR NOT",
        "name:bar * ^ ( {id} x=1 a,b C++",
        "'; drop table memory_items; --",
        "\0 \u200b",
    ],
)
def test_syntax_is_only_words(store, query):
    """Nothing a query says is syntax, cold or warm."""
    put(store, sample(HERE, 200, 4))
    terms = query_terms(query)
    cold_ids(store, Sight((HERE,)), terms)
    warm_ids(store, Sight((HERE,)), terms)
    odd: dict[str, Any] = {"kinds": ('x" OR "y', "")}
    assert cold_ids(store, Sight((HERE,)), ("kabarnak",), **odd) == []
    assert warm_ids(store, Sight((HERE,)), ("kabarnak",), **odd) == []
    assert cold_ids(store, Sight((HERE,)), ('"', 'a" OR "b', "x\0y", "back\\slash")) == []


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        (
            "renewLeaseBatch() deadlocks when retry_budget is 0 (see src/jobs/lease_pool.py)",
            ("lease batch", "renewleasebatch", "retry budget", "lease_pool.py", "RenewLeaseBatch"),
        ),
        ("数据迁移脚本必须先在预发环境运行", ("预发环境", "迁移", "脚本")),
        ("リリース前に負荷試験を必ず行う", ("負荷試験", "試験")),
        ("배포는 화요일에만 진행한다", ("배포", "화요일")),
        ("İzmir sunucusu ΣΤΑΘΜΟΣ ＡＰＩ鍵 straße", ("izmir", "σταθμος", "API鍵", "STRASSE")),
        ("🔥 path: do not touch the scheduler 👩🏽‍🔧", ("🔥", "👩🏽‍🔧", "🔧")),
        ("шаблон миграции не откатывается", ("миграции", "МИГРАЦИИ")),
        ("Use uv, not pip, to add dependencies.", ("how should I add a new dependency to this project?", "uv")),
        ("the flag is NOT working under load", ("NOT working",)),
    ],
)
def test_words_of_every_script_are_found(store, text, queries):
    """Identifiers by parts, Chinese, Japanese, Korean, Cyrillic, accents and emoji, in a scope that is narrowed."""
    put(store, [*sample(HERE, 120, 6), memory(HERE, text)])
    wanted = memory_id(HERE.key, "lesson", text)
    for query in queries:
        assert wanted in cold_ids(store, Sight((HERE,)), query_terms(query), 20), query
        assert wanted in warm_ids(store, Sight((HERE,)), query_terms(query), 20), query


@pytest.mark.parametrize("counts", [{0: 1}, {5: 3, 2047: 1}, dict.fromkeys(range(0, 2048, 3), 1) | {7: 70_000}])
def test_a_posting_survives_packing(counts):
    """Positions and counts come back, counts up to 65,535."""
    packed = blocks.packed([at for at, n in counts.items() for _ in range(n)])
    assert blocks.unpacked(*packed) == {at: min(n, 65_535) for at, n in counts.items()}


@pytest.mark.parametrize("share", [0.002, 0.03, 0.5])
def test_amending_a_posting_is_packing_it_anew(share):
    """Position by position, in and out, from rare to common and back: always the counts it should hold."""
    chance = random.Random(4)
    counts = {at: chance.choice((1, 1, 1, 2, 5)) for at in range(BLOCK) if chance.random() < share}
    docs, repeats = blocks.packed([at for at, n in counts.items() for _ in range(n)])
    for at in chance.sample(range(BLOCK), 300) + list(counts):
        often = chance.choice((0, 0, 1, 3))
        counts.pop(at, None)
        if often:
            counts[at] = often
        docs, repeats = blocks.amended(docs, repeats, at, often)
        assert blocks.unpacked(docs, repeats) == counts
        assert (docs == b"") == (not counts)


def test_the_lowest_bits_come_first():
    """Set bits in ascending order, no more than asked for."""
    assert positions(0b1011010, 3) == [1, 3, 4]
    assert positions(0, 3) == []


def test_sums_over_sets_and_the_best_of_them():
    """Weights added plane by plane give each memory its sum; the bisection finds the best and the ties."""
    chance = random.Random(2)
    sums, planes = [0] * 200, [0] * PLANES
    for _ in range(40):
        held, weight = [at for at in range(200) if chance.random() < 0.3], chance.randrange(32)
        add(planes, sum(1 << at for at in held), weight)
        for at in held:
            sums[at] += weight
    assert [sum((planes[bit] >> at & 1) << bit for bit in range(PLANES)) for at in range(200)] == sums
    sure, tied = bisected(planes, (1 << 200) - 1, 25)
    least = sorted(sums, reverse=True)[24]
    assert positions(sure, 200) == [at for at in range(200) if sums[at] > least]
    assert positions(tied, 200) == [at for at in range(200) if sums[at] == least]
