"""What every database keeps of a value beside its fields: terms, token sets, anchors; and values from plain columns.

Shared, so that two databases hold the same words for the same memory: what is found must not depend on the store.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from learnt.errors import UsageError
from learnt.model.anchor import anchors_of
from learnt.model.conflict import Conflict, Former, conflicts_of
from learnt.model.event import ChainRow
from learnt.model.evidence import SessionRecord
from learnt.model.job import Job
from learnt.model.ledger import Charge
from learnt.model.ranking import Bundle
from learnt.model.stated import stated
from learnt.model.tokens import index_terms, pack
from learnt.model.vector import Generation
from learnt.stores import records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

T = TypeVar("T")

_READY: dict[str, tuple[Memory, Forms]] = {}
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


_UPDATED_AT = records.MEMORY_COLUMNS.index("updated_at")


@dataclass(frozen=True, slots=True)
class Forms:
    """All of a memory that its columns do not hold as they are."""

    terms: tuple[str, ...]
    signals: str
    anchors: tuple[tuple[str, str], ...]
    record_json: str
    claims: tuple[int, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def make_ready(memory: Memory) -> None:
    """Work the forms of a memory out now, for the next `forms` of this very value: before a transaction, not in it."""
    _READY["last"] = (memory, _forms(memory))


def forms(memory: Memory) -> Forms:
    """The forms of a memory."""
    held = _READY.get("last")
    return held[1] if held is not None and held[0] is memory else _forms(memory)


def _forms(memory: Memory) -> Forms:
    anchors = memory_anchors(memory)
    return Forms(
        memory_terms(memory),
        memory_signals(memory),
        anchors,
        records.memory_json(memory),
        memory_claims(memory),
        conflicts_of(memory),
    )


def memory_claims(memory: Memory) -> tuple[int, ...]:
    """The numbers an active memory is found by when something is said of the same."""
    return stated(memory.text).keys


def memory_anchors(memory: Memory) -> tuple[tuple[str, str], ...]:
    """What a memory is tied to; its explicit triggers come from `metadata["trigger"]`, pairs of type and key."""
    given = memory.metadata.get("trigger", ())
    trigger = [(str(pair[0]), str(pair[1])) for pair in given] if isinstance(given, list | tuple) else []
    return anchors_of(memory.kind, memory.text, memory.files, memory.symbols, trigger)


def memory_terms(memory: Memory) -> tuple[str, ...]:
    """The full-text terms of a memory, with repeats, without a scope's prefix."""
    source = memory.source
    return index_terms(
        memory.text, memory.tags, memory.kind, source.file_path, source.ref, memory.symbols, memory.files
    )


def memory_signals(memory: Memory) -> str:
    """The token sets of a memory, packed; the file its source points at counts as one of its files."""
    files = (memory.source.file_path, *memory.files) if memory.source.file_path else memory.files
    return pack(memory.text, memory.tags, files, memory.symbols, memory.source.ref)


def is_shown(proposal: Proposal) -> bool:
    """Whether a proposal may be found by an action although nobody decided on it."""
    return proposal.observation and proposal.status == "pending"


def proposal_anchors(proposal: Proposal) -> tuple[tuple[str, str], ...]:
    """What an observation is tied to."""
    return anchors_of(proposal.kind or "lesson", proposal.text, proposal.files, proposal.symbols, proposal.trigger)


def proposal_signals(proposal: Proposal) -> str:
    """The token sets of a proposal, packed as a memory's are."""
    path = proposal.source.file_path if proposal.source else ""
    ref = proposal.source.ref if proposal.source else ""
    return pack(proposal.text, proposal.tags, (path, *proposal.files), proposal.symbols, ref)


def event_json(detail: Any) -> str | None:
    """The column `event_json`: canonical JSON, or null when there is nothing to say."""
    return _CANONICAL(dict(detail)) if detail else None


def chain_row(row: tuple[Any, ...]) -> ChainRow:
    """An event from its columns in the order of the table, `seq` first.

    A column that damage made bytes is a text that no event has, so that verifying names it and does not stumble.
    """
    return ChainRow(*map(no_text, row)) if bytes in map(type, row) else ChainRow(*row)


def no_text(value: Any) -> Any:
    """A value of a column of text; of bytes something that is in no such column."""
    return f"{value.decode('utf-8', 'backslashreplace')}\0no text" if isinstance(value, bytes) else value


