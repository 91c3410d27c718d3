"""Values with everything filled in that a test does not care about."""

from __future__ import annotations

from typing import Any

from learnt.model import keys
from learnt.model.checkpoint import Checkpoint
from learnt.model.event import Event
from learnt.model.evidence import EvidenceUnit, Recipe, SessionRecord
from learnt.model.extraction import OFFLINE, Extraction, Fact, Quote
from learnt.model.flag import Flag
from learnt.model.ledger import Charge
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.outcome import Outcome
from learnt.model.proposal import Proposal
from learnt.model.ranking import Bundle
from learnt.model.scope import Scope
from learnt.model.session import Span
from learnt.model.thread import Summary, Thread
from learnt.testing.fakes import NOON


def repository(name: str) -> Scope:
    """A repository's scope."""
    return Scope(type="repository", repo_id=name, repo_root=f"/checkout/{name}")


def user(name: str) -> Scope:
    """A user's scope."""
    return Scope(type="global_user", user_id=name)


def memory(scope: Scope, text: str = "This repo uses bun.", **given: Any) -> Memory:
    """An active memory, its id as the model derives it."""
    kind = given.pop("kind", "repo_convention")
    at = given.pop("at", NOON)
    fields: dict[str, Any] = {"created_at": at, "updated_at": at, "valid_from": at, "clearance": "set-1"}
    return Memory(id=keys.memory_id(scope.key, kind, text), scope=scope, kind=kind, text=text, **{**fields, **given})


def full_memory(scope: Scope) -> Memory:
    """A memory with every field away from its default."""
    return memory(
        scope,
        'Quote " and \\ and\nline, naïve, 日本語, 🦊, NUL \x00.',
        rationale="because",
        tags=("tooling", "it's"),
        files=("src/a.py", "docs/b c.md"),
        symbols=("renewLease",),
        confidence=0.25,
        stability="session",
        trust="repository",
        status="superseded",
        q_value=0.75,
        expires_at="2027-01-01T00:00:00.000Z",
        last_accessed_at=NOON,
        superseded_by="mem_0123456789abcdef",
        supersedes=("mem_aaaaaaaaaaaaaaaa",),
        supersedes_reason="newer",
        consolidated_at=NOON,
        embedding_model="model-1",
        reviewed_by="user",
        source=Source(type="file", ref="src/a.py:3", file_path="src/a.py", created_by="u"),
        evidence=(Reference(type="file", ref="src/a.py:3", quote="q", verified=True, trust="repository", writer="w"),),
        provenance=Provenance(writer="person:u", run_id="r", session_id="s", host="claude-code"),
        metadata={"nested": {"list": [1, None, True, "x"]}, "empty": {}},
    )


def outcome(about: Memory, number: int = 1, **given: Any) -> Outcome:
    """An outcome of a memory as it is stored."""
    fields: dict[str, Any] = {
        "id": f"out_{number:016x}",
        "memory_id": about.id,
        "generation": about.created_at,
        "result": "useful",
        "at": NOON,
        "by": "person:tester",
        **given,
    }
    return Outcome(**fields)


def flag(about: Memory, by: str = "person:tester", **given: Any) -> Flag:
    """An open flag on a memory."""
    fields: dict[str, Any] = {"memory_id": about.id, "by": by, "at": NOON, "reason": "Not any more.", "person": True}
    return Flag(**{**fields, **given})


def proposal(scope: Scope, text: str = "Use bun for tests.", **given: Any) -> Proposal:
    """A pending proposal to add."""
    at = given.pop("created_at", NOON)
    fields: dict[str, Any] = {"operation": "add", "kind": "lesson", "rationale": "seen twice"}
    identity = given.pop("id", keys.proposal_id(at, "coder", f"{scope.key} {text}"))
    return Proposal(id=identity, scope=scope, text=text, created_at=at, **{**fields, **given})


def event(number: int, target: str = "mem_aaaaaaaaaaaaaaaa", **given: Any) -> Event:
    """An event with its own id."""
    fields: dict[str, Any] = {"operation": "upsert", "timestamp": NOON}
    return Event(id=f"evt-{number}", target_id=target, **{**fields, **given})


def bundle(scope: Scope, *memory_ids: str, **given: Any) -> Bundle:
    """A receipt of one recall in one scope."""
    at = given.pop("timestamp", NOON)
    fields: dict[str, Any] = {
        "moment": "prompt",
        "query_hash": "",
        "token_estimate": 61,
        "scores": tuple(0.5 for _ in memory_ids),
        "scope_keys": (scope.key,),
    }
    identity = keys.bundle_id(at, f"{scope.key} {memory_ids} {given}")
    return Bundle(id=identity, timestamp=at, memory_ids=memory_ids, **{**fields, **given})


