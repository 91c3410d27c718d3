"""Files of other systems, in samples that look like theirs: what becomes of them, and what is refused."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from learnt.errors import UsageError
from learnt.formats import file
from learnt.formats.choose import FORMATS, chosen
from learnt.model.keys import content_hash
from learnt.model.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path

CLAUDE = {
    "MEMORY.md": "# Memory\n\n- [Test runner](testing.md) — how tests run\n- Releases happen on Fridays.\n",
    "testing.md": "---\nname: Test runner\ndescription: Tests run with pnpm\ntype: feedback\n---\n\n"
    "Run `pnpm test`, never `npm test`.\n\n**Why:** the lock file is pnpm's.\n",
    "who.md": "---\nname: who\ndescription: Role\nmetadata:\n  node_type: memory\n  type: user\n---\n"
    "Works on billing.\n",
    "board.md": "---\nname: board\ndescription: Where tickets are\ntype: reference\n---\n",
}
NOTE = """---
title: Coffee Brewing
type: note
tags: [coffee, brewing]
permalink: coffee/brewing
created: 2026-02-03T04:05:06+01:00
---

# Coffee Brewing

Running text stays in the note.

- [ ] not an observation
- [x] neither
- [decision] Water is heated to 92 degrees #water (measured)
- [preference] Light roasts #beans
- relates_to [[Beans]]
"""
GRAPH = [
    {"type": "entity", "name": "Billing", "entityType": "service", "observations": ["Written in Go", "Owned by Ann"]},
    {"type": "relation", "from": "Billing", "to": "Ledger", "relationType": "writes to"},
]
MEM0 = {
    "results": [
        {
            "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
            "memory": "Deploys go through the staging cluster first",
            "hash": "c59c7f1a",
            "metadata": {"category": "deploy"},
            "created_at": "2026-01-15T04:21:12.345678-08:00",
            "updated_at": None,
            "user_id": "ann",
        },
        {"id": "2", "memory": "Prefers short answers", "categories": ["user_preferences"]},
        {"id": "3", "memory": 7},
    ]
}
OBSERVED = {
    "exportedAt": "2026-03-01T10:00:00.000Z",
    "exportedAtEpoch": 1772359200000,
    "query": "",
    "totalObservations": 2,
    "totalSessions": 0,
    "totalSummaries": 0,
    "totalPrompts": 0,
    "observations": [
        {
            "id": 12,
            "memory_session_id": "s-1",
            "project": "app",
            "type": "decision",
            "title": "SQLite instead of files",
            "subtitle": "One file is enough",
            "facts": '["WAL mode is on"]',
            "narrative": "Files were torn by crashes, so the store moved to SQLite.",
            "concepts": '["trade-off"]',
            "files_read": "[]",
            "files_modified": '["src/store.ts"]',
            "created_at": "2026-02-28T12:00:00.000Z",
            "created_at_epoch": 1772280000000,
        },
        {"id": 13, "type": "discovery", "title": "Long", "narrative": "x" * 3_000, "facts": ["Short fact."]},
    ],
    "sessions": [],
    "summaries": [],
    "prompts": [],
}


def read(path: Path, form: str = "") -> tuple[dict[str, Memory], list[tuple[str, int, str]]]:
    """The memories of a parcel by text, and its faults."""
    found, faults = {}, []
    for each in chosen(str(path), form).arrivals():
        if isinstance(each.value, Memory):
            found[each.value.text] = each.value
        elif each.error:
            faults.append((each.file, each.line, each.error))
    return found, faults


def laid(folder: Path, files: dict[str, str]) -> Path:
    """A folder of these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def test_claude_codes_own_memory(tmp_path: Path) -> None:
    """One memory a file, of the kind its type says; a line of the index that points nowhere is one too."""
    folder = laid(tmp_path / "memory", CLAUDE)
    assert chosen(str(folder)).format == "claude-code"
    found, faults = read(folder)
    kinds = {text.split("\n")[0]: (each.kind, each.scope.type) for text, each in found.items()}
    assert kinds == {
        "Releases happen on Fridays.": ("project_fact", "repository"),
        "Run `pnpm test`, never `npm test`.": ("repo_convention", "repository"),
        "Works on billing.": ("user_preference", "global_user"),
        "Where tickets are": ("project_fact", "repository"),
    }
    assert not faults
    assert {each.trust for each in found.values()} == {"external"}
    assert chosen(str(folder / "testing.md")).format == "claude-code"


