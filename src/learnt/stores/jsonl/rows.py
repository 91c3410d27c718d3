"""Lines of the file: what was changed as JSON, and back.

`{"store": "learnt", "form": 1, "file": "…"}` begins a file. A row is
`{"tx": 7, "in": "memories", "key": "mem_…", "row": {…}}`, or `"gone": true` in the place of a row that was removed;
`{"commit": 7}` makes the rows of a transaction count. A row without `tx` counts by itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from learnt.model.cargo import Sitting
from learnt.model.conflict import Former
from learnt.model.event import ChainRow
from learnt.model.evidence import EvidenceUnit, Recipe, SessionRecord
from learnt.model.extraction import Extraction
from learnt.model.flag import Flag
from learnt.model.kinds import KINDS, STATUSES, TRUSTS
from learnt.model.ledger import Charge
from learnt.model.memory import Memory
from learnt.model.outcome import Outcome, Spot
from learnt.model.proposal import Proposal
from learnt.model.ranking import Bundle
from learnt.model.scope import Scope
from learnt.model.thread import Summary, Thread
from learnt.stores import records

if TYPE_CHECKING:
    from collections.abc import Iterable

FORM: Final = 1
KEPT: Final[dict[str, type | None]] = {
    "scopes": Scope,
    "memories": Memory,
    "outcomes": Outcome,
    "flags": Flag,
    "proposals": Proposal,
    "events": ChainRow,
    "bundles": Bundle,
    "contexts": Sitting,
    "units": EvidenceUnit,
    "pasts": Former,
    "sessions": SessionRecord,
    "threads": Thread,
    "extractions": Extraction,
    "summaries": Summary,
    "seen": None,
    "recipes": Recipe,
    "forgotten": None,
    "charges": Charge,
    "aliases": None,
    "facts": None,
}
"""The dictionaries whose rows are in the file, in the order of a transaction, and of what class their values are (None
for plain ones)."""

LEFT: Final = frozenset(
    {
        *("generations", "vectors", "moments", "tries", "jobs"),
        *("checkpoints", "nodes", "targets", "changes", "marks"),
    }
)
"""The dictionaries whose rows are not: they belong to what this store leaves to others, or follow from the rest."""

_NAME = re.compile(r'"in":\s*("\w+").{0,9}?"key":\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|-?\d+)')
_DECODER = json.JSONDecoder()
_TX = re.compile(r'"tx":\s*(\d+)')
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True, slots=True)
class Row:
    """One line about one key.

    Attributes:
        tx: Number of its transaction; None for a line that counts by itself, as a person writes it.
        value: What is kept now; None for nothing.
        why: Why the line cannot be used; the key then has no value.
    """

    tx: int | None
    table: str
    key: Any
    value: Any = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """The line that ends a transaction."""

    tx: int


def lines(tx: int | None, changes: Iterable[tuple[str, Any, Any]]) -> bytes:
    """The lines of some changes: table, key, and the value or None."""
    made = []
    for table, key, value in changes:
        head = {} if tx is None else {"tx": tx}
        told = {"gone": True} if value is None else {"row": _written(value)}
        made.append(records.dumped({**head, "in": table, "key": key, **told}))
    return "".join(f"{line}\n" for line in made).encode()


def header(name: str) -> bytes:
    """The first line of a file that is called so."""
    return f"{records.dumped({'store': 'learnt', 'form': FORM, 'file': name})}\n".encode()


def commit(tx: int) -> bytes:
    """The line that ends a transaction."""
    return f"{records.dumped({'commit': tx})}\n".encode()


def read(given: bytes) -> list[Row | Commit | str]:
    """What a line says: rows, commits, or why it says nothing; nothing for a blank line or the first of a file.

    Two objects on one line, as a program leaves them that forgets to end its lines, are two lines.
    """
    if not given.strip():
        return []
    try:
        return [said for each in _objects(given.decode().strip()) if (said := _said(each)) is not None]
    except ValueError:  # also bytes that are no UTF-8
        return [_torn(given)]


def _objects(text: str) -> list[Any]:
    found, at = [], 0
    while at < len(text):
        value, at = _DECODER.raw_decode(text, at)
        found.append(value)
        at += len(text) - at - len(text[at:].lstrip())
    return found


def _said(found: Any) -> Row | Commit | str | None:
    if not isinstance(found, dict):
        return "no object"
    if isinstance(found.get("commit"), int):
        return Commit(found["commit"])
    if "in" in found and "key" in found:
        return _row(found)
    return None if "store" in found else "neither row nor commit"


def is_whole(given: bytes) -> bool:
    """Whether a line without its end lacks nothing else."""
    try:
        return isinstance(json.loads(given), dict)
    except ValueError:
        return False


def form(given: bytes) -> int | None:
    """The form that the first line of a file names; None where it is no file of this sort."""
    try:
        found = json.loads(given)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    held = found.get("form") if found.get("store") == "learnt" else FORM if "in" in found or "commit" in found else None
    return held if isinstance(held, int) else None


def _torn(given: bytes) -> Row | str:
    """A line that is no JSON: it may still tell which row it was meant to be, which then has no value."""
    text = given.decode("utf-8", "replace")
    named, tx = _NAME.search(text), _TX.search(text)
    if named is None:
        return "no JSON"
    try:
        table, key = json.loads(named[1]), _key(json.loads(named[2]))
    except ValueError:
        return "no JSON"
    return Row(int(tx[1]) if tx else None, table, key, why="no JSON")


def _row(found: dict[str, Any]) -> Row | str:
    table, key, tx = found["in"], _key(found["key"]), found.get("tx")
    if table not in KEPT or not isinstance(key, str | int | tuple):
        return f"no such table: {str(table)[:40]}"
    if not isinstance(tx, int | None):
        return "no number of a transaction"
    if found.get("gone") is True:
        return Row(tx, table, key)
    try:
        value = _value(table, key, found.get("row"))
    except (records.UndecodableError, ValueError, TypeError, KeyError, AttributeError) as error:
        return Row(tx, table, key, why=str(error) or type(error).__name__)
    return Row(tx, table, key, value)


def _key(held: Any) -> Any:
    return tuple(held) if isinstance(held, list) else held


def _written(value: Any) -> Any:
    return records.fields_of(value) if hasattr(value, "__dataclass_fields__") else value


def _value(table: str, key: Any, row: Any) -> Any:
    kind = KEPT[table]
    if kind is None:
        return _key(row) if row is not None else _refuse("no row")
    if not isinstance(row, dict):
        _refuse("no row")
    value: Any = records.value_of(kind, row)
    if kind is Outcome:
        value = replace(value, spots=tuple(Spot(**each) for each in row.get("spots", ())))
    if kind is Former:
        value = replace(value, memory=records.value_of(Memory, row["memory"]))
    if kind in {Memory, Proposal}:
        _check(value, key)
    return value


def _check(value: Memory | Proposal, key: Any) -> None:
    """Refuse what no flow has written: a row may have been changed by hand.

    Raises:
        ValueError: The name of a field that is not what it should be.
    """
    grades = (value.confidence, value.q_value if isinstance(value, Memory) else value.expected_value)
    wrong = {
        "id": value.id != key,
        "scope": not isinstance(value.scope, Scope),
        "text": not _is_text(value.text, blank=isinstance(value, Proposal)),
        "kind": value.kind not in ((*KINDS, None) if isinstance(value, Proposal) else KINDS),
        "trust": value.trust not in TRUSTS,
        "status": isinstance(value, Memory) and value.status not in STATUSES,
        "created_at": not _is_instant(value.created_at),
        "updated_at": isinstance(value, Memory) and not _is_instant(value.updated_at),
        "valid_from": isinstance(value, Memory) and not _is_instant(value.valid_from),
        "expires_at": value.expires_at is not None and not _is_instant(value.expires_at),
        "confidence": not all(type(each) in {int, float} and 0 <= each <= 1 for each in grades),
        "metadata": not isinstance(value.metadata, dict),
        "tags": not all(isinstance(each, str) for each in (*value.tags, *value.files, *value.symbols)),
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            _refuse(f"{name} is not what it should be")


def _is_text(held: object, *, blank: bool) -> bool:
    return isinstance(held, str) and (blank or bool(held.strip()))


def _is_instant(held: object) -> bool:
    return isinstance(held, str) and _INSTANT.fullmatch(held) is not None


def _refuse(why: str) -> None:
    raise ValueError(why)
