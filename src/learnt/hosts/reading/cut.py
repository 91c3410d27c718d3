"""JSON text with its giant strings cut, so that decoding it stays within bounds; nothing that says what it is goes."""

from __future__ import annotations

import re
from typing import Any, Final

from learnt.hosts.reading import records
from learnt.hosts.reading.splice import mark

CUT_BYTES: Final = 1 << 20
"""Texts up to this size are decoded as they are."""
_KEPT_BYTES: Final = 64 << 10
_MOST_BYTES: Final = 32 << 20
"""Of a text without its giant strings: as values it takes up to ten times as much."""
_STRING: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_CUT_ESCAPE: Final = re.compile(rb"\\u?[0-9a-fA-F]{0,3}\Z")


def decoded(text: str | bytes) -> dict[str, Any] | None:
    """The object a text stands for; None when it is none."""
    body = text.encode("utf-8", "replace") if isinstance(text, str) else text
    try:
        value = records.decoded(cut(body) if len(body) > CUT_BYTES else body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def cut(body: bytes) -> bytes:
    """`body` with every string over 128 KiB cut in its middle, a mark there.

    Raises:
        ValueError: More than 32 MiB are left.
    """
    kept, at = list[bytes](), 0
    for found in _STRING.finditer(body):
        if found.end(1) - found.start(1) > 2 * _KEPT_BYTES:
            kept += (body[at : found.start()], _shortened(found))
            at = found.end()
    left = b"".join((*kept, body[at:]))
    if len(left) > _MOST_BYTES:
        raise ValueError(f"a record of over {_MOST_BYTES >> 20} MiB without its longest texts")
    return left


def _shortened(found: re.Match[bytes]) -> bytes:
    whole, (start, end) = found.string, found.span(1)
    left_out = end - start - 2 * _KEPT_BYTES
    head, tail = whole[start : start + _KEPT_BYTES], whole[end - _KEPT_BYTES : end]
    escape = _CUT_ESCAPE.search(head, len(head) - 6)
    if escape is not None:
        before = head[: escape.start() + 1]
        is_open = (len(before) - len(before.rstrip(b"\\"))) % 2
        head = before[:-1] if is_open else head
    if tail.startswith(b"\\") or whole[end - _KEPT_BYTES - 1 : end - _KEPT_BYTES] == b"\\":
        tail = tail.lstrip(b"\\")[1:]  # an escape may be cut in two there
    return b'"' + head + mark(left_out) + tail + b'"'
