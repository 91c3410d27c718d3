"""Model values as JSON text and back: what of a value has no column of its own.

A field at its default is left out, and an unknown key is ignored, so that an older and a newer learnt read each
other's rows. Keys are the fields' names.
"""

from __future__ import annotations

import dataclasses
import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar
from zlib import crc32

from learnt.model.extraction import Fact, Quote
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.proposal import Proposal
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

T = TypeVar("T")

_compact = json.JSONEncoder(separators=(",", ":")).encode
_parsed = json.JSONDecoder().decode

MEMORY_COLUMNS = (
    "id",
    "kind",
    "status",
    "trust",
    "confidence",
    "q_value",
    "created_at",
    "updated_at",
    "valid_from",
    "expires_at",
    "superseded_by",
    "clearance",
    "text",
)
"""Fields of a memory with a column of their own, in the order of the statement `read`."""

MEMORY_COUNTS = ("flags", "useful", "against")
"""What a store counts on a memory, in columns after `record_json`; nobody writes them with the memory."""

_WITHOUT = MEMORY_COLUMNS + MEMORY_COUNTS
_MEMORY_ROW = (*MEMORY_COLUMNS, "record_json", *MEMORY_COUNTS)

PROPOSAL_COLUMNS = ("id", "status", "created_at", "expected_value", "clearance", "text")
"""The same for a proposal."""


class UndecodableError(ValueError):
    """A row that does not hold what its columns and JSON should."""


def dumped(value: object) -> str:
    """Compact JSON, everything outside ASCII escaped (so a NUL or a lone surrogate survives SQLite)."""
    return _compact(value)


def memory_json(memory: Memory) -> str:
    """`record_json` of a memory, its check sum first."""
    return _summed(memory.id, memory.text, dumped(_encoded(memory, _WITHOUT)))


def memory_of(row: tuple[Any, ...]) -> Memory:
    """The memory of a row: its columns, then `record_json`, then, where the statement gives them, its counts.

    Raises:
        UndecodableError: The row is damaged.
    """
    columns = dict(zip(_MEMORY_ROW, row, strict=False))
    _typed(columns)
    return _decoded(Memory, columns, _whole(columns, columns.pop("record_json")))


def proposal_json(proposal: Proposal) -> str:
    """`proposal_json` of a proposal, its check sum first."""
    return _summed(proposal.id, proposal.text, dumped(_encoded(proposal, PROPOSAL_COLUMNS)))


def proposal_of(row: tuple[Any, ...]) -> Proposal:
    """The proposal of a row: its columns, then `proposal_json`.

    Raises:
        UndecodableError: The row is damaged.
    """
    columns = dict(zip(PROPOSAL_COLUMNS, row, strict=False))
    _typed(columns)
    return _decoded(Proposal, columns, _whole(columns, row[len(PROPOSAL_COLUMNS)]))


def _summed(name: str, text: str, body: str) -> str:
    """A JSON object with the check sum of itself and of what stands beside it, so that no damaged text is served."""
    rest = body[1:]
    return f'{_SUM}{_sum(name, text, body)}"{"" if rest == "}" else ","}{rest}'


def _whole(columns: Mapping[str, Any], held: object) -> str:
    """The JSON object of a row; one that an older learnt wrote has no check sum.

    Raises:
        UndecodableError: It is not what was written.
    """
    given = str(held)
    if not given.startswith(_SUM):
        return given
    body = "{" + given[_SUM_END:].removeprefix(",")
    if _sum(str(columns["id"]), str(columns["text"]), body) != given[len(_SUM) : _SUM_END - 1]:
        raise UndecodableError("check sum")
    return body


def _typed(columns: Mapping[str, Any]) -> None:
    """Refuse a row whose columns hold bytes, or a number in the place of a text: a file keeps whatever damage left.

    Raises:
        UndecodableError: One does.
    """
    for name, held in columns.items():
        kind = type(held)
        if name in _NUMBERS:
            if kind is not float and kind is not int:
                raise UndecodableError(name)
        elif kind is not str and (held is not None or name not in _OPTIONAL):
            raise UndecodableError(name)


_NUMBERS = frozenset({"confidence", "q_value", "expected_value", *MEMORY_COUNTS})
_OPTIONAL = frozenset({"expires_at", "superseded_by"})


def _sum(name: str, text: str, body: str) -> str:
    """CRC-32, eight hex digits: against accidents of a disk; against people there is the audit trail."""
    summed = "\0".join((name, text, body)).encode("utf-8", "surrogatepass")
    return f"{crc32(summed):08x}"


