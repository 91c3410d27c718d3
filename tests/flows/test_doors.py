"""Every door that lets a text in goes through the gate: a gate that refuses everything lets nothing in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from learnt.bootstrap import Home
from learnt.engine import Engine
from learnt.errors import GateError, LearntError
from learnt.model.evidence import Document, Turn
from learnt.model.verdict import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from learnt.model.verdict import Passage

WORD = "quokkavalet"
"""Stands in no file unless a door lets it in."""
SAID = f"The {WORD} deploys on Tuesdays."
FIELDS = ("text", "rationale", "tags", "files", "symbols", "evidence")

READING = {
    "account", "assembly", "choices", "conflicts", "damaged", "digest", "disagreements", "documents", "events",
    "evidence", "explain", "export", "flags", "guidance", "jobs", "list", "models", "pending", "phases", "prove",
    "recall", "recall_log", "receipts", "reflection", "scan", "search", "session", "sessions", "show", "skill",
    "stale", "status", "trail", "trial", "value_log", "verify",
}  # fmt: skip
"""Verbs that bring no text in: what they keep of a question is a keyed hash."""
KNOWN = {
    "adopt", "backup", "checkpoint", "choose", "clear_flags", "close", "compact", "decay", "drop_session",
    "enable", "enqueue", "follow", "give_skills", "mark_session", "migrate", "open", "publish", "reconcile",
    "reembed", "repair", "rescan", "rotate", "undo", "unflag", "wipe", "work",
}  # fmt: skip
"""Verbs that change what is there by its ids, and take no new text."""


class Shut:
    """A gate that refuses everything, and of a text lets nothing through."""

    def ready(self) -> None:
        """It works."""

    def scan(self, passages: Sequence[Passage]) -> Verdict:
        """Refused, for a secret in each field."""
        found = tuple(
            Finding(family="secret", name="shut", field=each.field, start=0, end=len(each.text)) for each in passages
        )
        redacted = tuple((each.field, "[REDACTED:shut]" if each.text else "") for each in passages)
        return Verdict(outcome="refuse", findings=found, redacted=redacted, pattern_set="shut")

    def redact(self, text: str) -> str:
        """Nothing of it."""
        return "[REDACTED:shut]" if text else ""


class Down(Shut):
    """A gate whose patterns cannot be loaded."""

    def ready(self) -> None:
        """See `Gate`."""
        raise GateError

    def scan(self, passages: Sequence[Passage]) -> Verdict:
        """See `Gate`."""
        del passages
        raise GateError

    def redact(self, text: str) -> str:
        """See `Gate`."""
        del text
        raise GateError


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A person's engine with one memory and one proposal in a new repository."""
    project = tmp_path / "project"
    project.mkdir()
    home = Home({"LEARNT_HOME": str(tmp_path / "home"), "LEARNT_CONFIG": str(tmp_path / "config.toml")})
    with Engine.open(project, home=home) as made:
        yield made


def shut(engine: Engine, gate: Any) -> None:
    """Put another gate into the engine."""
    engine._means = replace(engine._means, gate=gate)


def memory(engine: Engine) -> str:
    """A memory that was there before."""
    return engine.remember("The harbour uses uv.", kind="repo_convention").memory.id  # type: ignore[union-attr]


def proposal(engine: Engine) -> str:
    """A proposal that was there before."""
    return engine.propose("add", "Tests need Redis.", kind="repo_convention", evidence=["a.py"]).proposal.id  # type: ignore[union-attr]


def _remember(engine: Engine) -> None:
    for name in FIELDS:
        given: dict[str, Any] = {name: SAID if name in {"text", "rationale"} else [WORD]}
        engine.remember(**{"text": "Fine.", "kind": "repo_convention", **given})


def _propose(engine: Engine) -> None:
    for name in ("text", "rationale", "tags", "evidence"):
        given: dict[str, Any] = {name: SAID if name in {"text", "rationale"} else [WORD]}
        engine.propose(
            **{"operation": "add", "text": "Fine.", "kind": "repo_convention", "evidence": ["a.py"], **given}
        )


def _intake(engine: Engine) -> None:
    member = {"operation": "add", "kind": "repo_convention", "text": SAID, "rationale": WORD, "evidence": ["a.py"]}
    engine.intake(json.dumps({"memoryProposals": [member]}))


def _observe(engine: Engine) -> None:
    engine.observe([Turn(text=SAID, session="s1", who=WORD, files=(WORD,))])


def _document(engine: Engine) -> None:
    engine.add_document(Document(text=SAID, title=WORD, url=f"https://{WORD}.example", query=WORD, created_by=WORD))