def test_a_long_file_becomes_several_memories(tmp_path: Path) -> None:
    """Cut between paragraphs, nothing of it lost."""
    body = "\n\n".join(f"Paragraph {number}: " + "word " * 60 for number in range(20))
    folder = laid(tmp_path, {"MEMORY.md": "# Memory\n", "long.md": f"---\nname: n\ntype: project\n---\n{body}\n"})
    found, faults = read(folder)
    assert not faults
    assert len(found) > 1
    assert max(map(len, found)) <= 2_000
    assert "".join("".join(found).split()) == "".join(body.split())


def test_basic_memorys_notes(tmp_path: Path) -> None:
    """Each observation, its note's title before it, its category as kind; relations and text stay behind."""
    folder = laid(tmp_path, {"coffee/brewing.md": NOTE, ".hidden/no.md": NOTE})
    assert chosen(str(folder)).format == "basic-memory"
    found, faults = read(folder)
    assert not faults
    decision = found["Coffee Brewing: Water is heated to 92 degrees (measured)"]
    assert (decision.kind, decision.created_at) == ("architecture_decision", "2026-02-03T03:05:06.000Z")
    assert decision.tags == ("coffee", "brewing", "decision", "water")
    assert found["Coffee Brewing: Light roasts"].scope.type == "global_user"
    assert len(found) == 2
    assert decision.source.ref == "basic-memory:coffee/brewing#15"


def test_the_memory_servers_graph(tmp_path: Path) -> None:
    """Each observation with its entity, each relation; a line that is neither is told."""
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in GRAPH) + '\n{"type": "x"}\nnot json\n', "utf-8")
    for place in (path, tmp_path):
        assert chosen(str(place)).format == "mcp-memory"
        found, faults = read(place)
        assert set(found) == {"Billing: Written in Go", "Billing: Owned by Ann", "Billing writes to Ledger"}
        assert [line for _, line, _ in faults] == [3, 4]


@pytest.mark.parametrize("document", [MEM0, MEM0["results"]])
def test_mem0(tmp_path: Path, document: Any) -> None:
    """Its own text and time; a preference is the person's; an entry without text is told."""
    path = tmp_path / "all.json"
    path.write_text(json.dumps(document, indent=2), "utf-8")
    assert chosen(str(path)).format == "mem0"
    found, faults = read(path)
    first = found["Deploys go through the staging cluster first"]
    assert (first.created_at, first.updated_at) == ("2026-01-15T12:21:12.345Z", "2026-01-15T12:21:12.345Z")
    assert found["Prefers short answers"].kind == "user_preference"
    assert [(line, error) for _, line, error in faults] == [(3, "memory: not a text")]