def unit(scope: Scope, number: int, **given: Any) -> EvidenceUnit:
    """A prompt of a person at record `number`."""
    fields: dict[str, Any] = {"type": "prompt", "who": "person", "at": NOON, "text": f"words {number}"}
    span = Span(offset=number * 100, length=100, record=number)
    identity = "evd_" + keys.short_id(f"{scope.key} {number}")
    return EvidenceUnit(
        id=identity,
        scope=scope,
        ref=f"session:s-1#{number}",
        **{"session_id": "s-1", "span": span, **fields, **given},
    )


def session(scope: Scope, name: str, **given: Any) -> SessionRecord:
    """A session read to its end."""
    fields: dict[str, Any] = {
        "host": "claude-code",
        "session_id": f"host-{name}",
        "path": f"/transcripts/{name}.jsonl",
        "offset": 10,
        "head_hash": "0" * 64,
        "head_bytes": 10,
        "records": 3,
        "messages": 2,
        "skipped": 0,
        "status": "complete",
        "started_at": NOON,
        "ended_at": NOON,
        "read_at": NOON,
        "alarms": ("none of it understood",),
    }
    return SessionRecord(id=name, scope=scope, **{**fields, **given})


def charge(user_id: str, number: int, **given: Any) -> Charge:
    """What a model may cost, reserved."""
    fields: dict[str, Any] = {
        "repository_id": "0123456789abcdef",
        "start": "start-1",
        "purpose": "extraction",
        "role": "default",
        "provider": "openai",
        "model": "small",
        "at": NOON,
    }
    return Charge(id=f"charge_{user_id}_{number}", user_id=user_id, **{**fields, **given})


def thread(scope: Scope, name: str, **given: Any) -> Thread:
    """A session in the registry."""
    fields: dict[str, Any] = {
        "updated_at": NOON,
        "path": f"/transcripts/{name}.jsonl",
        "cwd": "/checkout",
        "host": "claude-code",
        "session_id": f"host-{name}",
    }
    return Thread(id=name, scope_key=scope.key, **{**fields, **given})


def fact(text: str = "The tests need a running database.", **given: Any) -> Fact:
    """A constraint that a person said."""
    fields: dict[str, Any] = {
        "section": "constraint",
        "quotes": (Quote(speaker="person", text=text, record=3),),
        "files": ("tests/conftest.py",),
    }
    return Fact(id="fact_" + keys.short_id(text), text=text, **{**fields, **given})


def extraction(scope: Scope, name: str, **given: Any) -> Extraction:
    """What a session taught: one fact a person said, one workflow that was seen to work."""
    commands = ("make db", "make test")
    fields: dict[str, Any] = {
        "host": "claude-code",
        "source_updated_at": NOON,
        "generated_at": NOON,
        "writer": OFFLINE,
        "summary": "The tests were made to pass.",
        "slug": "tests_pass",
        "facts": (
            fact(),
            fact(
                "Run make db, then make test.",
                section="workflow",
                commands=commands,
                worked=True,
                quotes=tuple(Quote(speaker="tool", text=each, record=at) for at, each in enumerate(commands)),
            ),
        ),
        **given,
    }
    return Extraction(session_id=name, scope_key=scope.key, **fields)


def summary(scope: Scope, text: str = "v1\n", **given: Any) -> Summary:
    """What a starting session is told."""
    fields: dict[str, Any] = {"clearance": "set-1", "made_at": NOON, **given}
    return Summary(scope_key=scope.key, digest=keys.sha256_hex(text), text=text, **fields)


def recipe(session_id: str, **given: Any) -> Recipe:
    """A command that worked."""
    fields: dict[str, Any] = {"key": "=pnpm test", "command": "pnpm test", "commit": "c-1", "ref": "session:s#1"}
    return Recipe(session_id=session_id, **{"at": NOON, **fields, **given})


def checkpoint(epoch: int, **given: Any) -> Checkpoint:
    """A checkpoint that nobody signed."""
    fields: dict[str, Any] = {"size": 3, "cut": 0, "at": NOON, "statement": '{"é":1}', "signature": "00"}
    return Checkpoint(installation="0" * 32, epoch=epoch, peaks=("ab", "cd"), **{**fields, **given})