def _outcome(engine: Engine) -> None:
    name = memory(engine)
    engine.outcome(outcome="corrected", memory_id=name, correction=SAID, anchors=[f"{WORD}.py#{WORD}"])
    engine.outcome(outcome="useful", question=SAID)


def _import(engine: Engine) -> None:
    folder = Path(engine.assembly.place.root) / "arrived"
    folder.mkdir()
    row = {
        "id": "mem_0123456789abcdef", "kind": "repo_convention", "text": SAID, "tags": [WORD], "confidence": 0.9,
        "scope": {"type": "repository", "repoId": "elsewhere"}, "source": {"type": "manual", "ref": WORD},
        "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    (folder / "memories.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    engine.import_(folder, here=True)


def _ingest(engine: Engine) -> None:
    lines = [
        {"type": "user", "uuid": "1", "sessionId": "s-1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/srv",
         "message": {"role": "user", "content": SAID}},
        {"type": "assistant", "uuid": "2", "sessionId": "s-1", "timestamp": "2026-01-01T00:00:01.000Z", "cwd": "/srv",
         "message": {"role": "assistant", "content": [{"type": "text", "text": SAID}]}},
    ]  # fmt: skip
    path = Path(engine.assembly.place.root) / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    engine.ingest([str(path)])


def _rebuild(engine: Engine) -> None:
    _ingest(engine)
    engine.rebuild()


DOORS: dict[str, Callable[[Engine], object]] = {
    "remember": _remember,
    "propose": _propose,
    "decide": lambda engine: engine.decide(proposal(engine), "accept", text=SAID, tags=[WORD]),
    "answer": lambda engine: engine.answer(proposal(engine), "accept", text=SAID, tags=[WORD]),
    "intake": _intake,
    "observe": _observe,
    "add_document": _document,
    "outcome": _outcome,
    "flag": lambda engine: engine.flag(memory(engine), SAID),
    "import_": _import,
    "ingest": _ingest,
    "rebuild": _rebuild,
    "reward": lambda engine: engine.reward("APPROVE", run=WORD, unit=WORD, round_=WORD),
}
SAYING_WHY = {"sweep", "forget", "erase_person", "erase_repository"}
"""Verbs that take a reason alone, which is redacted (or left out) on its way into the event."""


def test_every_verb_is_accounted_for() -> None:
    """A new verb of the engine has to say here whether it lets a text in."""
    verbs = {name for name in dir(Engine) if not name.startswith("_")}
    assert verbs == READING | KNOWN | set(DOORS) | SAYING_WHY


def kept(folder: Path) -> list[str]:
    """The files below a folder that hold the word, as text or as a database keeps it.

    An import of the seed's own files keeps them as they were beside the store: a copy of a person's file, not memory.
    """
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("pre-sqlite-migration"))
    return [path.name for path in files if WORD.encode() in path.read_bytes()]


@pytest.mark.parametrize("door", DOORS)
def test_no_door_goes_round_a_gate_that_refuses(engine: Engine, tmp_path: Path, door: str) -> None:
    """Nothing of what was said is in any table or file of the store afterwards."""
    if door in {"decide", "answer"}:
        name = proposal(engine)
        shut(engine, Shut())
        getattr(engine, door)(name, "accept", text=SAID, tags=[WORD])
    elif door in {"outcome", "flag"}:
        name = memory(engine)
        shut(engine, Shut())
        engine.flag(name, SAID)
        engine.outcome(outcome="corrected", memory_id=name, correction=SAID, anchors=[f"{WORD}.py#{WORD}"])
        engine.outcome(outcome="useful", question=SAID)
    else:
        shut(engine, Shut())
        DOORS[door](engine)
    engine.close()
    assert kept(tmp_path / "home") == []


@pytest.mark.parametrize("door", sorted(set(DOORS) - {"decide", "answer", "outcome", "flag", "reward"}))
def test_no_door_goes_round_a_gate_that_is_down(engine: Engine, tmp_path: Path, door: str) -> None:
    """A gate that cannot be loaded fails the write, retryably, and keeps nothing."""
    shut(engine, Down())
    try:
        DOORS[door](engine)
    except LearntError as error:
        assert (error.exit_code, error.retryable) == (5, True)  # noqa: PT017 - some doors tell it in their answer
    engine.close()
    assert kept(tmp_path / "home") == []


def test_the_word_is_found_where_a_door_is_open(engine: Engine, tmp_path: Path) -> None:
    """The check sees what it looks for: the real gate lets the statement in."""
    engine.remember(SAID, kind="repo_convention")
    engine.close()
    assert kept(tmp_path / "home") != []
