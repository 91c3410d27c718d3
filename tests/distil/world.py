"""Extractions, memories and observations told in a few words."""

from __future__ import annotations

from typing import Any

from learnt.distil.draft import fact
from learnt.model.extraction import Extraction, Fact, Quote, Section, Speaker
from learnt.model.keys import memory_id
from learnt.model.memory import Memory, Reference
from learnt.model.proposal import Proposal
from learnt.model.scope import Scope

SCOPE = Scope(type="repository", repo_id="r1")


def said(session: str, text: str, section: Section = "constraint", speaker: Speaker = "person", **more: Any) -> Fact:
    """A fact with one quote, which is its text."""
    return fact(session, section, text, (Quote(speaker=speaker, text=text, record=more.pop("record", 7)),), **more)


def worked(session: str, *commands: str) -> Fact:
    """A workflow that exit codes proved."""
    told = "After a change, these worked in order: " + ", then ".join(f"`{each}`" for each in commands) + "."
    return said(session, told, "workflow", "tool", commands=commands, worked=True)


def taught(session: str, *facts: Fact, at: str = "2026-03-01T10:00:00.000Z", **more: Any) -> Extraction:
    """What one session taught."""
    fields: dict[str, Any] = {
        "session_id": session,
        "scope_key": SCOPE.key,
        "host": "codex",
        "source_updated_at": at,
        "generated_at": at,
        "writer": "offline",
        "summary": f"Session {session} did things.",
        "slug": "did_things",
        "facts": facts,
    }
    return Extraction(**{**fields, **more})


def remembered(text: str, at: str = "2026-02-01T10:00:00.000Z", **more: Any) -> Memory:
    """An active memory."""
    fields: dict[str, Any] = {"trust": "person", "created_at": at, "updated_at": at, "valid_from": at}
    return Memory(
        id=memory_id(SCOPE.key, "repo_convention", text),
        scope=SCOPE,
        kind="repo_convention",
        text=text,
        **{**fields, **more},
    )


def observed(number: int, text: str, session: str, **more: Any) -> Proposal:
    """A pending proposal that rests on exit codes."""
    fields: dict[str, Any] = {
        "kind": "failure_pattern",
        "observation": True,
        "evidence": (Reference(type="transcript", ref=f"session:{session}#3", quote="x", trust="tool"),),
        "created_at": "2026-02-02T10:00:00.000Z",
    }
    return Proposal(
        id=f"prop_{number:016d}", operation="add", scope=SCOPE, rationale="seen", text=text, **{**fields, **more}
    )
