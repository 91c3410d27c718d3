"""The event that memories were put in front of an agent, appended to the audit trail as the store does it."""

from __future__ import annotations

import os

from learnt.model.keys import keyed_hash, sha256_hex, short_id
from learnt.model.seal import LOG, SEAL, SEEN_BYTES, key_name, log_key, marks, seen_line, seen_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.interfaces.hook.visit import Visit

    End = tuple[str | None, str | None, str | None, int | None]

HEAD = "memory_events_chain_head"
_START = "/proc/sys/kernel/random/boot_id"


class Told:
    """An event that was appended: the log, its place and hash, and whether this machine's view of the log is whole."""

    __slots__ = ("fault", "log", "position", "row_hash")

    def __init__(self, log: str, position: int, row_hash: str, fault: str) -> None:
        self.log = log
        self.position = position
        self.row_hash = row_hash
        self.fault = fault


def append(visit: Visit, bundle: str, moment: str, query: str, ids: Sequence[str], tokens: int) -> Told:
    """Append the event, in the transaction of the receipt; it holds ids, counts and a keyed hash.

    A trail that is marked and cannot be marked here is not gone on with: the fault says so, and the receipt stays.
    """
    end: End = visit.row("trail_end") or (None, None, None, None)
    head, seal, log, last = end
    master = _read(_folder(visit) + "/audit.key", 4096)
    if not master and seal:
        return Told("", 0, "", "no event of this recall: the key of the audit trail cannot be read")
    event, detail = "evt_" + os.urandom(8).hex(), _detail(visit, moment, query, ids, tokens)
    position, before = (last or 0) + 1, head or "GENESIS"
    row_hash = sha256_hex(
        f'{{"event_json":{_quoted(detail)},"id":"{event}","operation":"recall","prev_hash":"{before}","reason":null,'
        f'"target_id":"{bundle}","timestamp":"{visit.now}"}}'
    )
    mark = None
    if master:
        if not log:
            log = os.urandom(8).hex()
            _set(visit, LOG, log)
        mark, seal = marks(key_name(master), log_key(master, log), event, position, row_hash)
        _set(visit, SEAL, seal)
    _set(visit, HEAD, row_hash)
    row = (position, event, bundle, visit.now, detail, before, mark)
    visit.connection.execute(visit.sql["trail_append"], row)
    return Told(log if log and master and _goes_on(visit, end) else "", position, row_hash, "")


def saw(visit: Visit, told: Told) -> str:
    """Note how far the trail goes now that it is committed; gives "" or why there is no event."""
    if told.log:
        line = seen_line(told.position, told.row_hash, _read(_START, 64).decode("ascii", "replace").strip())
        try:
            handle = os.open(_seen(visit, told.log), os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError:  # a witness less
            return told.fault
        try:
            while line:  # half of a line over an older one would tell of a fork
                line = line[os.write(handle, line) :]
        finally:
            os.close(handle)
    return told.fault


def _goes_on(visit: Visit, end: End) -> bool:
    """Whether what this machine saw last still stands; where it does not, the note of it is left for `verify`."""
    head, _, log, last = end
    seen = seen_of(_read(_seen(visit, log), SEEN_BYTES)) if log else None
    if seen is None:
        return True
    if seen[0] == last:
        return seen[1] == head
    after = visit.row("trail_after", (seen[0] + 1,))
    return after is not None and after[0] == seen[1]


def _detail(visit: Visit, moment: str, query: str, ids: Sequence[str], tokens: int) -> str:
    """Canonical JSON: keys sorted, compact. Every value is an id, a number or one of our own words."""
    given = ",".join(f'"{each}"' for each in ids)
    values = visit.connection.execute(visit.sql["quoted"], (visit.host,)).fetchone()[0]
    asked = f'"query":"{keyed_hash(visit.key, query)}",' if visit.key else ""
    return (
        f'{{"by":"hook","count":{len(ids)},"host":{values},"memories":[{given}],"mode":"{moment}",'
        f'{asked}"tokens":{tokens}}}'
    )


def _set(visit: Visit, key: str, value: str) -> None:
    visit.connection.execute(visit.sql["trail_set"], (key, value))


def _quoted(detail: str) -> str:
    return '"' + detail.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _folder(visit: Visit) -> str:
    return os.path.join(os.path.dirname(visit.config), "keys")


def _seen(visit: Visit, log: str | None) -> str:
    if not log or not log.isalnum():
        return os.devnull
    return f"{_folder(visit)}/audit/{log}-{short_id(os.path.realpath(visit.database))}.seen"


def _read(path: str, most: int) -> bytes:
    """The beginning of a file; b"" where it cannot be read."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(handle, most)
    finally:
        os.close(handle)
