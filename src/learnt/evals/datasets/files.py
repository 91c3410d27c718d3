"""Files of a data set, found by pattern: other splits have other names and counts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOM = 12
"""Bytes of memory for a byte of JSON, with what the measurement makes of it. Source: own measurement."""


def found(folder: Path, *patterns: str, required: bool = True) -> tuple[Path, ...]:
    """The files of `folder` that match any of the patterns, by name.

    Raises:
        UsageError: `no_data` when one is required and there is none; `too_large` when they do not fit into memory.
    """
    if not folder.is_dir():
        raise UsageError("There is no such directory of data.", code="no_data", hint="Name it with `--data`.")
    paths = sorted({path for pattern in patterns for path in folder.glob(pattern) if path.is_file()})
    if required and not paths:
        raise UsageError(
            f"No file named {' or '.join(patterns)} is there.",
            code="no_data",
            hint="Is it the folder of this data set?",
        )
    _fits(sum(path.stat().st_size for path in paths))
    return tuple(paths)


def _fits(size_bytes: int) -> None:
    free = free_bytes()
    if size_bytes * ROOM > free:
        raise too_large(f"{size_bytes / 1e6:,.0f} MB of data do not fit into {free / 1e6:,.0f} MB of free memory.")


def too_large(message: str = "The data do not fit into memory.") -> UsageError:
    """The error about data larger than memory."""
    return UsageError(message, code="too_large", hint="Measure a part of the files.")


def free_bytes() -> int:
    """Memory this process may still take."""
    return min(_limit(), _available())


def _limit() -> int:
    try:
        import resource
    except ImportError:  # no such limits on this platform
        return 2**63
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return 2**63 if most == resource.RLIM_INFINITY else most


def _available() -> int:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 2**63


def parsed(path: Path) -> Any:
    """A JSON file.

    Raises:
        UsageError: It cannot be read; the file is named.
    """
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise unreadable(path, type(error).__name__) from None


def rows(*paths: Path) -> Iterator[Mapping[str, Any]]:
    """The objects of JSON-lines files, one after the other; blank lines are passed over.

    Raises:
        UsageError: A line is no object; file and line are named.
    """
    for path in paths:
        try:
            with path.open(encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        yield _row(path, number, line)
        except (OSError, UnicodeDecodeError) as error:
            raise unreadable(path, type(error).__name__) from None


def _row(path: Path, number: int, line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise unreadable(path, f"line {number} is no JSON object")
    return value


def unreadable(path: Path, why: str) -> UsageError:
    """The error about a file that is not what its name says."""
    return UsageError(f"{path.name} cannot be used: {why}.", code="bad_data", details={"file": path.name})


def instant(moment: Any, *shapes: str) -> str:
    """A point in time as canonical text, read by the first shape that fits; "" when none does."""
    from datetime import UTC, datetime

    from learnt.model.instant import from_epoch

    for shape in shapes:
        try:
            when = datetime.fromisoformat(str(moment)) if shape == "iso" else datetime.strptime(str(moment), shape)  # noqa: DTZ007 - the zone is set below
        except ValueError:
            continue
        return from_epoch((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    return ""
