"""`learnt export` and `learnt import`, as a person and as a program meet them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from learnt.model.keys import content_hash

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Shell


@pytest.fixture
def lived(learnt: Shell) -> Shell:
    """A store with a memory and a request, and no model."""
    learnt.config.parent.mkdir(parents=True)
    learnt.config.write_text("[embeddings]\nenabled = false\n", encoding="utf-8")
    learnt("remember", "This repository uses pnpm.", "--kind", "repo_convention")
    learnt("propose", "add", "Tests need a server.", "--kind", "lesson", "--evidence", "README.md:1")
    return learnt


def elsewhere(learnt: Shell, name: str = "other") -> None:
    """From now on another store of the same person."""
    learnt.monkeypatch.setenv("LEARNT_HOME", str(learnt.root / name))


def seed_row(text: str, **changes: Any) -> dict[str, Any]:
    """A memory as the swarm-memory seed writes it."""
    digest = content_hash('{"type":"repository","repoId":"repo-z"}', "repo_convention", text)
    row = {
        "id": f"mem_{digest[:16]}",
        "scope": {"type": "repository", "repoId": "repo-z"},
        "kind": "repo_convention",
        "text": text,
        "tags": [],
        "confidence": 0.8,
        "stability": "durable",
        "source": {"type": "file", "filePath": "package.json"},
        "createdAt": "2026-05-01T08:00:00.000Z",
        "updatedAt": "2026-05-02T08:00:00.000Z",
        "contentHash": digest,
        "metadata": {},
    }
    return {**row, **changes}


def test_there_and_back(lived: Shell) -> None:
    """What was exported is imported into an empty store, trusted as it was."""
    folder = lived.root / "x"
    told = lived("export", str(folder), "--json")
    assert told.code == 0
    assert told.document["files"]["memories.jsonl"]["rows"] == 1
    assert told.document["sealed"]
    elsewhere(lived)
    answer = lived("import", str(folder), "--json")
    assert answer.code == 0
    assert (answer.document["importedMemories"], answer.document["importedProposals"]) == (1, 1)
    assert answer.document["proven"]
    listed = lived("list", "--json").document["memories"]
    assert [(each["text"], each["trust"]) for each in listed] == [("This repository uses pnpm.", "person")]
    again = lived("import", str(folder))
    assert again.code == 0
    assert "1 unchanged" in again.out
    assert lived("audit", "verify").code == 0


def test_an_export_without_a_name_lies_beside_the_store(lived: Shell) -> None:
    """Not in the repository; named after it and the moment, for this user alone."""
    answer = lived("export")
    assert answer.code == 0
    [folder] = (lived.home / "exports").iterdir()
    assert folder.name.startswith("project-")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    assert not list(lived.project.iterdir())


def test_an_export_replaces_an_export_and_nothing_else(lived: Shell) -> None:
    """A folder with files of that name that no export wrote is refused, and so is a link."""
    folder = lived.root / "x"
    assert lived("export", str(folder)).code == 0
    lived("remember", "Another.", "--kind", "repo_convention")
    assert lived("export", str(folder)).code == 0
    assert len((folder / "memories.jsonl").read_text("utf-8").splitlines()) == 2
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]
    (folder / "manifest.json").unlink()
    (lived.root / "link").symlink_to(folder)
    for place in ("x", "link"):
        refused = lived("export", str(lived.root / place), "--json")
        assert (refused.code, refused.error["code"]) == (2, "exists")


def test_where_nothing_can_be_written(lived: Shell) -> None:
    """A file in the way of the folder is told."""
    (lived.root / "file").write_text("x", encoding="utf-8")
    refused = lived("export", str(lived.root / "file" / "x"), "--json")
    assert (refused.code, refused.error["code"]) == (4, "export_failed")


def test_the_seeds_files_are_taken_over_once(lived: Shell) -> None:
    """Two good rows, one bad: two imported, one told, the original kept; a second time nothing."""
    folder = lived.project / ".swarm" / "memory"
    folder.mkdir(parents=True)
    file = folder / "memories.jsonl"
    rows = [
        json.dumps(seed_row("Deploys wait for staging.")),
        "{broken",
        json.dumps(seed_row("Tests run with bun test.")),
    ]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    answer = lived("import", str(lived.project / ".swarm"), "--json")
    document = answer.document
    assert (answer.code, document["importedMemories"], document["skipped"]) == (1, 2, False)
    assert document["invalidRows"] == [{"file": "memories.jsonl", "line": 2, "error": "not JSON"}]
    [backup] = (lived.home / "backups").rglob("memories.jsonl.pre-sqlite-migration")
    assert [(each["backup"], each["created"]) for each in document["backups"]] == [(str(backup), True)]
    assert (backup.read_bytes(), backup.stat().st_mode & 0o777) == (file.read_bytes(), 0o600)
    assert list(folder.iterdir()) == [file]
    again = lived("import", str(lived.project), "--json").document
    assert (again["skipped"], again["importedMemories"], again["invalidRows"]) == (True, 2, document["invalidRows"])
    assert again["backups"][0]["created"] is False
    assert "memories.jsonl:2" in lived("status").out
    status = lived("status", "--json").document
    assert status["last_import"]["invalid"] == 1
    assert status["last_import"]["invalidRows"] == document["invalidRows"]
    assert lived("list", "--json").document["total"] == 3


def test_a_seed_file_of_several_repositories_is_not_mixed(lived: Shell) -> None:
    """Nobody knows which of them is this one, until a person says that all are."""
    file = lived.root / "memories.jsonl"
    other = {"type": "repository", "repoId": "repo-y"}
    away = seed_row("Of another.", scope=other, contentHash=None, id="mem_0123456789abcdef")
    file.write_text(f"{json.dumps(seed_row('Of one.'))}\n{json.dumps(away)}\n", encoding="utf-8")
    assert lived("import", str(file), "--json", "--dry-run").document["refused"] == {"scope_foreign": 2}
    assert lived("import", str(file), "--json", "--here").document["importedMemories"] == 2


def test_an_agent_imports_nothing(lived: Shell) -> None:
    """A person's command."""
    folder = lived.root / "x"
    lived("export", str(folder))
    lived.monkeypatch.setenv("LEARNT_AGENT", "a")
    refused = lived("import", str(folder), "--json")
    assert (refused.code, refused.error["code"]) == (3, "person_required")


