"""Texts to vectors, at the moment of a write: before its transaction, and never in its way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnt.errors import EmbedderError
from learnt.model.evidence import is_persons
from learnt.model.vector import EVIDENCE_FORM, MEMORY_FORM, Embedded, Unembedded, is_embeddable
from learnt.model.wording import sentences
from learnt.ports.embedder import Absent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.flows.means import Means
    from learnt.model.memory import Memory
    from learnt.model.vector import Generation, Target
    from learnt.ports.embedder import Embedder

FORMS: Mapping[Target, str] = {"memory": MEMORY_FORM, "evidence": EVIDENCE_FORM}

HOOK_ROW = "hook.warm"
"""The row of `_meta` that hooks read (`learnt.interfaces.warm.frame`)."""

NO_VECTOR = "no_vector"
"""Why there is no vector when the embedder gave none and said nothing."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Vectors that wait for the transaction of what they stand for."""

    version: str
    dimension: int
    given: tuple[Embedded, ...]


def embedded(embedder: Embedder, wanted: Sequence[Unembedded]) -> tuple[Embedded, ...]:
    """What comes of some texts, embedded together; one without a vector is told, and takes no other with it.

    Raises:
        EmbedderError: Nothing could be embedded.
    """
    pieces = [_pieces(each) for each in wanted]
    vectors = iter(embedder.embed([piece for each in pieces for piece in each]))
    found = []
    for each, mine in zip(wanted, pieces, strict=True):
        kept = tuple(vector for vector in [next(vectors) for _ in mine] if vector is not None)
        found.append(Embedded(id=each.id, vectors=kept, failure=NO_VECTOR if mine and not kept else ""))
    return tuple(found)


def _pieces(each: Unembedded) -> tuple[str, ...]:
    """What of a target is embedded: every passage, but of an agent's or a tool's words the first.

    A long reply touches on so much that one of its passages is a little like anything. Measured on long chats, rounds
    found among the first ten by likeness alone: .656 with the first passage of replies, .597 with all of them.
    """
    pieces = sentences(each.who, each.text)
    spoken = each.type not in {"", "document"}
    return pieces[:1] if spoken and not is_persons(each.type, each.who) else pieces


def prepared(means: Means, *memories: Memory) -> Prepared | None:
    """The vectors of memories about to be written, or why there are none; None where none is needed now.

    A statement that holds already keeps its vector; one that comes back is embedded again, because its vector left
    when it was deleted, or belongs to an earlier model. Left for `learnt reembed` are writes that come too fast (see
    `Share`), what is superseded by now, and those of a model that is not yet searched, except while that is built.
    Never fails: no write depends on a model.
    """
    embedder, started_s = means.embedder, means.monotonic_s()
    wanted = [memory for memory in memories if memory.status == "active" and is_embeddable(memory)]
    if isinstance(embedder, Absent) or not wanted or not means.share.allows(started_s):
        return None
    wanted = [memory for memory in wanted if not _holds(means, memory)]
    if not wanted:
        return None
    try:
        version, dimension = embedder.version, embedder.dimension
    except EmbedderError:
        return None
    if _place(means, version) is None:
        return None
    try:
        given = embedded(embedder, [Unembedded(id=each.id, text=each.text, place=0) for each in wanted])
        means.share.spend(means.monotonic_s() - started_s)
    except EmbedderError as error:
        if error.may_retry:
            means.share.pause()
        given = tuple(Embedded(id=each.id, failure=error.error_code) for each in wanted)
    return Prepared(version, dimension, given)


def keep(means: Means, ready: Prepared | None, now: str) -> None:
    """Write what was prepared, inside the transaction of the memory."""
    if ready is None:
        return
    held = _place(means, ready.version)
    if held == "first":
        held = means.store.vectors.begin("memory", ready.version, MEMORY_FORM, ready.dimension, now)
    if held is not None and not isinstance(held, str):
        means.store.vectors.put(held, ready.given, now)
        if held.status == "current":
            tell_hooks(means, held)


def tell_hooks(means: Means, held: Generation) -> None:
    """Write down for hooks that vectors of a local model are searched, inside the caller's transaction.

    They then ask a warm process. A model behind a server is not asked at a prompt: its answer may take seconds.
    """
    wanted = means.settings.embeddings.provider == "local" and held.target == "memory"
    if wanted and means.store.meta.get(HOOK_ROW) != held.version:
        means.store.meta.put(HOOK_ROW, held.version)


def _holds(means: Means, memory: Memory) -> bool:
    """Whether this statement is active already, in these words."""
    old = means.store.memories.get(means.context.sight, memory.id)
    return old is not None and old.status == "active" and old.text == memory.text


def _place(means: Means, version: str) -> Generation | str | None:
    """Where a vector of this model goes: a generation in use, `first` where there is none yet, or nowhere."""
    held = means.store.vectors.generation("memory", version, MEMORY_FORM)
    if held is not None:
        return None if held.status == "retired" else held
    return "first" if means.store.vectors.generation("memory") is None else None
