"""One corpus, kept in any store: memories and evidence with vectors, in several scopes, with ties and odd text."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnt.model.memory import Memory, Provenance
from learnt.model.scope import Scope, Sight
from learnt.model.vector import EVIDENCE_FORM, MEMORY_FORM, Embedded
from learnt.testing import samples
from learnt.testing.embedders import HashEmbedder, numbers, row
from learnt.testing.fakes import NOON

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.kinds import Status
    from learnt.ports.store import Store


class Tinged(HashEmbedder):
    """A bag of words, and a little that is each text's own: only equal texts tie, as with a real model."""

    def embed(self, texts: Sequence[str]) -> tuple[bytes | None, ...]:
        """A row a text."""
        return tuple(vector and _tinged(text, vector) for text, vector in zip(texts, super().embed(texts), strict=True))


def _tinged(text: str, vector: bytes) -> bytes:
    own = random.Random(text)
    mixed = [number + own.gauss(0.0, 0.02) for number in numbers(vector)]
    length = math.hypot(*mixed)
    return row([number / length for number in mixed])


MODEL = Tinged(name="tinged")
WORDS = (
    *("lease", "pool", "deploy", "cache", "retry", "renewLeaseBatch", "src/jobs/lease_pool.py", "E-1042", "uv", "bun"),
    *(
        "naïve",
        "Straße",
        "日本語",
        "東京都",
        "миграция",
        "🦊",
        "don't",
        "x=1",
        "a_b",
        "the",
        "of",
        "and",
        "with",
        "it's",
    ),
)
KINDS = ("repo_convention", "lesson", "todo", "user_preference", "architecture_decision")
MOMENTS = tuple(f"2026-0{month}-11T0{hour}:00:00.000Z" for month in (1, 3, 5) for hour in (1, 2))
ENDS = (None, None, None, "2026-02-01T00:00:00.000Z", "2030-01-01T00:00:00.000Z")
QUESTIONS = (
    *(
        "lease pool deploy",
        "who moved the cache to 東京都",
        "renewLeaseBatch",
        "E-1042 retry",
        "naïve Straße",
        "миграция",
    ),
    *("the of and", "nothing of this sort anywhere", "🦊 日本語", "src/jobs/lease_pool.py"),
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is kept, in this order."""

    scopes: tuple[Scope, ...]
    memories: tuple[Memory, ...]
    units: tuple[EvidenceUnit, ...]

    @property
    def sight(self) -> Sight:
        """All of it."""
        return Sight(self.scopes)


def drawn(seed: int, memories: int = 300, units: int = 120, name: str = "drawn") -> Corpus:
    """A corpus of drawn words; every eighth text stands in two scopes, so that scores tie."""
    chance = random.Random(seed)
    scopes = (samples.user(f"{name}-u"), samples.repository(f"{name}-a"), samples.repository(f"{name}-b"))
    texts = [f"{_text(chance)} {n}" for n in range(memories)]
    kept: dict[str, Memory] = {}
    for n, text in enumerate(texts):
        for scope in chance.sample(scopes, 2 if n % 8 == 0 else 1):
            each = _memory(chance, scope, text)
            kept[each.id] = each
    spoken = [_unit(chance, chance.choice(scopes[1:]), n) for n in range(units)]
    return Corpus(scopes, tuple(kept.values()), tuple(spoken))


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(1, 12)))


def _memory(chance: random.Random, scope: Scope, text: str) -> Memory:
    at = chance.choice(MOMENTS)
    return samples.memory(
        scope,
        text,
        kind=chance.choice(KINDS),
        at=at,
        status=chance.choice(("active",) * 8 + ("superseded", "deleted", "quarantined")),
        confidence=chance.choice((0.2, 0.5, 0.9)),
        q_value=chance.choice((0.1, 0.5, 0.5, 0.9)),
        expires_at=chance.choice(ENDS),
        tags=tuple(chance.sample(("tooling", "naïve", "日本語"), chance.randint(0, 2))),
        files=tuple(chance.sample(("src/jobs/lease_pool.py", "docs/b c.md"), chance.randint(0, 1))),
        symbols=tuple(chance.sample(("renewLeaseBatch", "Cde"), chance.randint(0, 1))),
        stability=chance.choice(("durable", "durable", "session")),
        provenance=Provenance(run_id=chance.choice(("", "r1", "r2"))),
    )


def _unit(chance: random.Random, scope: Scope, number: int) -> EvidenceUnit:
    text = " ".join(_text(chance) for _ in range(chance.choice((1, 1, 1, 40))))
    return samples.unit(
        scope,
        number,
        text=text,
        type=chance.choice(("prompt", "reply", "result", "note")),
        who=chance.choice(("person", "Ann", "agent")),
        at=chance.choice(MOMENTS),
        session_id=chance.choice(("s-1", "s-2", "")),
    )


def keep(store: Store, corpus: Corpus) -> None:
    """Put all of it into a store, with vectors of what has any."""
    with store.transaction():
        for memory in corpus.memories:
            store.memories.put(memory)
        store.archive.put_units(corpus.units)
        mine = store.vectors.begin("memory", MODEL.version, MEMORY_FORM, MODEL.dimension, NOON)
        store.vectors.put(mine, list(_embedded((m.id, m.text) for m in corpus.memories if m.status != "deleted")), NOON)
        theirs = store.vectors.begin("evidence", MODEL.version, EVIDENCE_FORM, MODEL.dimension, NOON)
        store.vectors.put(theirs, list(_embedded((each.id, each.text) for each in corpus.units)), NOON)


def _embedded(texts: Iterable[tuple[str, str]]) -> Iterable[Embedded]:
    for name, text in texts:
        (vector,) = MODEL.embed([text])
        yield Embedded(id=name, vectors=() if vector is None else (vector,))


def change(stores: Sequence[Store], corpus: Corpus, seed: int) -> None:
    """Rewrite some memories of all stores alike: another status, other tags, another text."""
    chance = random.Random(seed)
    for each in chance.sample(corpus.memories, len(corpus.memories) // 10):
        status: Status = chance.choice(("active", "superseded", "deleted"))
        new = replace(each, status=status, tags=(chance.choice(("moved", "tooling")),))
        for store in stores:
            with store.transaction():
                store.memories.put(new)
