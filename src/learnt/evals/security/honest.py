"""What happens to a trail of events honestly, and what is done for an attack of a catalogue."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from learnt.audit.walk import ERASED
from learnt.evals.security.assault import ATTACKS, SQL
from learnt.model.chain import row_hash
from learnt.model.event import GENESIS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.evals.security.assault import Attack
    from learnt.evals.security.scene import Scene


def _erased(scene: Scene) -> int:
    """Events emptied by law, and an event that says so."""
    with scene.opened() as engine:
        means = engine.assembly.means
        ids = [row.id for row in means.store.trail.rows(9, 12)]
        with means.store.transaction():
            told = {str(position): hashed for position, hashed in means.store.trail.erase(ids)}
            means.store.events.append(means.event("erase", "audit", means.clock.now(), {ERASED: told}))
    return 0


def _rotated(scene: Scene) -> int:
    with scene.opened() as engine:
        engine.rotate()
    scene.grown()
    return 0


def _cut(scene: Scene) -> int:
    """Old events removed by retention."""
    with scene.opened() as engine:
        rows = list(engine.assembly.means.store.trail.rows(0, 99))
        engine.checkpoint(before=rows[25].timestamp)
    scene.grown()
    return 0


def _two_writers(scene: Scene) -> int:
    """Two engines write by turns."""
    with scene.opened() as one, scene.opened() as two:
        for number in range(10):
            for engine in (one, two):
                means = engine.assembly.means
                with means.store.transaction():
                    means.store.events.append(means.event("upsert", f"mem_{number:x}", means.clock.now()))
    return 0


def _older_prefix(scene: Scene) -> int:
    """A trail from before there were keys, of which the first events have no hash either, and goes on with them."""
    for each in (scene.file.parent, scene.anchor.parent, scene.folder / "config"):
        shutil.rmtree(each)
    with scene.opened():
        pass
    before, at = "", "2026-01-01T00:00:00.000Z"
    with scene.raw() as raw:
        for seq in range(1, 6):
            prev = None if seq < 4 else before or GENESIS
            raw.execute(SQL["old"], (f"evt_{seq}", at, prev))
            before = row_hash(f"evt_{seq}", "upsert", "mem_0", None, at, None, prev) if prev else ""
        raw.execute(SQL["old_head"], (before,))
    scene.grown()
    return 0


def _tidied(scene: Scene) -> int:
    with closing(sqlite3.connect(scene.file)) as raw:
        raw.execute(SQL["vacuum"])
        raw.execute(SQL["reindex"])
    scene.grown()
    return 0


def _interrupted(scene: Scene) -> int:
    """A process that ends in the middle of its transaction."""
    with closing(sqlite3.connect(scene.file)) as raw:
        raw.execute(SQL["begin"])
        raw.execute(SQL["delete_all"])
    scene.grown()
    return 0


def _went_on(scene: Scene) -> int:
    scene.grown()
    return 0


HONEST: Final[dict[str, Attack]] = {
    "erasure": _erased,
    "rotation": _rotated,
    "retention": _cut,
    "two_writers": _two_writers,
    "older_prefix": _older_prefix,
    "tidied": _tidied,
    "interrupted": _interrupted,
    "went_on": _went_on,
}

_BY_ID: Final = {
    "edit_type_confusion": "edit_type",
    "edit_boundary_shift": "edit_boundary",
    "truncate_tail_k_fix_head": "truncate_mended",
    "rollback_then_grow": "rollback_grow",
    "anchor_rolled_back": "rollback_anchor",
    "null_prev_legacy": "unchained",
}
_HONEST_WORDS: Final = (
    (("eras", "forget", "redact"), "erasure"),
    (("rotat", "new key"), "rotation"),
    (("migrat", "legacy", "backfill", "back-fill", "upgrade", "older"), "older_prefix"),
    (("two", "writer", "concurren", "process"), "two_writers"),
    (("retention", "prune", "cut", "compact"), "retention"),
    (("vacuum", "reindex", "repack", "checkpoint"), "tidied"),
    (("crash", "kill", "abort", "power"), "interrupted"),
)
_WORDS: Final = (
    (("anchor",), "rollback_anchor"),
    (("grow", "fork", "regrow"), "rollback_grow"),
    (("stolen", "leak", "+key", "with_key", "with the key"), "stolen_key"),
    (("roll", "old file", "older copy", "snapshot", "backup"), "rollback"),
    (("recreate", "replaced", "new file", "wipe", "fresh"), "delete_file"),
    (("checkpoint",), "delete_checkpoints"),
    (("truncate", "tail", "last"), "truncate"),
    (("delete_all", "all rows", "everything", "empty the"), "delete_all"),
    (("delete_first", "first row", "genesis", "prefix"), "delete_first"),
    (("delete", "remove", "drop", "gap"), "delete_one"),
    (("insert",), "insert_middle"),
    (("duplicate", "replay", "twice"), "duplicate"),
    (("swap", "reorder", "order", "permut"), "reorder"),
    (("whole", "from 1", "entire"), "rewrite_whole"),
    (("recompute", "rewrite", "suffix"), "rewrite_suffix"),
    (("head",), "head"),
    (("seal", "mac"), "seal"),
    (("prev_hash", "link"), "edit_hash"),
    (("null",), "edit_null"),
    (("type",), "edit_type"),
    (("boundary", "shift", "separator"), "edit_boundary"),
    (("time", "stamp", "clock", "date"), "edit_time"),
    (("target",), "edit_target"),
    (("operation", "action", "kind"), "edit_operation"),
    (("_id", "identity"), "edit_id"),
    (("json", "payload", "detail", "metadata"), "edit_detail"),
)
"""What an attack of another catalogue is most like, by words in its name, then in what it says of itself."""


def chosen(attack: Mapping[str, Any]) -> str:
    """The name of what is done for an attack of a catalogue."""
    name = str(attack.get("id", ""))
    honest = dict(attack.get("must_detect") or {}).get("keyed_merkle_with_external_anchor") is None
    table = HONEST if honest else ATTACKS
    if (known := _BY_ID.get(name, name)) in table:
        return known
    if not honest and "key" in str(attack.get("actor", "")):
        return "stolen_key"
    for text in (name, f"{attack.get('mutation', '')} {attack.get('what', '')}".lower()):
        for words, found in _HONEST_WORDS if honest else _WORDS:
            if any(word in text for word in words):
                return found
    return "went_on" if honest else "edit"
