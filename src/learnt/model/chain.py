"""The hash that ties each audit event to the one before it."""

from __future__ import annotations

from json.encoder import encode_basestring as _quoted

from learnt.model.keys import sha256_hex


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
    return sha256_hex(
        f'{{"event_json":{_value(event_json)},"id":{_quoted(id)},"operation":{_quoted(operation)},'
        f'"prev_hash":{_value(prev_hash)},"reason":{_value(reason)},"target_id":{_quoted(target_id)},'
        f'"timestamp":{_quoted(timestamp)}}}'
    )


def _value(text: str | None) -> str:
    return "null" if text is None else _quoted(text)
