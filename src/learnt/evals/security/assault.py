"""What can be done to a trail of events by somebody who may write its file.

An attack gives the position of the first event that it made wrong; `verify` has to name it, or a stretch that holds it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from learnt.evals.security.scene import EVENTS
from learnt.model.chain import row_hash
from learnt.model.event import GENESIS
from learnt.model.seal import SEAL, key_name, log_key, marks
from learnt.stores.sqlite.statements import parsed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from learnt.evals.security.scene import Scene

    Attack = Callable[[Scene], int]

SQL: Final = parsed(Path(__file__).with_name("attacks.sql").read_text("utf-8"))
_HEAD: Final = "memory_events_chain_head"
MIDDLE, BEHIND = 30, 0
"""Where most attacks begin to be wrong; that it is behind the last event."""


def _done(position: int, *statements: str) -> Attack:
    """Statements, one after another.

    Args:
        position: Of the first event that is wrong then.
    """

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            for each in statements:
                raw.execute(SQL[each])
            return position or _last(raw) + 1

    return attack


def _last(raw: sqlite3.Connection) -> int:
    return int(raw.execute(SQL["last"]).fetchone()[0])


def _mended(raw: sqlite3.Connection, begin: int, master: bytes = b"") -> None:
    """Every hash from an event on worked out anew, and the head; with the key marks and seal too."""
    log = raw.execute(SQL["log"]).fetchone()[0]
    before, seal = GENESIS, ""
    for seq, name, operation, target, reason, at, detail, prev_hash, mark in raw.execute(SQL["rows"]).fetchall():
        prev = before if seq >= begin else prev_hash
        before = row_hash(name, operation, target, reason, at, detail, prev)
        made = mark
        if master and seq >= begin:
            made, seal = marks(key_name(master), log_key(master, log), name, seq, before)
        raw.execute(SQL["mend"], (prev, made, seq))
    raw.execute(SQL["mend_fact"], (before, _HEAD))
    if seal:
        raw.execute(SQL["mend_fact"], (seal, SEAL))


def _rewritten(begin: int, change: str, *, keyed: bool = False) -> Attack:
    """Events changed, and everything after them made to fit."""

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            raw.execute(SQL[change])
            _mended(raw, begin, scene.master if keyed else b"")
        return begin

    return attack


def _truncated(count: int, *, mend: bool) -> Attack:
    """The last events removed."""

    def attack(scene: Scene) -> int:
        with scene.raw() as raw:
            end = _last(raw)
            raw.execute(SQL["delete_after"], (end - count,))
            if mend:
                _mended(raw, end + 1)
        return end - count + 1

    return attack


def _inserted_tail(scene: Scene) -> int:
    """A forged event at the end, with hash and head."""
    with scene.raw() as raw:
        end = _last(raw)
        raw.execute(SQL["insert_tail"])
        _mended(raw, end + 1)
    return end + 1


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


def _file_gone(scene: Scene) -> int:
    """The store removed; the next command makes a new one."""
    for each in scene.file.parent.glob(scene.file.name + "*"):
        each.unlink()
    scene.grown(3)
    return 1


def _anchor_back(scene: Scene) -> int:
    """Store and anchor of an earlier moment: on this machine alone nothing shows that, but the folder of keys."""
    lines = scene.anchor.read_text("utf-8").splitlines(keepends=True)
    scene.anchor.write_text("".join(lines[:1]), "utf-8")
    return _rolled_back(scene)


_EDITS: Final = (
    "edit edit_detail edit_target edit_id edit_operation edit_time edit_hash edit_mark edit_null edit_type edit_bytes"
    " edit_boundary delete_one unchained unmarked emptied"
)

ATTACKS: Final[dict[str, Attack]] = {
    **{name: _done(MIDDLE, name) for name in _EDITS.split()},
    "edit_first": _done(1, "edit_first"),
    "delete_range": _done(25, "delete_range"),
    "delete_first": _done(1, "delete_first"),
    "delete_all": _done(1, "delete_all", "delete_facts", "delete_checkpoints"),
    "delete_file": _file_gone,
    "delete_checkpoints": _done(EVENTS, "delete_checkpoint"),
    "truncate": _truncated(3, mend=False),
    "truncate_mended": _truncated(3, mend=True),
    "insert_middle": _done(MIDDLE + 1, "room", "room_made", "insert_middle"),
    "insert_tail": _inserted_tail,
    "duplicate": _done(MIDDLE + 1, "room", "room_made", "insert_copy"),
    "reorder": _done(MIDDLE, "swap"),
    "rewrite_suffix": _rewritten(MIDDLE, "edit"),
    "rewrite_whole": _rewritten(1, "edit_all"),
    "time_forged": _rewritten(MIDDLE, "edit_time"),
    "rollback": _rolled_back,
    "rollback_grow": _grown_again,
    "rollback_anchor": _anchor_back,
    "stolen_key": _rewritten(MIDDLE, "edit", keyed=True),
    "head": _done(BEHIND, "head"),
    "head_gone": _done(BEHIND, "head_gone"),
    "seal": _done(BEHIND, "seal"),
    "seal_gone": _done(BEHIND, "seal_gone"),
}
