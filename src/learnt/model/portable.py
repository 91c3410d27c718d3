"""Rows of an export: values as JSON a person can read, and back, with every field checked.

One line has one form: keys in order, a whole number written as one, so that a value that comes back from another
program's hands is written as it was. Where a checkout lies is in no scope, so an export names no place of a machine.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import MISSING, dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import UsageError
from learnt.model.evidence import UNIT_TYPES, EvidenceUnit
from learnt.model.kinds import KINDS, OPERATIONS, STATUSES, TRUSTS
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.proposal import Proposal
from learnt.model.scope import Scope, scope_of
from learnt.model.session import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Read = Callable[[Any], Any]
    Write = Callable[[Any], Any]
    Column = tuple[str, Read, Write | None]

STABILITIES: Final = ("ephemeral", "session", "durable")
REVIEWERS: Final = ("user", "controller", "curator_agent", "auto_policy")
PROPOSAL_STATUSES: Final = ("pending", "approved", "rejected", "superseded", "applied")
SOURCE_TYPES: Final = ("user", "agent", "tool", "file", "repo", "commit", "test", "web", "manual")

MAX_METADATA_CHARS: Final = 100_000
"""Of one value's metadata as JSON."""

_INSTANT = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z")
_UNSHOWN = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""What a terminal or an editor would not show as it is; a line that holds any is written in ASCII."""


class MisfitError(ValueError):
    """A row that does not say what its format promises; the message names the field, never its value."""


def line_of(row: Mapping[str, Any]) -> str:
    """A row as one line of JSON, without its end."""
    line = _compact(row)
    return line if line.isascii() or not _UNSHOWN.search(line) else _ascii(row)


_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_ascii = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def table_of(line: str | bytes) -> dict[str, Any]:
    """The object that a line of JSON holds.

    Raises:
        MisfitError: It holds none, or one nested too deeply.
    """
    try:
        found = json.loads(line, parse_constant=_refuse)
    except UnicodeDecodeError:
        raise MisfitError("not UTF-8") from None
    except RecursionError:
        raise MisfitError("nested too deeply") from None
    except ValueError:
        raise MisfitError("not JSON") from None
    if not isinstance(found, dict):
        raise MisfitError("not a JSON object")
    return found


def _refuse(name: str) -> object:
    raise ValueError(name)


def text(value: Any) -> str:
    """A text."""
    if type(value) is not str:
        raise MisfitError("not a text")
    return value


def _maybe(read: Read) -> Read:
    """The same, or nothing."""
    return lambda value: None if value is None else read(value)


def _blank(value: Any) -> str:
    """A text; nothing stands for an empty one."""
    return "" if value is None else text(value)


def one_of(names: Iterable[str]) -> Read:
    """One of some words."""
    known = frozenset(names)

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            raise MisfitError("not one of " + ", ".join(sorted(known)))
        return value

    return read


def grade(value: Any) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise MisfitError("not a number from 0 to 1")
    return float(value)


def instant(value: Any) -> str:
    """A canonical instant."""
    if not isinstance(value, str) or len(value) != 24 or not _INSTANT.fullmatch(value):
        raise MisfitError("not a time like 2026-05-24T12:00:00.000Z")
    return value


def texts(value: Any) -> tuple[str, ...]:
    """Texts."""
    if not isinstance(value, list) or not all(type(each) is str for each in value):
        raise MisfitError("not a list of texts")
    return tuple(value)


def pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of texts."""
    if not isinstance(value, list) or not all(isinstance(each, list) and len(each) == 2 for each in value):
        raise MisfitError("not a list of pairs")
    return tuple((text(each[0]), text(each[1])) for each in value)


def _yes(value: Any) -> bool:
    if not isinstance(value, bool):
        raise MisfitError("not true or false")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or abs(value) > 2**62:
        raise MisfitError("not a whole number")
    return int(value)


def metadata(value: Any) -> dict[str, Any]:
    """Free JSON values, bounded."""
    if not isinstance(value, dict):
        raise MisfitError("not an object")
    try:
        if len(_compact(value)) > MAX_METADATA_CHARS:
            raise MisfitError(f"more than {MAX_METADATA_CHARS:,} characters")
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, MisfitError) else MisfitError("holds what is no JSON value") from None
    return value


def plain(held: Any) -> Any:
    """A JSON value in its one form: names in order, whole numbers as such."""
    if isinstance(held, dict):
        return {str(name): plain(held[name]) for name in sorted(held, key=str)}
    if isinstance(held, list | tuple):
        return [plain(each) for each in held]
    if isinstance(held, float) and held.is_integer() and math.isfinite(held) and abs(held) < 2**53:
        return int(held)
    return held


def _scope(value: Any) -> Scope:
    if not isinstance(value, dict) or not all(type(each) is str for each in value.values()):
        raise MisfitError("not the ids of a scope")
    try:
        return scope_of(_compact(value))
    except UsageError:
        raise MisfitError("not the ids of a scope") from None


_KEYS: dict[str, Any] = {}


