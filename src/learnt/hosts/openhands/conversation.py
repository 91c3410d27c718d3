"""The files of an OpenHands conversation: how they are told, read and recognised again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, Final

from learnt.errors import LearntError
from learnt.hosts.host import newest
from learnt.hosts.reading.cut import CUT_BYTES, cut
from learnt.hosts.reading.lines import opened
from learnt.hosts.reading.records import decoded, reason_of
from learnt.hosts.reading.value import fields
from learnt.model.keys import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from learnt.hosts.host import Asked, Fit

EVENTS: Final = "events"
_STATE: Final = "base_state.json"
_MAX_EVENT_BYTES: Final = 64 << 20
_USUAL_BYTES: Final = 64 << 10


def home_of(path: Path) -> Path:
    """The conversation's folder, whichever of its parts was named."""
    if path.is_dir():
        return path.parent if path.name == EVENTS and (path.parent / _STATE).exists() else path
    return path.parent.parent if path.parent.name == EVENTS else path.parent


def event_files(folder: Path) -> list[Path]:
    """The events in order."""
    return sorted((folder / EVENTS).glob("event-*.json"), key=lambda path: (_number(path), path.name))


def _number(path: Path) -> int:
    digits = path.name[6:].partition("-")[0]
    return int(digits) if digits.isdecimal() else -1


def event(path: Path) -> tuple[int, dict[str, Any] | str]:
    """The size of an event's file and the event, or what is wrong with it."""
    try:
        with path.open("rb") as file:
            body = _whole(file, _MAX_EVENT_BYTES + 1)
    except OSError as fault:
        return 0, f"{fault}"[:200]
    if len(body) > _MAX_EVENT_BYTES:
        return len(body), f"an event of over {_MAX_EVENT_BYTES >> 20} MiB"
    try:
        value = decoded(cut(body) if len(body) > CUT_BYTES else body)
    except (ValueError, RecursionError) as fault:
        return len(body), reason_of(fault)
    return len(body), value if isinstance(value, dict) else "no JSON object"


def _whole(file: BinaryIO, most_bytes: int) -> bytes:
    """What a file holds, up to so much; room is made for what is there, not each time for the most."""
    piece = file.read(_USUAL_BYTES)
    return piece if len(piece) < _USUAL_BYTES else piece + file.read(most_bytes - _USUAL_BYTES)


def state(folder: Path) -> dict[str, Any]:
    """What the conversation says of itself as a whole."""
    try:
        with opened(folder / _STATE) as file:
            return fields(decoded(_whole(file, _MAX_EVENT_BYTES)))
    except (LearntError, OSError, ValueError, RecursionError):
        return {}


def recognises(path: Path) -> Fit:
    """A folder with the state and events of this format, or one of its files."""
    folder = home_of(path)
    if not (folder / EVENTS).is_dir() or not (path.is_dir() or path.name == _STATE or path.parent.name == EVENTS):
        return "no"
    first = next(iter((folder / EVENTS).glob("event-*.json")), None)
    if first is None:
        return "shaped" if (folder / _STATE).is_file() else "no"
    _, item = event(first)
    known = isinstance(item, dict) and isinstance(item.get("kind"), str) and "source" in item
    return "sure" if known and (folder / _STATE).is_file() else "shaped"


def folders(environment: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where the client keeps conversations."""
    named = environment.get("OPENHANDS_CONVERSATIONS_DIR", "")
    root = environment.get("OPENHANDS_PERSISTENCE_DIR", "")
    own = home.joinpath(root) if root else home / ".openhands"
    return (home.joinpath(named) if named else own / "conversations",)


def files(folder: Path) -> tuple[Path, ...]:
    """Every conversation there."""
    return newest(path.parent for path in folder.glob(f"*/{EVENTS}"))


def extent(asked: Asked) -> int:
    """Bytes of all events."""
    total = 0
    for path in event_files(home_of(asked.path)):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def head(asked: Asked) -> tuple[str, int]:
    """The name of the first event, which holds its id."""
    return sha256_hex(_first_name(asked)), 0


def same(asked: Asked, expected_hash: str, head_bytes: int) -> bool:
    """Whether the conversation begins with the event it began with."""
    del head_bytes
    return sha256_hex(_first_name(asked)) == expected_hash


def _first_name(asked: Asked) -> str:
    return next((path.name for path in event_files(home_of(asked.path))), "")