def conflict_of(row: tuple[object, ...]) -> Conflict:
    """The conflict of a row."""
    memory_id, rival_id, reason, score, at = row
    return Conflict(memory_id=memory_id, rival_id=rival_id, reason=reason, score=score, at=at)  # type: ignore[arg-type]


def past_of(row: tuple[object, ...]) -> Former:
    """The past of a row that begins with its end.

    Raises:
        UndecodableError: The row is damaged.
    """
    return Former(memory=records.memory_of(row[1:]), until=str(row[0]))


def past_values(past: Former) -> dict[str, object]:
    """A past as the columns of its table."""
    own = {name: getattr(past.memory, name) for name in records.MEMORY_COLUMNS}
    return {**own, "until": past.until, "record_json": records.memory_json(past.memory)}


def lowered(text: str) -> str:
    """A text with its ASCII letters in lower case, as every database can do it."""
    return text.translate(_LOWER)


def legible(
    rows: Iterable[tuple[Any, ...]], decoded: Callable[[tuple[Any, ...]], T], unreadable: dict[str, str], of: str = ""
) -> list[T]:
    """What these rows hold; a damaged one is left out, and told of in `unreadable` by `of` and its first column."""
    found = []
    for row in rows:
        try:
            found.append(decoded(row))
        except records.UndecodableError as error:
            unreadable[f"{of}{row[0]}"] = str(error)
    return found


def session_values(session: SessionRecord, number: int) -> dict[str, object]:
    """A session as the columns of its table; `number` is its scope's."""
    return {
        "id": session.id,
        "scope_no": number,
        "host": session.host,
        "session_id": session.session_id,
        "path": session.path,
        "ended_at": session.ended_at,
        "session_json": records.plain_json(session),
    }


def session_of(row: tuple[Any, ...]) -> SessionRecord:
    """The session of a row that begins with id and JSON."""
    return records.plain_of(SessionRecord, row[1])


def receipt_values(bundle: Bundle) -> dict[str, object]:
    """A receipt as the columns of its table."""
    return {
        "id": bundle.id,
        "timestamp": bundle.timestamp,
        "run_id": bundle.run_id,
        "unit_id": bundle.unit_id,
        "context": bundle.context,
        "moment": bundle.moment,
        "q_value": bundle.q_value,
        "last_reward": bundle.last_reward,
        "task_outcome": bundle.task_outcome or None,
        "reward_key": bundle.reward_key or None,
        "usage_json": records.plain_json(bundle),
    }


def receipt_of(row: tuple[Any, ...]) -> Bundle:
    """The receipt of a row of number and JSON."""
    return records.plain_of(Bundle, row[1])


def job_values(job: Job) -> dict[str, object]:
    """A job as the columns of its table."""
    return {name: getattr(job, name) for name in Job.__slots__}


def job_of(row: tuple[Any, ...]) -> Job:
    """The job of a row, whose columns are in the order of its fields."""
    return Job(**dict(zip(Job.__slots__, row, strict=True)))


def charge_values(charge: Charge) -> dict[str, object]:
    """A charge as the columns of its table."""
    return {name: getattr(charge, name) for name in Charge.__slots__}


def charge_of(row: tuple[Any, ...]) -> Charge:
    """The charge of a row, whose columns are in the order of its fields."""
    return Charge(**dict(zip(Charge.__slots__, row, strict=True)))


def generation_of(row: tuple[Any, ...], **counts: int) -> Generation:
    """The generation of a row of `vector_generations`."""
    number, target, version, form, dimension, status = row
    return Generation(
        number=number, target=target, version=version, form=form, dimension=dimension, status=status, **counts
    )


def begun_after(mark: str) -> tuple[str, str]:
    """Moment and id after which a page of memories begins.

    Raises:
        UsageError: The mark is not the end of a page.
    """
    at, middle, last_id = mark.partition("|")
    if mark and not (middle and at):
        raise UsageError("`after` is not the end of a page.", code="invalid_cursor")
    return at, last_id


def paged(rows: list[tuple[Any, ...]], limit: int) -> tuple[list[tuple[Any, ...]], str]:
    """A page of memories, of which one more than `limit` was read, and the mark of its end where there are more."""
    kept = rows[:limit]
    return kept, f"{kept[-1][_UPDATED_AT]}|{kept[-1][0]}" if kept and len(rows) > limit else ""
