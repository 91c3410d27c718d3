"""What went wrong in hooks, kept where `learnt status` finds it: the last hundred lines of `hook-errors.log`."""

from __future__ import annotations

import os
import time

LOG = "hook-errors.log"
NOTICE = "hook-notice"
_MAX_LINES = 100
_MAX_BYTES = 64 * 1024
_FLAGS = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def record(home: str, event: str, reason: str) -> None:
    """Say it on standard error and add one line to the log. A log that cannot be written is no second error."""
    plain = " ".join(reason.split())[:300]
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {event} {plain}\n"
    _say(f"learnt hook: {line}")
    try:
        handle = os.open(f"{home}/{LOG}", os.O_RDWR | os.O_APPEND | _FLAGS, 0o600)
        try:
            _trim(handle)
            os.write(handle, line.encode("utf-8", "replace"))
        finally:
            os.close(handle)
    except OSError as error:
        _say(f"learnt hook: no log: {error.strerror}\n")


def _say(line: str) -> None:
    try:
        os.write(2, line.encode("utf-8", "replace"))
    except OSError:  # nobody listens
        return


def _trim(handle: int) -> None:
    """Keep the log's last lines. Two processes that trim at once may lose a line; a log of faults bears that."""
    size = os.fstat(handle).st_size
    if size < 8 * 1024:
        return
    os.lseek(handle, max(0, size - _MAX_BYTES), os.SEEK_SET)
    lines = os.read(handle, _MAX_BYTES).splitlines(keepends=True)
    if len(lines) < _MAX_LINES and size <= _MAX_BYTES:
        return
    os.ftruncate(handle, 0)
    os.write(handle, b"".join(lines[1 - _MAX_LINES :]))


def lines(home: str) -> list[str]:
    """The log, oldest first, for `status` and `doctor`."""
    try:
        with open(f"{home}/{LOG}", encoding="utf-8", errors="replace") as file:
            return file.read(4 * _MAX_BYTES).splitlines()[-_MAX_LINES:]
    except OSError:
        return []


def first_today(home: str) -> bool:
    """Whether a person was not yet told today; they count as told from now on."""
    today = time.strftime("%Y-%m-%d", time.gmtime()).encode()
    try:
        handle = os.open(f"{home}/{NOTICE}", os.O_RDWR | _FLAGS, 0o600)
        try:
            if os.read(handle, 10) == today:
                return False
            os.ftruncate(handle, 0)
            os.pwrite(handle, today, 0)
        finally:
            os.close(handle)
    except OSError:  # a folder that cannot be written is itself worth telling
        return True
    return True
