"""Rows of an export: values as JSON that a person can read, and back.

One line has one form: keys in order, a whole number written as one, so that a value that comes back from another
program's hands is written as it was. Where a checkout lies is in no scope, so an export names no place of a machine.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from learnt.model.cargo import Said
from learnt.model.evidence import UNIT_TYPES, EvidenceUnit
from learnt.model.field import (
    MisfitError,
    blank,
    grade,
    instant,
    maybe,
    metadata,
    one_of,
    pairs,
    plain,
    scope,
    text,
    texts,
    whole,
    yes,
)
from learnt.model.flag import Flag
from learnt.model.kinds import KINDS, OPERATIONS, STATUSES, TRUSTS
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.outcome import RESULTS, Outcome, Spot
from learnt.model.proposal import Proposal
from learnt.model.session import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from learnt.model.field import Read, Write
    from learnt.model.scope import Scope

    Column = tuple[str, Read, Write | None]

STABILITIES: Final = ("ephemeral", "session", "durable")
REVIEWERS: Final = ("user", "controller", "curator_agent", "auto_policy")
PROPOSAL_STATUSES: Final = ("pending", "approved", "rejected", "superseded", "applied")
SOURCE_TYPES: Final = ("user", "agent", "tool", "file", "repo", "commit", "test", "web", "manual")

_KEYS: dict[str, Any] = {}


def _scope_ids(held: Scope) -> Any:
    """The ids of a scope's key; the few there are, made once."""
    key = held.key
    found = _KEYS.get(key)
    if found is None:
        if len(_KEYS) > 4_096:
            _KEYS.clear()
        found = _KEYS[key] = json.loads(key)
    return found


def _number(value: float) -> float:
    """A grade as it is written: a whole number as one."""
    return int(value) if value in (0, 1) else value


@dataclass(frozen=True, slots=True)
class Codec:
    """How a class of values is written and read.

    Attributes:
        readers: Of each field its name in a row, its own, and what reads it.
        names: In a row, in order. `all_of`: the fields of a value in the same order. `writers`: the place of each that
            is not written as it is held, and what writes it.
        needed: Fields without a default. `kept`: what is written also where it is empty; None for everything.
    """

    kind: type
    readers: tuple[tuple[str, str, Read], ...]
    names: tuple[str, ...]
    all_of: Callable[[Any], tuple[Any, ...]]
    writers: tuple[tuple[int, Write], ...]
    needed: frozenset[str]
    kept: frozenset[str] | None = None

    def row(self, value: Any) -> dict[str, Any]:
        """A value as the row of an export."""
        held = list(self.all_of(value))
        for place, write in self.writers:
            held[place] = write(held[place])
        if self.kept is None:
            return dict(zip(self.names, held, strict=True))
        kept = self.kept
        return {name: each for name, each in zip(self.names, held, strict=True) if each or name in kept}

    def value(self, row: Any) -> Any:
        """The value a row holds; what is left out has its default, what is unknown is passed over.

        Raises:
            MisfitError: A field is not what it should be.
        """
        if not isinstance(row, dict):
            raise MisfitError("not an object")
        found, name = {}, ""
        try:
            for name, attribute, read in self.readers:
                if name in row:
                    found[attribute] = read(row[name])
        except MisfitError as error:
            raise MisfitError(f"{name}: {error}") from None
        if not self.needed <= found.keys():
            raise MisfitError(f"{min(self.needed - found.keys())}: is missing")
        return self.kind(**found)


_ATTRIBUTES: Final = {"scope_ids": "scope", "scope": "scope.type"}
"""What is named otherwise in a row: the type of a scope stands there for people, and is read off its ids."""


def _codec(kind: type, *columns: Column, kept: Iterable[str] | None = None) -> Codec:
    ordered = tuple(sorted(columns))
    named = [(name, _ATTRIBUTES.get(name, name), read) for name, read, _ in ordered]
    without = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    return Codec(
        kind=kind,
        readers=tuple(each for each in named if each[0] != "scope"),
        all_of=attrgetter(*[attribute for _, attribute, _ in named]),
        names=tuple(name for name, _, _ in ordered),
        writers=tuple((place, write) for place, (_, _, write) in enumerate(ordered) if write is not None),
        needed=frozenset(attribute for _, attribute, _ in named if attribute in without),
        kept=None if kept is None else frozenset(kept),
    )


