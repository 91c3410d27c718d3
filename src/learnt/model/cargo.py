"""Everything a store holds, as values that mean the same in every store, and how two stores are told to hold the same.

A store is moved chapter by chapter. What is derived (full text, anchors, blocks, codes of vectors) is in no chapter:
the store that takes a chapter in makes it again.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from learnt.model.keys import sha256_hex
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.model.checkpoint import Checkpoint
    from learnt.model.conflict import Former
    from learnt.model.event import ChainRow
    from learnt.model.evidence import EvidenceUnit, Recipe, SessionRecord
    from learnt.model.extraction import Extraction
    from learnt.model.flag import Flag
    from learnt.model.forget import Trace
    from learnt.model.job import Job
    from learnt.model.ledger import Charge
    from learnt.model.memory import Memory
    from learnt.model.outcome import Outcome
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.thread import Summary, Thread
    from learnt.model.vector import GenerationStatus, Target

Chapter = Literal[
    "scopes",
    "memories",
    "formers",
    "outcomes",
    "flags",
    "proposals",
    "events",
    "checkpoints",
    "receipts",
    "contexts",
    "units",
    "sessions",
    "threads",
    "extractions",
    "summaries",
    "seen",
    "recipes",
    "digests",
    "aliases",
    "facts",
    "generations",
    "vectors",
    "failures",
    "jobs",
    "charges",
]
CHAPTERS: Final[tuple[Chapter, ...]] = get_args(Chapter)
"""In the order in which they are moved: what is spoken of comes before what speaks of it."""

EXPORTED: Final[tuple[Chapter, ...]] = ("memories", "proposals", "units", "outcomes", "flags")
"""What an export gives, of the scopes in sight."""

HEAD: Final = "memory_events_chain_head"
"""The fact that holds the hash of the last event."""

MARKER: Final = "cargo"
"""The fact in a store that was moved into: how far, and whether it is whole."""

_STAYS: Final = ("hook.", "copy.", "lease:", "rescan", "queue_clock", MARKER)
_ORDERED: Final = frozenset({"scopes", "events", "receipts", "units", "generations"})
_MODULUS: Final = 1 << 256


def stays(key: str) -> bool:
    """Whether a fact is about one machine or one process, and is not moved: what hooks may do, who holds a lease."""
    return key.startswith(_STAYS)


@dataclass(frozen=True, slots=True)
class Receipt:
    """A bundle with its place in the order of all."""

    number: int
    bundle: Bundle


@dataclass(frozen=True, slots=True)
class Sitting:
    """Which context of a host's session is the present one; `session` is a keyed hash."""

    session: str
    generation: int
    at: str


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message that counted once in its lineage: 64-bit signed prefixes of SHA-256, see `learnt.model.keys`."""

    lineage: int
    message: int


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said of a memory, an outcome or a flag, and whose memory it is."""

    scope: Scope
    what: Outcome | Flag


@dataclass(frozen=True, slots=True)
class ProvenRecipe:
    """A command that worked, and where."""

    scope: Scope
    recipe: Recipe


@dataclass(frozen=True, slots=True)
class Shunned:
    """A keyed digest of what was forgotten in a scope."""

    scope: Scope
    digest: str
    trace: Trace
    at: str


@dataclass(frozen=True, slots=True)
class MetaFact:
    """A small fact about the store, or another name of a repository."""

    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Era:
    """A generation of vectors with its moments; its number is its store's own affair."""

    target: Target
    version: str
    form: str
    dimension: int
    status: GenerationStatus
    began_at: str = ""
    finished_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What one generation holds of one target: its vectors, or why there are none.

    Attributes:
        id: Of the memory or the piece of evidence.
        failure: "" beside no vectors means that there is nothing to embed.
    """

    target: Target
    version: str
    form: str
    id: str
    vectors: tuple[bytes, ...] = ()
    failure: str = ""
    attempts: int = 0
    at: str = ""


if TYPE_CHECKING:
    Carried = (
        Scope
        | Memory
        | Former
        | Said
        | Proposal
        | ChainRow
        | Checkpoint
        | Receipt
        | Sitting
        | EvidenceUnit
        | SessionRecord
        | Thread
        | Extraction
        | Summary
        | SeenMessage
        | ProvenRecipe
        | Shunned
        | MetaFact
        | Era
        | Placed
        | Job
        | Charge
    )


@dataclass(frozen=True, slots=True)
class Load:
    """A stretch of a chapter in the order in which the store keeps it.

    Attributes:
        after: Where the next one begins, in the store's own words; "" when this was the last.
        place: The same, but of the end of this one also when it was the last: what comes later lies after it.
        damaged: Names of rows that could not be read and are left out.
    """

    values: tuple[Carried, ...]
    after: str
    place: str
    damaged: tuple[str, ...] = ()


class Tally:
    """How much of a chapter there is, and a digest of it.

    The digest is the sum of the SHA-256 of every value, so a chapter without an order of its own has one digest in
    whatever order a store keeps it. Where order means something (`learnt.model.cargo`) a value counts with its place;
    a memory with its place in its scope.
    """

    __slots__ = ("_chapter", "_places", "_sum", "count")

    def __init__(self, chapter: Chapter) -> None:
        self._chapter = chapter
        self._places: Counter[str] = Counter()
        self._sum = 0
        self.count = 0

    def add(self, values: Iterable[Carried]) -> None:
        """Count these too."""
        for value in values:
            line = f"{self._place(value)}\n{canonical(value)}"
            self._sum = (self._sum + int(sha256_hex(line), 16)) % _MODULUS
            self.count += 1

    @property
    def digest(self) -> str:
        """64 hex digits."""
        return f"{self._sum:064x}"

    def _place(self, value: Carried) -> int:
        if self._chapter == "memories":
            key = getattr(value, "scope").key  # noqa: B009 - a memory, by its chapter
            self._places[key] += 1
            return self._places[key]
        return self.count if self._chapter in _ORDERED else 0


def canonical(value: Carried) -> str:
    """A value as compact JSON: fields in order (not what is only counted), mappings sorted, a scope as its key."""
    return _encode(_plain(value))


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


_SIMPLE = frozenset({str, int, float, bool, type(None)})


def _plain(held: Any) -> Any:
    """A value as JSON has it."""
    kind = type(held)
    if kind in _SIMPLE:
        return held
    if kind is tuple or kind is list:
        return [each if type(each) in _SIMPLE else _plain(each) for each in held]
    fields_of = _GETTERS.get(kind)
    if fields_of is not None:
        return [each if type(each) in _SIMPLE else _plain(each) for each in fields_of(held)]
    if kind is Scope:
        return held.key
    if kind is bytes:
        return held.hex()
    if is_dataclass(held):
        _GETTERS[kind] = attrgetter(*(field.name for field in fields(held) if field.compare))
        return _plain(held)
    return {str(key): _plain(each) for key, each in held.items()}


_GETTERS: dict[type, attrgetter[tuple[Any, ...]]] = {}
"""What gives all fields of a value at once, by its class."""
