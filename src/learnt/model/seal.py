"""Keyed marks of audit events. Hook-safe.

Every event has a key of its own, made from the log's key and the event's id; two marks are made with it, over the
event's place and hash. The row keeps the first. The second, the seal, stands beside the head and is overwritten by the
next event: who cuts events off the end has no seal for what is left.

A key for each event, so that a server may be given it to make the marks in the statement that holds the end of the
chain: it learns nothing with which another event could be marked.
"""

from __future__ import annotations

from learnt.model.keys import sha256_bytes

_ALL = int.from_bytes(bytes(range(256)), "big")
IN_PAD = (_ALL ^ int.from_bytes(b"\x36" * 256, "big")).to_bytes(256, "big")
OUT_PAD = (_ALL ^ int.from_bytes(b"\x5c" * 256, "big")).to_bytes(256, "big")

LOG = "audit_log"
"""The fact that holds the id of a store's log; made with its first marked event, and moved with it."""

SEAL = "memory_events_chain_seal"
"""The fact that holds the seal of the last event."""


def hmac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA-256 (RFC 2104) with a key of at most 64 bytes; `hmac` itself costs a hook 6 ms to import."""
    block = key.ljust(64, b"\0")
    return sha256_bytes(block.translate(OUT_PAD) + sha256_bytes(block.translate(IN_PAD) + message))


def key_name(master: bytes) -> str:
    """What a key is called: 8 hex digits that say nothing of it."""
    return sha256_bytes(b"learnt audit\0" + master).hex()[:8]


def log_key(master: bytes, log: str) -> bytes:
    """The key of one log, so that no event can be carried from one log into another."""
    return hmac(master, b"learnt audit\n" + log.encode())


def row_key(key: bytes, event_id: str) -> bytes:
    """The key of the mark of one event; `key` is the log's."""
    return hmac(key, b"row\n" + event_id.encode("utf-8", "surrogatepass"))


def end_key(key: bytes, event_id: str) -> bytes:
    """The key of the seal over one event."""
    return hmac(key, b"end\n" + event_id.encode("utf-8", "surrogatepass"))


def said(position: int, row_hash: str) -> bytes:
    """What a mark and a leaf of the tree say: which event stands where."""
    return f"{position}:{row_hash}".encode()


def mark(name: str, key: bytes, event_id: str, position: int, row_hash: str) -> str:
    """The mark of an event, as the key's name and 64 hex digits."""
    return f"{name}:{hmac(row_key(key, event_id), said(position, row_hash)).hex()}"


def seal(name: str, key: bytes, event_id: str, position: int, row_hash: str) -> str:
    """The seal over an event that is the last one, in the same form."""
    return f"{name}:{hmac(end_key(key, event_id), said(position, row_hash)).hex()}"


def marks(name: str, key: bytes, event_id: str, position: int, row_hash: str) -> tuple[str, str]:
    """Mark and seal of an event."""
    held = (name, key, event_id, position, row_hash)
    return mark(*held), seal(*held)


def pads(key: bytes) -> tuple[bytes, bytes]:
    """The two blocks of HMAC that a server puts before what it hashes: inner, outer."""
    block = key.ljust(64, b"\0")
    return block.translate(IN_PAD), block.translate(OUT_PAD)


SEEN_BYTES = 128
"""What a machine notes of the last event it saw: one line of always the same length, written at once."""


def seen_line(position: int, row_hash: str, start: str) -> bytes:
    """The line: place, hash, and which start of the machine it is."""
    line = f"{position:020d} {row_hash} {start}".ljust(SEEN_BYTES - 1)[: SEEN_BYTES - 1]
    return line.encode("ascii", "replace") + b"\n"


def seen_of(line: bytes) -> tuple[int, str, str] | None:
    """What such a line says; None for what is none."""
    parts = line[:SEEN_BYTES].decode("ascii", "replace").split()
    if len(parts) not in {2, 3} or not parts[0].isdigit() or len(parts[1]) != 64:
        return None
    return int(parts[0]), parts[1], parts[2] if len(parts) > 2 else ""
