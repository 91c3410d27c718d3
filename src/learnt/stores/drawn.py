"""Sessions as they are learnt from, as the columns of both databases, and back.

What a session taught is shown and injected, so its row carries a check sum (see `learnt.stores.units`).
"""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from zlib import crc32

from learnt.model.extraction import Extraction, Fact
from learnt.model.thread import Rank, Summary, Thread
from learnt.stores.records import UndecodableError, dumped, fields_of, value_of

if TYPE_CHECKING:
    Row = tuple[Any, ...]

_THREAD = ("id", "updated_at", "path", "cwd", "host", "session_id", "source", "mode", "extracted")
_OF_THREAD = attrgetter(*_THREAD)
_HEAD = ("session_id", "host", "source_updated_at", "generated_at", "writer", "summary", "slug")
_USE = ("usage_count", "last_usage", "selected_source")
_OF_RANK = ("session_id", "source_updated_at", *_USE)


def thread_values(thread: Thread) -> dict[str, object]:
    """A session as the columns of its table, but for its scope."""
    return dict(zip(_THREAD, _OF_THREAD(thread), strict=True))


def thread_of(row: Row) -> Thread:
    """The session of a row: its scope's key, then `id` to `extracted`."""
    return Thread(scope_key=row[0], **dict(zip(_THREAD, row[1:], strict=True)))


def extraction_values(extraction: Extraction) -> dict[str, object]:
    """What a session taught as the columns of its table, but for its scope."""
    facts = dumped([fields_of(fact) for fact in extraction.facts])
    dropped = dumped(dict(extraction.dropped))
    return {
        **{name: getattr(extraction, name) for name in (*_HEAD, *_USE)},
        "facts": facts,
        "dropped": dropped,
        "crc": _sum(extraction.session_id, extraction.summary, extraction.slug or "", facts, dropped),
    }


def extraction_of(row: Row) -> Extraction:
    """What a row holds: its scope's key, `session_id` to `slug`, the counts of its use, facts, dropped, check sum.

    Raises:
        UndecodableError: The row is damaged.
    """
    key, *values = row
    held = dict(zip((*_HEAD, *_USE), values, strict=False))
    facts, dropped, crc = values[len(held) :]
    if crc != _sum(str(held["session_id"]), str(held["summary"]), held["slug"] or "", facts, dropped):
        raise UndecodableError("check sum")
    try:
        found = tuple(value_of(Fact, each) for each in json.loads(facts))
        counts = {str(name): int(number) for name, number in json.loads(dropped).items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise UndecodableError(type(error).__name__) from error
    return Extraction(scope_key=key, facts=found, dropped=counts, **held)


def rank_of(row: Row) -> Rank:
    """What the choice goes by: `session_id`, `source_updated_at`, the counts of its use, the session's mode."""
    return Rank(**dict(zip(_OF_RANK, row, strict=False)), mode=row[-1] or "enabled")


def summary_values(summary: Summary) -> dict[str, object]:
    """A summary as the columns of its table, but for its scope."""
    return {name: getattr(summary, name) for name in ("digest", "text", "clearance", "made_at")}


def summary_of(row: Row) -> Summary:
    """The summary of a row: its scope's key, then `digest` to `current`."""
    key, digest, text, clearance, made_at, current = row
    return Summary(scope_key=key, digest=digest, text=text, clearance=clearance, made_at=made_at, current=bool(current))


def _sum(*parts: str) -> int:
    return crc32("\0".join(parts).encode("utf-8", "surrogatepass"))
