"""Whether a process that left a mark still runs."""

from __future__ import annotations

import errno
import os


def lives(pid: int, started: object = None) -> bool:
    """Whether the process is there; where its mark names its start and the system tells it, that must agree.

    Args:
        started: Clock ticks since boot, as the mark says; a process id is used again.
    """
    if pid <= 0 or os.name == "nt":  # on Windows signal 0 would interrupt the process; the idle time decides there
        return pid > 0
    try:
        os.kill(pid, 0)
    except OSError as fault:
        return fault.errno == errno.EPERM
    except OverflowError:
        return False
    actual = process_start(pid)
    return not (isinstance(started, str) and started and actual) or started == actual


def process_start(pid: int) -> str:
    """When a process began, in clock ticks since boot; "" where the system does not say (only Linux does)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
