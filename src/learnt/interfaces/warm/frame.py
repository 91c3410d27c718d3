"""What both ends agree on: where the socket lies, whose it must be, and how a message is written. Hook-safe.

A message is the magic, four bytes of length, and fields, each four bytes of length and UTF-8. Nothing in it is parsed
beyond that, so there is nothing to confuse a parser with.
"""

from __future__ import annotations

import os
import sys

from learnt.model.keys import short_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Sequence

MAGIC = b"learnt\x01"
"""The last byte is the version of this protocol; another one is not understood."""

MAX_BYTES = 64 * 1024
MAX_CHARS = 12_000
"""A longer prompt is asked by words alone: half a prompt would be another question."""

ROW = "hook.warm"
"""The row of `_meta` that says a local model's vectors are searched here; without it no hook asks or starts anything.
Written by the flows that store vectors, emptied by a process that found no model."""

STARTED, LOCK, SOCKET = "warm.started", "warm.lock", "warm.sock"
_MAX_PATH_BYTES = 100
"""An address of a socket holds 104 bytes on some systems, 108 on others."""

_DIRECTORY, _TYPE, _OTHERS = 0o040000, 0o170000, 0o077


def lock_folder(home: str) -> str:
    """Where the lock and the time of the last start lie."""
    return os.path.join(home, "locks")


def socket_path(home: str) -> str:
    """Where the socket lies: in the data directory, or where that path is too long, in a private folder of this user.

    Nothing of it comes from the environment.
    """
    path = os.path.join(home, "run", SOCKET)
    if len(os.fsencode(path)) <= _MAX_PATH_BYTES:
        return path
    runtime = f"/run/user/{os.geteuid()}"
    if not is_private(runtime):
        runtime = f"/tmp/learnt-{os.geteuid()}"  # noqa: S108 - `is_private` is asked before it is used
    return os.path.join(runtime, f"learnt-{short_id(home)}.sock")


def is_private(folder: str) -> bool:
    """Whether a folder is this user's, no link, and closed to everybody else."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return found.st_mode & _TYPE == _DIRECTORY and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS


def packed(fields: Sequence[str]) -> bytes:
    """A message."""
    body = b""
    for field in fields:
        plain = field.encode("utf-8", "surrogatepass")
        body += len(plain).to_bytes(4, "big") + plain
    return MAGIC + len(body).to_bytes(4, "big") + body


def unpacked(body: bytes) -> list[str]:
    """The fields of a message.

    Raises:
        ValueError: The lengths do not add up, or a field is no UTF-8.
    """
    fields, at = [], 0
    while at < len(body):
        until = at + 4 + int.from_bytes(body[at : at + 4], "big")
        if until > len(body):
            raise ValueError("a field is longer than its message")
        fields.append(body[at + 4 : until].decode("utf-8", "surrogatepass"))
        at = until
    return fields


def received(connection: socket, until_s: float, now_s: Callable[[], float]) -> list[str]:
    """The one message of the other end, all of it before `until_s` on the clock `now_s`.

    Raises:
        OSError: It did not come in time, or the other end left.
        ValueError: It is no message of ours, or too long.
    """
    head = _exactly(connection, len(MAGIC) + 4, until_s, now_s)
    if head[: len(MAGIC)] != MAGIC:
        raise ValueError("no message of this version")
    size = int.from_bytes(head[len(MAGIC) :], "big")
    if size > MAX_BYTES:
        raise ValueError("a message too long")
    return unpacked(_exactly(connection, size, until_s, now_s))


def _exactly(connection: socket, size: int, until_s: float, now_s: Callable[[], float]) -> bytes:
    found = b""
    while len(found) < size:
        left_s = until_s - now_s()
        if left_s <= 0:
            raise OSError("not in time")
        connection.settimeout(left_s)
        piece = connection.recv(size - len(found))
        if not piece:
            raise OSError("the other end left")
        found += piece
    return found


def is_ours(connection: socket, user: int) -> bool:
    """Whether the other end is a process of this user; True where the system does not say, and the folder must do."""
    import _socket

    option = getattr(_socket, "SO_PEERCRED", None)
    if option is None:
        return True
    found: bytes = connection.getsockopt(_socket.SOL_SOCKET, option, 12)
    return int.from_bytes(found[4:8], sys.byteorder) == user
