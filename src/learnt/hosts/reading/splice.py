"""An over-long record made readable again from its two ends.

Two ways, in order: when one giant string filled the middle, head + mark + tail is the record with that string cut.
Otherwise the head is closed where it was cut, and the outline gives the outermost keys that stood behind it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from json import JSONDecoder

    from learnt.hosts.reading.lines import LongLine

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],"]', re.DOTALL)
_CUT_ESCAPE = re.compile(rb"\\u?[0-9a-fA-F]{0,3}\Z")
_ESCAPE_REACH: Final = 12
_CLOSERS = {b"{": b"}", b"[": b"]"}


def mark(left_out_bytes: int) -> bytes:
    """What stands where the middle was."""
    return b"[... %d bytes left out ...]" % left_out_bytes


def rebuilt(line: LongLine, decoder: JSONDecoder) -> dict[str, Any] | None:
    """The record with its middle left out, or None when the line is no JSON object."""
    head = _clean_end(line.head)
    start = _clean_start(line.tail)
    kept = len(head) + len(line.tail) + line.ended
    if start is not None:
        whole = _decoded(head + mark(line.length - kept + start) + line.tail[start:], decoder)
        if whole is not None and line.outline.facts.keys() <= whole.keys():
            return whole
    opened = _decoded(_closed(head, mark(line.length - kept)), decoder)
    if opened is None:
        return None
    opened.update(line.outline.facts)
    if line.outline.failed:
        _mark_failed(opened)
    return opened


def _decoded(text: bytes, decoder: JSONDecoder) -> dict[str, Any] | None:
    try:
        value = decoder.decode(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _clean_end(head: bytes) -> bytes:
    """`head` without a character or an escape that was cut in two."""
    end = len(head)
    while end and head[end - 1] & 0xC0 == 0x80:
        end -= 1
    if end and head[end - 1] >= 0xC0:
        head = head[: end - 1]
    cut = _CUT_ESCAPE.search(head, max(0, len(head) - 6))
    if cut is None:
        return head
    at = cut.start()
    run = len(head[: at + 1]) - len(head[: at + 1].rstrip(b"\\"))
    return head[:at] if run % 2 else head


def _clean_start(tail: bytes) -> int | None:
    """The first place in `tail` where neither an escape nor a character is cut in two."""
    plain = 0
    for at, byte in enumerate(tail):
        if plain >= _ESCAPE_REACH and byte & 0xC0 != 0x80:
            return at
        plain = 0 if byte == 92 else plain + 1
    return None


def _closed(head: bytes, gap: bytes) -> bytes:
    """`head` cut at the last place where it can be closed, with everything open closed; the mark in a cut string."""
    stack: list[bytes] = []
    safe, safe_depth = 0, 0
    for token in _TOKEN.finditer(head):
        char = token.group()
        if char in (b"{", b"["):
            stack.append(char)
            safe, safe_depth = token.end(), len(stack)
        elif char in (b"}", b"]"):
            del stack[-1:]
            safe, safe_depth = token.end(), len(stack)
        elif char == b",":
            safe, safe_depth = token.start(), len(stack)
        elif char == b'"' and _is_value(head, token.start(), stack):
            return head + gap + b'"' + _closing(stack)
    return head[:safe] + _closing(stack[:safe_depth])


def _is_value(head: bytes, at: int, stack: list[bytes]) -> bool:
    before = head[:at].rstrip()[-1:]
    return before == b":" or (before in b",[" and stack[-1:] == [b"["])


def _closing(stack: list[bytes]) -> bytes:
    return b"".join(_CLOSERS[char] for char in reversed(stack))


def _mark_failed(fields: dict[str, Any]) -> None:
    """Carry `is_error`, which stood behind the cut, to the last block that is there."""
    message = fields.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list) and content and isinstance(content[-1], dict):
        content[-1].setdefault("is_error", True)