def test_claude_mem(tmp_path: Path) -> None:
    """Title and narrative, or the longest account that fits; lists also where they stand as text."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps(OBSERVED), "utf-8")
    assert chosen(str(path)).format == "claude-mem"
    found, faults = read(path)
    told = "SQLite instead of files: Files were torn by crashes, so the store moved to SQLite."
    assert set(found) == {told, "Long: Short fact."}
    assert (found[told].kind, found[told].files) == ("architecture_decision", ("src/store.ts",))
    assert found[told].created_at == "2026-02-28T12:00:00.000Z"
    assert not faults


def seed_row(text: str, **changes: Any) -> dict[str, Any]:
    """A memory as the swarm-memory seed writes it."""
    key, kind = '{"type":"repository","repoId":"repo-z"}', "repo_convention"
    digest = content_hash(key, kind, text)
    return {
        "id": f"mem_{digest[:16]}",
        "scope": {"type": "repository", "repoId": "repo-z", "repoRoot": "/srv/z"},
        "kind": kind,
        "text": text,
        "tags": ["build"],
        "confidence": 0.8,
        "stability": "durable",
        "source": {"type": "file", "filePath": "package.json"},
        "createdAt": "2026-05-01T08:00:00Z",
        "updatedAt": "2026-05-02T08:00:00.500Z",
        "contentHash": digest,
        "metadata": {"files": ["package.json"]},
        **changes,
    }


def test_the_seeds_files(tmp_path: Path) -> None:
    """Deleted and superseded rows are what they were; a hash that is not the content's is told."""
    rows = [
        seed_row("This repo uses bun."),
        seed_row("Gone.", metadata={"deleted": True, "deleteReason": "x"}),
        seed_row("Old.", supersededBy="mem_0123456789abcdef"),
        seed_row("Forged.", contentHash="0" * 64),
    ]
    proposal = {
        "id": "prop_a111b578d1e20794",
        "operation": "add",
        "proposedRecord": {"kind": "repo_convention", "text": "Use bun for tests.", "scope": rows[0]["scope"]},
        "proposedBy": {"agentRole": "coder"},
        "rationale": "seen",
        "evidenceRefs": ["package.json"],
        "status": "pending",
        "createdAt": "2026-05-24T12:00:00.000Z",
    }
    document = {
        "text": "Docs.",
        "sourceType": "api_docs",
        "capturedAt": "2026-05-24T12:00:00.000Z",
        "url": "https://x.test",
    }
    folder = laid(
        tmp_path,
        {
            ".swarm/memory/memories.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
            ".swarm/memory/proposals.jsonl": json.dumps(proposal) + "\n",
            ".swarm/evidence-cache/documents.jsonl": json.dumps(document) + "\n",
        },
    )
    for place in (folder, folder / ".swarm", folder / ".swarm" / "memory"):
        parcel = chosen(str(place))
        assert parcel.format == "swarm"
        arrived = list(parcel.arrivals())
        memories = [each.value for each in arrived[:3]]
        assert [each.status for each in memories if isinstance(each, Memory)] == ["active", "deleted", "superseded"]
        assert [(each.file, each.line, bool(each.value)) for each in arrived] == [
            ("memories.jsonl", 1, True),
            ("memories.jsonl", 2, True),
            ("memories.jsonl", 3, True),
            ("memories.jsonl", 4, False),
            ("proposals.jsonl", 1, True),
            ("documents.jsonl", 1, True),
        ]


@pytest.mark.parametrize("name", ["", "a.txt", "b.json", "c.jsonl"])
def test_what_is_unknown_is_refused(tmp_path: Path, name: str) -> None:
    """With the formats there are."""
    path = tmp_path / name if name else tmp_path / "empty"
    if name:
        path.write_text('{"a": 1}\n' if name.endswith("json") else "words\n", "utf-8")
    else:
        path.mkdir()
    with pytest.raises(UsageError) as raised:
        chosen(str(path))
    assert raised.value.error_code == "unknown_format"
    assert all(each in raised.value.advice for each in FORMATS)


def test_what_is_no_plain_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe is not waited for, a link inside a folder is not followed, a device is refused."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "memories.jsonl").symlink_to("/etc/hostname")
    for path, code in (("pipe", "not_a_file"), ("x", "not_a_file"), ("none", "no_file")):
        with pytest.raises(UsageError) as raised:
            list(chosen(str(tmp_path / path), "learnt").arrivals())
        assert raised.value.error_code == code
    with pytest.raises(UsageError):
        chosen("/dev/zero")
    with pytest.raises(UsageError):
        chosen("nul\0")


@pytest.mark.parametrize("form", sorted(FORMATS))
@pytest.mark.parametrize(
    "content", [b"", b"\x00\xff\xfe", b"{" * 10_000, b"[" * 50_000, b"\xef\xbb\xbf", b"null", b"1e999"]
)
def test_garbage_ends_no_reader(tmp_path: Path, form: str, content: bytes) -> None:
    """Whatever the file holds, each format tells it or finds nothing."""
    path = tmp_path / "memories.jsonl"
    path.write_bytes(content)
    for each in chosen(str(path), form).arrivals():
        assert each.value is None or form in {"claude-code", "basic-memory"}


def test_a_whole_disk_is_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody named the wrong folder: told after a bounded look."""
    monkeypatch.setattr(file, "MAX_ENTRIES", 10)
    for number in range(11):
        (tmp_path / str(number)).mkdir()
    with pytest.raises(UsageError) as raised:
        chosen(str(tmp_path))
    assert raised.value.error_code == "too_large"
