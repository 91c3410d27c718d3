"""Work in processes of its own, some with fewer rights."""

from __future__ import annotations

import multiprocessing
import os
import traceback
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.process import BaseProcess

_FORK = multiprocessing.get_context("fork")
NOBODY = 65_534


def started(work: Callable[..., object], *values: object) -> BaseProcess:
    """A process that does `work(*values)`."""
    process = _FORK.Process(target=work, args=values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from 3.12: forking beside a test runner's own threads
        process.start()
    return process


def together(work: Callable[..., object], each: list[tuple[Any, ...]]) -> list[int | None]:
    """Exit codes of one process for each list of arguments, all at once."""
    processes = [started(work, *values) for values in each]
    for process in processes:
        process.join(100)
    return [process.exitcode for process in processes]


def as_nobody(work: Callable[[], object]) -> str:
    """What `work` gives (or its traceback) when it has no right to write what belongs to this user.

    The superuser writes where permissions forbid it, so it becomes nobody first.
    """
    ours, theirs = _FORK.Pipe()

    def run() -> None:
        try:
            if os.geteuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            theirs.send(str(work()))
        except BaseException:
            theirs.send(traceback.format_exc())
            raise

    process = started(run)
    found = ours.recv() if ours.poll(60) else "no answer"
    process.join(10)
    return str(found)
