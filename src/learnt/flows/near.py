"""The statements nearest to a new one: near-duplicates, and the decisions it may replace. Looked for before its write.

Only ever nominates (`[lessons] supersede` says otherwise for near-duplicates). A write waits for no search that would
make it slow: in a large scope so much is looked for as the share of time allows, see `learnt.flows.share`.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, Final

from learnt.govern import likeness
from learnt.govern.truth import STATED_KINDS
from learnt.model.scope import Sight
from learnt.model.tokens import query_terms
from learnt.model.vector import MEMORY_FORM, VectorFilter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.flows.embed import Prepared
    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.vector import Generation

_POOL: Final = 50
"""Most memories compared word by word."""
_UNKNOWN: Final = 0.1
"""Share of the compared that may lack a vector."""
SMALL: Final = 8_192
"""Decisions of a scope of at most so many are always compared."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """Ids with their likeness, the most alike first.

    Attributes:
        alike: Near-duplicates. `related`: the decisions nearest to a new one, near-duplicates among them.
        details: Those of the alike whose words are all in the new statement, which adds some.
        meant: Whether likeness is the cosine of one generation, which alone may retire.
    """

    alike: tuple[tuple[str, float], ...] = ()
    related: tuple[tuple[str, float], ...] = ()
    details: tuple[str, ...] = ()
    meant: bool = False


def nearest(means: Means, memory: Memory, ready: Prepared | None, now: str) -> Nearest:
    """What is nearest to a memory about to be written; nothing where likeness is turned off or there is no time."""
    threshold = means.settings.lessons.supersede_threshold
    if threshold >= 1 or memory.status != "active" or memory.kind not in STATED_KINDS:
        return Nearest()
    started_s = means.monotonic_s()
    vectors = _vectors(means, memory, ready)
    if vectors is None and not _affordable(means, memory, started_s):
        return Nearest()
    decision = is_decision(memory)
    cosines = vectors.nearest(means, memory, now) if vectors is not None else {}
    texts = _texts(means, memory, cosines, now, decision=decision)
    if vectors is not None and decision:
        cosines = vectors.rest(means, texts, cosines)
    means.looking.spend(means.monotonic_s() - started_s)
    related = likeness.ranked(memory.text, list(texts.items()), cosines)[: likeness.MOST_RELATED] if decision else ()
    alike = _alike(memory.text, texts, cosines, threshold)
    mine = likeness.words(memory.text)
    details = tuple(name for name, _ in alike if likeness.words(texts[name]) < mine)
    return Nearest(alike, related, details, meant=vectors is not None)


def is_decision(memory: Memory) -> bool:
    """Whether a memory is an account of a decision, whose predecessor is looked for by what it is about."""
    return memory.kind == "architecture_decision" or len(memory.text) > likeness.LONG_CHARS


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The vectors of the memory, in the generation that is searched."""

    own: tuple[bytes, ...]
    held: Generation

    def nearest(self, means: Means, memory: Memory, now: str) -> dict[str, float]:
        """The nearest of its scope, with their cosines."""
        found: dict[str, float] = {}
        for vector in self.own:
            for each in means.store.vectors.search(
                Sight((memory.scope,)), self.held, vector, _POOL, VectorFilter(now=now)
            ):
                found[each.id] = max(each.cosine, found.get(each.id, -1.0))
        found.pop(memory.id, None)
        return found

    def rest(self, means: Means, texts: Mapping[str, str], known: Mapping[str, float]) -> dict[str, float]:
        """The cosines of all these; none at all where many have no vector, because the others would be preferred."""
        missing = [name for name in texts if name not in known]
        kept = means.store.vectors.kept(means.context.sight, self.held, missing) if missing else {}
        more = {
            name: max(_cosine(a, b) for a in self.own for b in vectors) for name, vectors in kept.items() if vectors
        }
        found = {**known, **more}
        unknown = sum(name not in found for name in texts)
        return found if unknown <= len(texts) * _UNKNOWN else {}


def _vectors(means: Means, memory: Memory, ready: Prepared | None) -> _Vectors | None:
    given = next((each.vectors for each in ready.given if each.id == memory.id), ()) if ready else ()
    held = means.store.vectors.generation("memory", ready.version, MEMORY_FORM) if ready and given else None
    return _Vectors(given[:2], held) if held is not None and held.status == "current" else None


def _cosine(one: bytes, two: bytes) -> float:
    product: float = sum(map(mul, array("f", one), array("f", two)))
    return product


def _affordable(means: Means, memory: Memory, now_s: float) -> bool:
    """Whether there is time to look: what allows, and always for a recorded decision in a scope that is not large."""
    if means.looking.allows(now_s):
        return True
    if memory.kind != "architecture_decision":
        return False
    return means.store.memories.count(Sight((memory.scope,))).get("active", 0) <= SMALL


def _texts(means: Means, memory: Memory, cosines: Mapping[str, float], now: str, *, decision: bool) -> dict[str, str]:
    """The texts that are compared, by id: the nearest by meaning; by words for a decision, and where there are none."""
    sight = Sight((memory.scope,))
    names = list(cosines)
    if decision or not cosines:
        found = means.store.lexicon.candidates(sight, query_terms(memory.text), _POOL, now=now)
        names += [each.id for each in found.candidates if each.id not in cosines] if found.matched else []
    held = means.store.memories.many(sight, names)
    return {
        each.id: each.text
        for each in held
        if each.id != memory.id and each.status == "active" and _is_of_kind(memory, each)
    }


def _is_of_kind(memory: Memory, other: Memory) -> bool:
    if other.kind not in STATED_KINDS:
        return False
    return "security_note" not in {memory.kind, other.kind} or memory.kind == other.kind


def _alike(
    text: str, texts: Mapping[str, str], cosines: Mapping[str, float], threshold: float
) -> tuple[tuple[str, float], ...]:
    """Near-duplicates: by cosine where there is one, else by words alone."""
    mine = likeness.words(text)
    found = []
    for name, other in texts.items():
        theirs = likeness.words(other)
        if likeness.is_elsewhere(mine, theirs):
            continue
        cosine = cosines.get(name)
        score = likeness.plain_likeness(mine, theirs) if cosine is None else cosine
        if score >= (likeness.EQUIVALENT if cosine is None else threshold):
            found.append((name, score))
    return tuple(sorted(found, key=lambda each: (-each[1], each[0])))