_SUM = '{"crc":"'
_SUM_END = len(_SUM) + 9


def plain_json(value: Any) -> str:
    """JSON of a value that has no columns of its own (a session, a bundle, a recipe)."""
    return dumped(_encoded(value, ()))


def plain_of(kind: type[T], text: str) -> T:
    """The value `plain_json` wrote.

    Raises:
        UndecodableError: The text is damaged.
    """
    return _decoded(kind, {}, text)


def fields_of(value: Any) -> dict[str, object]:
    """What `plain_json` writes, before it is text."""
    return _encoded(value, ())


def value_of(kind: type[T], found: Mapping[str, Any]) -> T:
    """The value of what `fields_of` gave, after it was text.

    Raises:
        UndecodableError: It is damaged.
    """
    try:
        return _built(kind, found)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UndecodableError(f"{kind.__name__}: {type(error).__name__}") from error


@dataclasses.dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of a value: their names (in order, and as a set), a getter of all of them, and their defaults.

    A field without a default has a mark that equals no value.
    """

    names: tuple[str, ...]
    known: frozenset[str]
    all_of: Callable[[Any], tuple[object, ...]]
    defaults: tuple[object, ...]


_FIELDS: dict[tuple[type, Collection[str]], _Fields] = {}


def _fields(kind: Any, without: Collection[str] = ()) -> _Fields:
    found = _FIELDS.get((kind, without))
    if found is None:
        held = [field for field in dataclasses.fields(kind) if field.name not in without]
        names = tuple(field.name for field in held)
        found = _Fields(names, frozenset(names), attrgetter(*names), tuple(_default(field) for field in held))
        _FIELDS[kind, without] = found
    return found


def _default(field: dataclasses.Field[Any]) -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _encoded(value: Any, without: Collection[str]) -> dict[str, object]:
    fields = _fields(type(value), without)
    return {
        name: held if isinstance(held, str) else _plain(held)
        for name, held, default in zip(fields.names, fields.all_of(value), fields.defaults, strict=True)
        if held is not default and held != default
    }


def _plain(held: Any) -> object:
    if isinstance(held, tuple):
        return [each if isinstance(each, str) else _plain(each) for each in held]
    return _encoded(held, ()) if dataclasses.is_dataclass(held) else held


def _decoded(kind: type[T], columns: Mapping[str, object], text: object) -> T:
    make: Callable[..., T] = kind
    try:
        return make(**{**_values(kind, _parsed(str(text))), **columns})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UndecodableError(f"{kind.__name__}: {type(error).__name__}") from error


def _built(kind: type[T], found: Mapping[str, Any]) -> T:
    make: Callable[..., T] = kind
    return make(**_values(kind, found))


def _values(kind: Any, found: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a value by name; what is no field is passed over."""
    known = _fields(kind).known
    return {
        name: _READ[name](held) if name in _READ else _frozen(held) if type(held) is list else held
        for name, held in found.items()
        if name in known
    }


def _frozen(held: list[Any]) -> tuple[Any, ...]:
    """A JSON list as a field holds it: lists are tuples."""
    return tuple([_frozen(each) if type(each) is list else each for each in held])


def _once(kind: type[T]) -> Callable[[Mapping[str, Any]], T]:
    """Reads values of which the same few come again and again: each of them is made once."""
    held: dict[tuple[tuple[str, Any], ...], T] = {}

    def read(found: Mapping[str, Any]) -> T:
        fields = tuple(found.items())
        made = held.get(fields)
        if made is None:
            if len(held) >= _MOST_HELD:
                held.clear()
            made = held[fields] = _built(kind, found)
        return made

    return read


_MOST_HELD = 256


def _maybe(read: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda held: None if held is None else read(held)


def _many(kind: type) -> Callable[[Any], object]:
    return lambda held: tuple(_built(kind, each) for each in held)


def _span(held: Mapping[str, Any] | None) -> object:
    from learnt.model.session import Span

    return None if held is None else _built(Span, held)


_READ: dict[str, Callable[[Any], object]] = {
    "scope": _once(Scope),
    "source": _maybe(_once(Source)),
    "provenance": _maybe(_once(Provenance)),
    "evidence": _many(Reference),
    "span": _span,
    "facts": _many(Fact),
    "quotes": _many(Quote),
    "metadata": lambda held: held,
}
"""How each field that is not plain is read; names mean the same in every value."""