def _scope_ids(scope: Scope) -> Any:
    """The ids of a scope's key; the few there are, made once."""
    key = scope.key
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
        columns: Of each field that is written, in order: its name, what reads it, and what writes it where that is
            more than giving it.
    """

    kind: type
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    all_of: Callable[[Any], tuple[Any, ...]]
    writers: tuple[tuple[str, Write | None], ...]
    needed: frozenset[str]

    def row(self, value: Any) -> dict[str, Any]:
        """A value as the row of an export."""
        return {
            name: held if write is None else write(held)
            for (name, write), held in zip(self.writers, self.all_of(value), strict=True)
        }

    def value(self, row: Any) -> Any:
        """The value a row holds; what is left out has its default, what is unknown is passed over.

        Raises:
            MisfitError: A field is not what it should be.
        """
        if not isinstance(row, dict):
            raise MisfitError("not an object")
        found = {}
        for name, read, _ in self.columns:
            if name == "scope":
                continue
            if name in row:
                try:
                    found[_ATTRIBUTES.get(name, name)] = read(row[name])
                except MisfitError as error:
                    raise MisfitError(f"{name}: {error}") from None
            elif name in self.needed:
                raise MisfitError(f"{name}: is missing")
        return self.kind(**found)


_ATTRIBUTES: Final = {"scope_ids": "scope", "scope": "scope.type"}
"""What is named otherwise in a row: the type of a scope stands there for people, and is read off its ids."""


def _codec(kind: type, *columns: Column) -> Codec:
    ordered = tuple(sorted(columns))
    names = tuple(_ATTRIBUTES.get(name, name) for name, _, _ in ordered)
    without = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    return Codec(
        kind=kind,
        columns=ordered,
        names=names,
        all_of=attrgetter(*names),
        writers=tuple((name, write) for name, _, write in ordered),
        needed=frozenset(name for name, _, _ in ordered if _ATTRIBUTES.get(name, name) in without),
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
    ("quote", _blank, None),
    ("verified", _yes, None),
    ("trust", one_of(TRUSTS), None),
    ("writer", _blank, None),
)
SOURCE: Final = _codec(
    Source,
    ("type", one_of(SOURCE_TYPES), None),
    *((name, _blank, None) for name in ("ref", "url", "file_path", "commit_sha", "created_by")),
)
PROVENANCE: Final = _codec(Provenance, *((each.name, _blank, None) for each in fields(Provenance)))
SPAN: Final = _codec(Span, *((each.name, text if each.name == "path" else _whole, None) for each in fields(Span)))
_SUPPORT: Final = _each(REFERENCE)
_SHARED: Final[tuple[Column, ...]] = (
    ("id", text, None),
    ("scope_ids", _scope, _scope_ids),
    ("scope", text, None),
    ("rationale", _blank, None),
    ("text", _blank, None),
    ("tags", texts, None),
    ("files", texts, None),
    ("symbols", texts, None),
    ("confidence", grade, _number),
    ("stability", one_of(STABILITIES), None),
    ("trust", one_of(TRUSTS), None),
    ("created_at", instant, None),
    ("expires_at", _maybe(instant), None),
    ("clearance", _blank, None),
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
    ("last_accessed_at", _maybe(instant), None),
    ("superseded_by", _maybe(text), None),
    ("supersedes", texts, None),
    ("supersedes_reason", _blank, None),
    ("consolidated_at", _maybe(instant), None),
    ("embedding_model", _blank, None),
    ("reviewed_by", _blank, None),
    ("source", SOURCE.value, SOURCE.row),
    ("provenance", PROVENANCE.value, PROVENANCE.row),
)
PROPOSAL: Final = _codec(
    Proposal,
    *_SHARED,
    ("operation", one_of(OPERATIONS), None),
    ("kind", _maybe(one_of(KINDS)), None),
    ("target_id", _blank, None),
    ("related", texts, None),
    ("source", _maybe(SOURCE.value), lambda held: None if held is None else SOURCE.row(held)),
    ("provenance", _maybe(PROVENANCE.value), lambda held: None if held is None else PROVENANCE.row(held)),
    ("status", one_of(PROPOSAL_STATUSES), None),
    ("reviewer", _maybe(one_of(REVIEWERS)), None),
    ("reviewed_at", _maybe(instant), None),
    ("rejection_reason", _blank, None),
    ("observation", _yes, None),
    ("trigger", pairs, None),
    ("expected_value", grade, _number),
)
UNIT: Final = _codec(
    EvidenceUnit,
    ("id", text, None),
    ("scope_ids", _scope, _scope_ids),
    ("scope", text, None),
    ("type", one_of(UNIT_TYPES), None),
    ("ref", text, None),
    ("session_id", _blank, None),
    ("who", _blank, None),
    ("at", instant, None),
    ("text", text, None),
    ("span", _maybe(SPAN.value), lambda held: None if held is None else SPAN.row(held)),
    ("path", _blank, None),
    ("cited", _yes, None),
    ("clearance", _blank, None),
    ("detail", pairs, None),
)
