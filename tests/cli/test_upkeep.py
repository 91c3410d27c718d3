"""doctor --repair, backup."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Shell


def _index(document: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return next(each for each in document["checks"] if each["name"] == "index")


def test_a_broken_index_is_told_and_repaired(learnt: Shell) -> None:
    """`status` and `doctor` say that full text and rows differ; `--repair` mends it and says what it made."""
    memory = learnt.remember()
    assert _index(learnt("doctor", "--json").document)["result"] == "ok"
    with closing(sqlite3.connect(learnt.home / "memory.db")) as other, other:
        other.execute("UPDATE memory_items SET terms = ''")
        other.execute("INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')")
    assert "doctor --repair" in " ".join(learnt.json("status")["gaps"])
    told = learnt("doctor", "--json")
    assert (told.code, _index(told.document)["result"]) == (1, "problem")
    document = learnt("doctor", "--repair", "--json").document
    assert _index(document)["result"] == "ok"
    assert document["repaired"]["before"]["unindexed"] == 1
    assert document["repaired"]["made"]["memories"] == 1
    assert document["repaired"]["after"] == {}
    assert [each["id"] for each in learnt.json("recall", "how do I run the tests")["items"]] == [memory]
    assert learnt.json("audit", "verify")["verified"]
    assert learnt("doctor", "--repair").code in {0, 1}


def test_a_backup_is_a_store(learnt: Shell, tmp_path: Path) -> None:
    """The copy opens and holds the memories; a file that is there is not touched, and an agent may not."""
    learnt.remember()
    copy = tmp_path / "copy.db"
    assert learnt.json("backup", str(copy))["size_bytes"] == copy.stat().st_size
    assert learnt("backup", str(copy)).code == 2
    learnt.monkeypatch.setenv("LEARNT_DATABASE_URL", f"sqlite://{copy}")
    assert learnt.json("list")["total"] == 1
    learnt.monkeypatch.setenv("LEARNT_AGENT", "a1")
    assert learnt("backup", str(tmp_path / "other.db")).code == 3
