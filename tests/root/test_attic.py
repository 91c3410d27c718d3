"""Old copies in the data directory, as forgetting finds and clears them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from learnt.bootstrap.attic import FolderAttic
from learnt.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def attic(tmp_path: Path) -> FolderAttic:
    """A data directory with one of each."""
    (tmp_path / "memory.db.v3.backup").write_bytes(b"whole")
    (tmp_path / "backups" / "one").mkdir(parents=True)
    (tmp_path / "backups" / "one" / "memories.jsonl").write_text('{"text": "keep"}\n{"text": "caf\\u00e9 gone"}\n')
    for name, repository in (("a", "repo-a"), ("b", "repo-b")):
        folder = tmp_path / "exports" / name
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(json.dumps({"repository": {"id": repository}}))
    (tmp_path / "reflections" / "repo-b").mkdir(parents=True)
    (tmp_path / "reflections" / "repo-b" / "lessons.md").write_text("café gone")
    return FolderAttic(tmp_path)


def test_lines_are_struck_and_whole_copies_removed(attic: FolderAttic, tmp_path: Path) -> None:
    """Only lines with the text go, however JSON spells it; what is made from other rows only when they are meant."""
    changed = attic.clear(["café gone"])
    assert len(changed) == 2
    assert not (tmp_path / "memory.db.v3.backup").exists()
    assert (tmp_path / "backups" / "one" / "memories.jsonl").read_text() == '{"text": "keep"}\n'
    assert (tmp_path / "reflections" / "repo-b" / "lessons.md").exists()
    attic.clear([], shared=True)
    assert not (tmp_path / "reflections" / "repo-b" / "lessons.md").exists()


def test_a_repository_takes_its_exports(attic: FolderAttic, tmp_path: Path) -> None:
    """Those of another stay; an export that cannot be read is nobody's."""
    (tmp_path / "exports" / "b" / "manifest.json").write_text("no JSON")
    assert attic.end("repo-a") == (str(tmp_path / "exports" / "a"),)
    assert attic.end("repo-b") == ()
    assert (tmp_path / "exports" / "b").exists()


def test_what_cannot_be_cleared_is_told(attic: FolderAttic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forgetting does not say that it is done while a copy lies there."""

    def refuse(path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, f"no{missing_ok}", str(path))

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    with pytest.raises(StoreError):
        attic.clear(["x"])
