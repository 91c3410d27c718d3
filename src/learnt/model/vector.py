"""What is embedded, by which model in which form of the text, and how near it lies to a query."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, Literal

from learnt.model.kinds import PROMOTABLE_KINDS

if TYPE_CHECKING:
    from learnt.model.memory import Memory

    Target = Literal["memory", "evidence"]
    GenerationStatus = Literal["building", "current", "retired"]

MEMORY_FORM = "text-1"
"""Name of the form in which a memory's text goes to the model; another form is another generation."""

EVIDENCE_FORM = "said-2"
"""The same of a piece of evidence: who said it, and the words; of a long one of an agent or a tool the first piece."""

MOST_PARTS = 64
"""Most pieces one text is embedded in."""

_UNIT = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """All vectors of one target kind by one model in one text form. Vectors of two generations are never compared.

    Attributes:
        version: The model's (`name:dimension`). `form`: name of the text form.
        embedded, missing, failed: Counted by `Vectors.state` only, of what holds and of what was superseded; `failed`
            is part of `missing`.
    """

    number: int
    target: Target
    version: str
    form: str
    dimension: int
    status: GenerationStatus
    embedded: int = 0
    missing: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """What came of embedding one target: a vector for each of its pieces, or why there is none.

    Attributes:
        failure: Why not; "" together with no vector means that there is nothing to embed.
    """

    id: str
    vectors: tuple[bytes, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A target that a generation has no vector of. `place` orders the targets; a listing goes on after it.

    Attributes:
        who, type: Of a piece of evidence, who said it, and what it is.
    """

    id: str
    text: str
    place: int
    who: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Near:
    """One target and its cosine with the query, -1 to 1; of several pieces the nearest counts."""

    id: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorFilter:
    """What bounds a search before its nearest are taken.

    Attributes:
        kinds: Only these; empty for all.
        now: What ended by then or begins after it is left out; empty for no bound.
        since, until: Only what began within, `until` excluded; empty for no bound.
        who, session: Of evidence, only what this speaker said, only of this session; "" for any.
        retired: Memories that are not active instead of those that are.
    """

    kinds: tuple[str, ...] = ()
    now: str = ""
    since: str = ""
    until: str = ""
    who: str = ""
    session: str = ""
    retired: bool = False


def is_sound(vector: bytes | None, dimension: int) -> bool:
    """Whether this is a row of `dimension` little-endian float32 of length 1: no zeros, no NaN, no other size."""
    if vector is None or len(vector) != 4 * dimension:
        return False
    row = array("f", vector)
    length: float = sum(map(mul, row, row))
    return abs(length - 1.0) <= _UNIT


def is_embeddable(memory: Memory) -> bool:
    """Whether a memory gets a vector: active or superseded, durable, of a durable kind, not blank.

    A superseded one is what its successor is also found by. Source of the rest: swarm-memory seed, write-time
    embedding, and its rebuild (session records are not embedded).
    """
    return (
        memory.status in {"active", "superseded"}
        and memory.stability == "durable"
        and memory.kind in PROMOTABLE_KINDS
        and bool(memory.text.strip())
    )
