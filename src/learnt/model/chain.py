"""The hash that ties each audit event to the one before it."""

from __future__ import annotations

from json.encoder import encode_basestring as _quoted

from learnt.model.keys import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.model.event import ChainRow


def row_hash(
    id: str,  # noqa: A002 - the column's name
    operation: str,
    target_id: str,
    reason: str | None,
    timestamp: str,
    event_json: str | None,
    prev_hash: str | None,
) -> str:
    """64 hex digits of SHA-256 over the row as canonical JSON: keys sorted, compact, nulls kept, UTF-8.

    Written out because the seven keys never change; `json.dumps` takes three times as long. Source: swarm-memory
    seed, audit chain.
    """
    head, tail = _around(id, operation, target_id, reason, timestamp, event_json)
    return sha256_hex(f"{head}{_value(prev_hash)}{tail}")


def hash_of(row: ChainRow) -> str:
    """The hash of an event as it lies there; of one that was erased, what its hash was."""
    if row.erased is not None:
        return row.erased
    return row_hash(row.id, row.operation, row.target_id, row.reason, row.timestamp, row.event_json, row.prev_hash)


def around(
    id: str,  # noqa: A002 - the column's name
    operation: str,
    target_id: str,
    reason: str | None,
    timestamp: str,
    event_json: str | None,
) -> tuple[str, str]:
    """What stands before and after the characters of `prev_hash` in what `row_hash` hashes.

    For a database that learns the hash before only when it holds the end of the chain, and hashes itself.
    """
    head, tail = _around(id, operation, target_id, reason, timestamp, event_json)
    return f'{head}"', f'"{tail}'


def _around(
    name: str, operation: str, target_id: str, reason: str | None, timestamp: str, event_json: str | None
) -> tuple[str, str]:
    return (
        f'{{"event_json":{_value(event_json)},"id":{_quoted(name)},"operation":{_quoted(operation)},"prev_hash":',
        f',"reason":{_value(reason)},"target_id":{_quoted(target_id)},"timestamp":{_quoted(timestamp)}}}',
    )


def _value(text: str | None) -> str:
    return "null" if text is None else _quoted(text)
