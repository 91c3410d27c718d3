"""What can be done to a trail of events by somebody who may write its file.

An attack gives the position of the first event that it made wrong; `verify` has to name it, or a stretch that holds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.evals.security.scene import COLUMNS, EVENTS
from learnt.model.chain import row_hash
from learnt.model.event import GENESIS
from learnt.model.seal import key_name, log_key, marks

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from learnt.evals.security.scene import Scene

    Attack = Callable[[Scene], int]


def _change(column: str, value: str) -> Attack:
    """One column of a middle event set to the value of an SQL expression."""

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            raw.execute(f"UPDATE memory_events SET {column} = {value} WHERE seq = 30")  # noqa: S608 - attacks of ours
        return 30

    return attack


def _scripted(position: int, *statements: str) -> Attack:
    """Statements as they stand."""

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            for each in statements:
                raw.execute(each)
        return position

    return attack


def _last(raw: sqlite3.Connection) -> int:
    return int(raw.execute("SELECT max(seq) FROM memory_events").fetchone()[0])


def _boundary(scene: Scene) -> int:
    """A character moved from the end of one column to the beginning of the next."""
    with scene.raw() as raw:
        raw.execute(
            "UPDATE memory_events SET timestamp = substr(reason, -1) || timestamp, "
            "reason = substr(reason, 1, length(reason) - 1) WHERE seq = 30"
        )
    return 30


def _mended(raw: sqlite3.Connection, begin: int, master: bytes = b"") -> None:
    """Every hash from an event on worked out anew, and the head; with the key marks and seal too."""
    log = raw.execute("SELECT value FROM _meta WHERE key = 'audit_log'").fetchone()[0]
    rows = raw.execute(f"SELECT {COLUMNS} FROM memory_events ORDER BY seq").fetchall()  # noqa: S608 - a constant
    before, seal = GENESIS, ""
    for seq, name, operation, target, reason, at, detail, prev_hash, mac in rows:
        prev = before if seq >= begin else prev_hash
        before = row_hash(name, operation, target, reason, at, detail, prev)
        if master and seq >= begin:
            mac, seal = marks(key_name(master), log_key(master, log), name, seq, before)  # noqa: PLW2901
        raw.execute("UPDATE memory_events SET prev_hash = ?, mac = ? WHERE seq = ?", (prev, mac, seq))
    raw.execute("UPDATE _meta SET value = ? WHERE key = 'memory_events_chain_head'", (before,))
    if seal:
        raw.execute("UPDATE _meta SET value = ? WHERE key = 'memory_events_chain_seal'", (seal,))


def _rewritten(begin: int, change: str, *, keyed: bool = False) -> Attack:
    """Events changed and everything after them made to fit."""

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            raw.execute(f"UPDATE memory_events SET {change} WHERE seq = {begin}")  # noqa: S608 - attacks of ours
            _mended(raw, begin, scene.master if keyed else b"")
        return begin

    return attack


def _truncated(count: int, *, mend: bool) -> Attack:
    """The last events removed."""

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            end = _last(raw)
            raw.execute("DELETE FROM memory_events WHERE seq > ?", (end - count,))
            if mend:
                _mended(raw, end + 1)
        return end - count + 1

    return attack


def _inserted_tail(scene: Scene) -> int:
    """A forged event at the end, with hash and head."""
    with scene.raw() as raw:
        end = _last(raw)
        raw.execute(
            "INSERT INTO memory_events (seq, id, operation, target_id, timestamp, prev_hash, mac) "
            "SELECT seq + 1, 'evt_forged', 'delete', 'mem_0', timestamp, '', mac FROM memory_events WHERE seq = ?",
            (end,),
        )
        _mended(raw, end + 1)
    return end + 1


def _shifted(*insert: str) -> Attack:
    """Room made after a middle event, and something put there."""

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            raw.execute("UPDATE memory_events SET seq = -seq - 1 WHERE seq > 30")
            raw.execute("UPDATE memory_events SET seq = -seq WHERE seq < 0")
            for each in insert:
                raw.execute(each)
        return 31

    return attack


def _swapped(scene: Scene) -> int:
    """Two neighbours swap all but their places and hashes."""
    with scene.raw() as raw:
        fields = "operation, target_id, reason, timestamp, event_json"
        rows = raw.execute(f"SELECT {fields}, seq FROM memory_events WHERE seq IN (30, 31) ORDER BY seq").fetchall()  # noqa: S608
        sets = "operation = ?, target_id = ?, reason = ?, timestamp = ?, event_json = ?"
        for row, seq in zip(rows, (31, 30), strict=True):
            raw.execute(f"UPDATE memory_events SET {sets} WHERE seq = ?", (*row[:-1], seq))  # noqa: S608 - constants
        raw.execute("UPDATE memory_events SET event_json = json_set(event_json, '$.n', 99) WHERE seq = 30")
    return 30


def _rewritten_whole(scene: Scene) -> int:
    """Another history of the same length."""
    with scene.raw() as raw:
        raw.execute("UPDATE memory_events SET reason = 'another', target_id = 'mem_f'")
        _mended(raw, 1)
    return 1


def _rolled_back(scene: Scene) -> int:
    """An older copy in the place of the store."""
    scene.put_back()
    with scene.raw() as raw:
        return _last(raw) + 1


def _grown_again(scene: Scene) -> int:
    """The same, and honest work on top until it is longer than what was anchored."""
    position = _rolled_back(scene)
    scene.grown(EVENTS)
    return position


def _all_gone(scene: Scene) -> int:
    """No events, no head, no seal, no name."""
    with scene.raw() as raw:
        raw.execute("DELETE FROM memory_events")
        raw.execute("DELETE FROM _meta WHERE key LIKE 'memory_events_chain%' OR key = 'audit_log'")
        raw.execute("DELETE FROM audit_checkpoints")
    return 1


def _file_gone(scene: Scene) -> int:
    """The store removed; the next command makes a new one."""
    for each in scene.file.parent.glob(scene.file.name + "*"):
        each.unlink()
    scene.grown(3)
    return 1


def _unchained(scene: Scene) -> int:
    """A run of events robbed of their hashes."""
    with scene.raw() as raw:
        raw.execute("UPDATE memory_events SET prev_hash = NULL WHERE seq BETWEEN 30 AND 34")
    return 30


def _anchor_back(scene: Scene) -> int:
    """Store and anchor of an earlier moment: on this machine alone nothing shows that, but the folder of keys."""
    lines = scene.anchor.read_text("utf-8").splitlines(keepends=True)
    scene.anchor.write_text("".join(lines[:1]), "utf-8")
    return _rolled_back(scene)


ATTACKS: Final[dict[str, Attack]] = {
    "edit": _change("reason", "'another'"),
    "edit_detail": _change("event_json", "json_set(event_json, '$.n', 99)"),
    "edit_target": _change("target_id", "'mem_f'"),
    "edit_id": _change("id", "'evt_f'"),
    "edit_operation": _change("operation", "'delete'"),
    "edit_time": _change("timestamp", "'2020-01-01T00:00:00.000Z'"),
    "edit_hash": _change("prev_hash", "lower(hex(zeroblob(32)))"),
    "edit_mark": _change("mac", "substr(mac, 1, 9) || lower(hex(zeroblob(32)))"),
    "edit_null": _change("reason", "NULL"),
    "edit_type": _change("reason", "CAST(reason AS BLOB)"),
    "edit_boundary": _boundary,
    "edit_first": _scripted(1, "UPDATE memory_events SET reason = 'another' WHERE seq = 1"),
    "delete_one": _scripted(30, "DELETE FROM memory_events WHERE seq = 30"),
    "delete_range": _scripted(25, "DELETE FROM memory_events WHERE seq BETWEEN 25 AND 34"),
    "delete_first": _scripted(1, "DELETE FROM memory_events WHERE seq <= 3"),
    "delete_all": _all_gone,
    "delete_file": _file_gone,
    "delete_checkpoints": _scripted(60, "DELETE FROM audit_checkpoints WHERE epoch = 2"),
    "truncate": _truncated(3, mend=False),
    "truncate_mended": _truncated(3, mend=True),
    "insert_middle": _shifted(
        f"INSERT INTO memory_events ({COLUMNS}) SELECT 31, 'evt_forged', operation, target_id, reason, timestamp, "  # noqa: S608
        "event_json, prev_hash, mac FROM memory_events WHERE seq = 30"
    ),
    "insert_tail": _inserted_tail,
    "duplicate": _shifted(
        f"INSERT INTO memory_events ({COLUMNS}) SELECT 31, id || '0', operation, target_id, reason, timestamp, "  # noqa: S608
        "event_json, prev_hash, mac FROM memory_events WHERE seq = 30"
    ),
    "reorder": _swapped,
    "rewrite_suffix": _rewritten(30, "reason = 'another'"),
    "rewrite_whole": _rewritten_whole,
    "time_forged": _rewritten(30, "timestamp = '2020-01-01T00:00:00.000Z'"),
    "unchained": _unchained,
    "rollback": _rolled_back,
    "rollback_grow": _grown_again,
    "rollback_anchor": _anchor_back,
    "stolen_key": _rewritten(30, "reason = 'another'", keyed=True),
    "head": _scripted(67, "UPDATE _meta SET value = lower(hex(zeroblob(32))) WHERE key = 'memory_events_chain_head'"),
    "head_gone": _scripted(67, "DELETE FROM _meta WHERE key = 'memory_events_chain_head'"),
    "seal": _scripted(67, "UPDATE _meta SET value = 'x:y' WHERE key = 'memory_events_chain_seal'"),
}
