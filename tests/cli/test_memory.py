"""memory: what sessions come to, made, looked at, cleared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.shell import Shell


@pytest.fixture
def read(learnt: Shell, transcript: Callable[[str], Path]) -> list[str]:
    """Three sessions that were captured."""
    paths = [str(transcript(name)) for name in ("one", "two", "three")]
    learnt.json("sessions", "ingest", *paths)
    return paths


def artifacts(learnt: Shell) -> set[str]:
    """The names of the artifacts that are there."""
    return {path.name for path in learnt.home.glob("projects/*/*.md")}


def test_a_rebuild_reads_and_writes(learnt: Shell, read: list[str]) -> None:
    """Every session once; then nothing is left to do, and the files are the same."""
    first = learnt.json("memory", "rebuild")
    assert first["totals"]["read"] == len(read)
    assert first["totals"]["failed"] == 0
    assert first["fault"] is None
    assert first["consolidated"]["writer"] == "offline"
    assert {"MEMORY.md", "memory_summary.md", "raw_memories.md"} <= set(first["consolidated"]["written"])
    assert artifacts(learnt) >= {"MEMORY.md", "memory_summary.md", "raw_memories.md"}
    again = learnt.json("memory", "rebuild")
    assert again["totals"]["read"] == 0
    assert {each["why"] for each in again["skipped"]} == {"up_to_date"}
    assert again["consolidated"]["written"] == []


def test_a_rebuild_reads_well(learnt: Shell, read: list[str]) -> None:
    """How many were read, what came of it, who wrote it; where nothing was captured it says so, too."""
    shown = learnt("memory", "rebuild")
    assert shown.code == 0
    assert f"{len(read)} sessions read" in shown.out
    assert "written without a model" in shown.out
    assert "projects" in shown.out
    assert "taught something" in learnt("memory").out
    assert learnt("memory", "rebuild").out.startswith("No session waited to be read.")


def test_how_far_it_is(learnt: Shell, read: list[str]) -> None:
    """What waits before, what came after; the same in the status."""
    before = learnt.json("memory")
    assert before.keys() == {"jobs", "waiting", "extracted", "too_old", "faults"}
    assert before["extracted"] == 0
    learnt.json("memory", "rebuild")
    after = learnt.json("memory", "state")
    assert after["extracted"] > 0
    assert after["jobs"]["memory_stage1"] == {"done": len(read)}
    assert learnt.json("status")["phases"] == after


def test_what_is_too_old_for_a_worker_is_told(learnt: Shell, read: list[str]) -> None:
    """With what reads it, in both places: else a person who begins with old sessions sees nothing happen."""
    learnt.config.parent.mkdir(exist_ok=True, parents=True)
    learnt.config.write_text("[sessions]\nmax_age_days = 0\n", "utf-8")
    told = learnt.json("memory")
    assert (told["waiting"], told["too_old"]) == (0, len(read))
    assert "learnt memory rebuild" in learnt("memory").out
    assert "too old" in learnt("status").out
    learnt.json("memory", "rebuild")
    assert learnt.json("memory")["too_old"] == 0


def test_the_next_worker_makes_what_was_asked_for(learnt: Shell, read: list[str]) -> None:
    """`enqueue` writes no file itself; a worker may be told to do these jobs alone."""
    del read
    learnt.json("memory", "rebuild")
    assert learnt.json("memory", "enqueue") == {"enqueued": True}
    done = learnt.json("worker", "--once", "--kind", "memory_stage1", "--kind", "memory_consolidate_global")
    assert [each["kind"] for each in done["outcomes"]] == ["memory_consolidate_global"]
    assert done["totals"]["done"] == 1


def test_where_nothing_is_to_be_done_it_says_why(learnt: Shell, read: list[str]) -> None:
    """What waits is read by a worker or a rebuild; without skills, when there will be one."""
    assert "learnt memory rebuild" in learnt("memory").out
    learnt.json("memory", "rebuild")
    assert "learnt memory rebuild" not in learnt("memory").out
    for words in ((), ("--dry-run",)):
        assert "worked in two sessions" in learnt("memory", "skills", *words).out


@pytest.mark.parametrize("verb", ["clear", "reset"])
def test_clearing_begins_anew(learnt: Shell, read: list[str], verb: str) -> None:
    """Memories, proposals, what sessions taught and its files go; given again, the transcripts bring them back."""
    learnt.json("remember", "The harbour uses uv.", "--kind", "repo_convention")
    learnt.json("memory", "rebuild")
    done = learnt.json("memory", verb)
    assert done["removed"]["memories"] >= 1
    assert done["removed"]["extractions"] >= 1
    assert done["removed"]["files"] >= 3
    assert done["sessions_read"] == len(read)
    assert artifacts(learnt) == set()
    assert learnt.json("list")["total"] == 0
    assert learnt.json("pending")["total"] == 0
    assert learnt.json("memory", "rebuild")["totals"]["read"] == 0
    assert learnt.json("remember", "The harbour uses uv.", "--kind", "repo_convention")["memory"]["status"] == "active"
    learnt.json("sessions", "ingest", *read)
    learnt.json("memory", "rebuild")
    assert "MEMORY.md" in artifacts(learnt)


def test_where_memory_is_off_no_file_is_written(learnt: Shell, read: list[str]) -> None:
    """No region and no copied skill either; what lies there can be taken out and cleared (codex #31406)."""
    learnt.json("memory", "rebuild")
    assert read
    learnt.json("memory", "publish", "AGENTS.md")
    (learnt.project / ".learnt").mkdir()
    (learnt.project / ".learnt" / "config.toml").write_text("[memory]\nenabled = false\n", "utf-8")
    for words in (("rebuild",), ("enqueue",), ("publish", "CLAUDE.md"), ("skills",)):
        assert learnt.json("memory", *words, code=3)["error"]["code"] == "disabled"
    assert not (learnt.project / "CLAUDE.md").exists()
    assert not (learnt.project / ".claude").exists()
    assert learnt.json("memory", "view")["reason"] == "disabled"
    learnt.json("memory", "publish", "AGENTS.md", "--remove")
    assert not (learnt.project / "AGENTS.md").exists()
    assert learnt.json("memory", "clear")["removed"]["extractions"] >= 1
    assert artifacts(learnt) == set()


def test_what_codex_is_told_fits_its_bytes(learnt: Shell) -> None:
    """It counts four bytes a token: a summary in a script of three bytes a letter is shorter there."""
    for number in range(12):
        learnt.json("remember", f"{number}番 " + "記憶を大切に" * 110, "--kind", "repo_convention")
    learnt.json("memory", "rebuild")
    usual, codex = (learnt.json("memory", "view", "--host", name)["payload"] for name in ("claude-code", "codex"))
    assert len(usual.encode()) > 9_600
    assert 2_000 < len(codex.encode()) <= 9_600


def test_an_agent_clears_nothing(learnt: Shell, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it say what is learnt from (contract, who is a person)."""
    del read
    learnt.json("memory", "rebuild")
    name = learnt.json("sessions")["sessions"][0]["session"]
    monkeypatch.setenv("LEARNT_AGENT", "somebody")
    for words in (("clear",), ("reset",), ("mark", name, "disabled"), ("drop", name)):
        refused = learnt("memory", *words, "--json")
        assert (refused.code, refused.error["code"]) == (3, "person_required")
    assert "MEMORY.md" in artifacts(learnt)


def test_a_session_is_set_aside_and_taken_out(learnt: Shell, read: list[str]) -> None:
    """By the host's id; one that is unknown is not found."""
    del read
    learnt.json("memory", "rebuild")
    name = learnt.json("sessions")["sessions"][0]["session"]
    marked = learnt.json("memory", "mark", name, "polluted")
    assert (marked["session"], marked["mode"]) == (name, "polluted")
    assert "not learnt from, for what it looked up elsewhere" in learnt("memory", "mark", name, "polluted").out
    dropped = learnt.json("memory", "drop", name)
    assert dropped["mode"] is None
    unknown = learnt("memory", "drop", name, "--json")
    assert (unknown.code, unknown.error["code"]) == (1, "not_found")
    assert learnt("memory", "mark", name, "loved").code == 2


def test_a_folder_that_is_a_link_is_refused(learnt: Shell, read: list[str]) -> None:
    """Nothing is removed, neither there nor in the store (T149)."""
    del read
    learnt.json("memory", "rebuild")
    (place,) = learnt.home.glob("projects/*")
    target = learnt.home / "elsewhere"
    place.rename(target)
    place.symlink_to(target)
    refused = learnt("memory", "clear", "--json")
    assert (refused.code, refused.error["code"]) == (5, "artifact_failed")
    assert (target / "MEMORY.md").is_file()
    assert learnt.json("memory")["extracted"] > 0


def test_what_failed_is_told(learnt: Shell, read: list[str]) -> None:
    """A transcript that is no transcript any more spoils no other; exit 1, and `status` says why."""
    Path(read[0]).write_bytes(b"\x00\x01 nothing of the kind")
    done = learnt("memory", "rebuild", "--json")
    assert done.document["totals"]["read"] + done.document["totals"]["failed"] == len(read)
    assert done.code == (1 if done.document["totals"]["failed"] else 0)


def test_a_store_of_lines_learns_too(
    learnt: Shell, transcript: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no jobs: what is asked for is done at once."""
    monkeypatch.setenv("LEARNT_DATABASE_URL", f"jsonl://{learnt.home}/lines")
    learnt.json("sessions", "ingest", str(transcript("one")), str(transcript("two")))
    done = learnt.json("memory", "enqueue")
    assert done["totals"]["read"] == 2
    assert "MEMORY.md" in artifacts(learnt)
    assert learnt.json("memory", "clear")["removed"]["extractions"] >= 1
    assert artifacts(learnt) == set()