def _each(codec: Codec) -> tuple[Read, Write]:
    """Several values of one class in one field."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise MisfitError("not a list")
        return tuple(codec.value(each) for each in value)

    return read, lambda held: [codec.row(each) for each in held]


REFERENCE: Final = _codec(
    Reference,
    ("type", text, None),
    ("ref", text, None),
    ("quote", blank, None),
    ("verified", yes, None),
    ("trust", one_of(TRUSTS), None),
    ("writer", blank, None),
    kept=("type", "ref", "trust"),
)
SOURCE: Final = _codec(
    Source,
    ("type", one_of(SOURCE_TYPES), None),
    *((name, blank, None) for name in ("ref", "url", "file_path", "commit_sha", "created_by")),
    kept=("type",),
)
PROVENANCE: Final = _codec(Provenance, *((each.name, blank, None) for each in fields(Provenance)), kept=("agent_role",))
SPAN: Final = _codec(Span, *((each.name, text if each.name == "path" else whole, None) for each in fields(Span)))
_SUPPORT: Final = _each(REFERENCE)
_SHARED: Final[tuple[Column, ...]] = (
    ("id", text, None),
    ("scope_ids", scope, _scope_ids),
    ("scope", text, None),
    ("rationale", blank, None),
    ("text", blank, None),
    ("tags", texts, None),
    ("files", texts, None),
    ("symbols", texts, None),
    ("confidence", grade, _number),
    ("stability", one_of(STABILITIES), None),
    ("trust", one_of(TRUSTS), None),
    ("created_at", instant, None),
    ("expires_at", maybe(instant), None),
    ("clearance", blank, None),
    ("evidence", *_SUPPORT),
    ("metadata", metadata, plain),
)
MEMORY: Final = _codec(
    Memory,
    *_SHARED,
    ("kind", one_of(KINDS), None),
    ("status", one_of(STATUSES), None),
    ("q_value", grade, _number),
    ("updated_at", instant, None),
    ("valid_from", instant, None),
    ("last_accessed_at", maybe(instant), None),
    ("superseded_by", maybe(text), None),
    ("supersedes", texts, None),
    ("supersedes_reason", blank, None),
    ("consolidated_at", maybe(instant), None),
    ("embedding_model", blank, None),
    ("reviewed_by", blank, None),
    ("source", SOURCE.value, SOURCE.row),
    ("provenance", PROVENANCE.value, PROVENANCE.row),
)
PROPOSAL: Final = _codec(
    Proposal,
    *_SHARED,
    ("operation", one_of(OPERATIONS), None),
    ("kind", maybe(one_of(KINDS)), None),
    ("target_id", blank, None),
    ("related", texts, None),
    ("source", maybe(SOURCE.value), lambda held: None if held is None else SOURCE.row(held)),
    ("provenance", maybe(PROVENANCE.value), lambda held: None if held is None else PROVENANCE.row(held)),
    ("status", one_of(PROPOSAL_STATUSES), None),
    ("reviewer", maybe(one_of(REVIEWERS)), None),
    ("reviewed_at", maybe(instant), None),
    ("rejection_reason", blank, None),
    ("observation", yes, None),
    ("trigger", pairs, None),
    ("expected_value", grade, _number),
)
UNIT: Final = _codec(
    EvidenceUnit,
    ("id", text, None),
    ("scope_ids", scope, _scope_ids),
    ("scope", text, None),
    ("type", one_of(UNIT_TYPES), None),
    ("ref", text, None),
    ("session_id", blank, None),
    ("who", blank, None),
    ("at", instant, None),
    ("text", text, None),
    ("span", maybe(SPAN.value), lambda held: None if held is None else SPAN.row(held)),
    ("path", blank, None),
    ("cited", yes, None),
    ("clearance", blank, None),
    ("detail", pairs, None),
)
_SPOT: Final = _each(_codec(Spot, ("file", text, None), ("symbol", blank, None)))


@dataclass(frozen=True, slots=True)
class SaidCodec:
    """How what somebody said of a memory is written and read: its own fields, and whose memory it is."""

    codec: Codec

    def row(self, value: Any) -> dict[str, Any]:
        """A value as the row of an export."""
        whose = {"scope": value.scope.type, "scope_ids": _scope_ids(value.scope)}
        return dict(sorted({**self.codec.row(value.what), **whose}.items()))

    def value(self, row: Any) -> Said:
        """The value a row holds.

        Raises:
            MisfitError: A field is not what it should be.
        """
        what = self.codec.value(row)
        try:
            return Said(scope(row.get("scope_ids")), what)
        except MisfitError as error:
            raise MisfitError(f"scope_ids: {error}") from None


OUTCOME: Final = SaidCodec(
    _codec(
        Outcome,
        ("id", text, None),
        ("memory_id", text, None),
        ("generation", instant, None),
        ("result", one_of(RESULTS), None),
        ("at", instant, None),
        *((name, blank, None) for name in ("by", "task", "correction", "clearance", "repository_id")),
        ("spots", *_SPOT),
    )
)
FLAG: Final = SaidCodec(
    _codec(
        Flag,
        ("memory_id", text, None),
        ("by", text, None),
        ("at", instant, None),
        ("reason", text, None),
        ("person", yes, None),
        ("cleared_at", lambda held: held and instant(held), None),
        *((name, blank, None) for name in ("login", "cleared_by")),
    )
)
CODECS: Final[Mapping[str, Codec | SaidCodec]] = {
    "memories": MEMORY,
    "proposals": PROPOSAL,
    "units": UNIT,
    "outcomes": OUTCOME,
    "flags": FLAG,
}
"""Of each chapter of `learnt.model.cargo.EXPORTED`."""