def test_a_dry_run_writes_nothing(lived: Shell, tmp_path: Path) -> None:
    """Neither rows nor copies of originals."""
    file = tmp_path / "memories.jsonl"
    file.write_text(json.dumps(seed_row("This repo uses bun.")) + "\n", encoding="utf-8")
    answer = lived("import", str(file), "--dry-run")
    assert (answer.code, "Would import 1 memory" in answer.out) == (0, True)
    assert not (lived.home / "backups").exists()
    assert lived("list", "--json").document["total"] == 1


@pytest.mark.parametrize(
    ("name", "code"), [("none", "no_file"), ("folder", "unknown_format"), ("words.txt", "unknown_format")]
)
def test_what_cannot_be_imported_is_told(lived: Shell, name: str, code: str) -> None:
    """With an exit code of usage, and a hint that names the formats."""
    (lived.root / "folder").mkdir()
    (lived.root / "words.txt").write_text("words\n", encoding="utf-8")
    refused = lived("import", str(lived.root / name), "--json")
    assert (refused.code, refused.error["code"]) == (2, code)
    unknown = lived("import", str(lived.root / "words.txt"), "--format", "omi", "--json")
    assert (unknown.code, unknown.error["code"]) == (2, "unknown_format")


def test_a_damaged_manifest_is_told(lived: Shell) -> None:
    """Its rows are then imported file by file, unproven."""
    folder = lived.root / "x"
    lived("export", str(folder))
    for text, code in (("{", "invalid_manifest"), ('{"format": "x"}', "invalid_manifest")):
        (folder / "manifest.json").write_text(text, encoding="utf-8")
        refused = lived("import", str(folder), "--json")
        assert (refused.code, refused.error["code"]) == (2, code)
    newer = {"format": "learnt-export", "version": 9}
    (folder / "manifest.json").write_text(json.dumps(newer), encoding="utf-8")
    assert lived("import", str(folder), "--json").error["code"] == "newer_format"


def test_forgetting_reaches_exports(lived: Shell) -> None:
    """Lines leave those that lie beside the store; of others a person is told, while they are there."""
    lived("export")
    lived("export", str(lived.root / "x"))
    [memory] = lived("list", "--json").document["memories"]
    answer = lived("forget", memory["id"], "--json").document
    assert {"type": "export", "place": str(lived.root / "x")} in [
        {name: each[name] for name in ("type", "place")} for each in answer["copies_elsewhere"]
    ]
    [file] = (lived.home / "exports").rglob("memories.jsonl")
    assert file.read_bytes() == b""
    assert lived("import", str(lived.root / "x"), "--json").document["refused"] == {"forgotten": 1}
