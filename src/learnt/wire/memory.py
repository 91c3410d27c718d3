"""Memories, proposals, evidence and events as JSON. Source of the keys: contract, shapes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from learnt.wire.outcome import outcome

if TYPE_CHECKING:
    from learnt.flows.read import Explanation, Support
    from learnt.model.event import ChainRow
    from learnt.model.filter import Page
    from learnt.model.memory import Memory, Provenance, Reference
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Scope

Json = dict[str, Any]


def memory(value: Memory) -> Json:
    """A memory with every key of the contract."""
    return {
        "id": value.id,
        "kind": value.kind,
        "scope": value.scope.type,
        "scope_ids": scope(value.scope),
        "text": value.text,
        "rationale": value.rationale,
        "tags": list(value.tags),
        "files": list(value.files),
        "symbols": list(value.symbols),
        "confidence": value.confidence,
        "stability": value.stability,
        "trust": value.trust,
        "status": value.status,
        "q_value": value.q_value,
        "flags": value.flags,
        "outcomes": {"useful": value.useful, "against": value.against},
        "evidence": [reference(each) for each in value.evidence],
        "source": source(value),
        "provenance": provenance(value.provenance),
        "created_at": value.created_at,
        "updated_at": value.updated_at,
        "valid_from": value.valid_from,
        "expires_at": value.expires_at,
        "last_accessed_at": value.last_accessed_at,
        "superseded_by": value.superseded_by,
        "supersedes": list(value.supersedes),
        "supersedes_reason": value.supersedes_reason or None,
        "consolidated_at": value.consolidated_at,
        "embedding_model": value.embedding_model or None,
        "reviewed_by": value.reviewed_by or None,
        "content_hash": value.content_hash,
        "clearance": value.clearance or None,
        "metadata": dict(value.metadata),
    }


def scope(value: Scope) -> Json:
    """The ids of a scope's key."""
    found: Json = json.loads(value.key)
    return found


def source(value: Memory) -> Json:
    """The first reference in the seed's form, without empty fields."""
    named = {
        "type": value.source.type,
        "ref": value.source.ref,
        "url": value.source.url,
        "filePath": value.source.file_path,
        "commitSha": value.source.commit_sha,
        "createdBy": value.source.created_by,
    }
    return {key: each for key, each in named.items() if each}


def reference(value: Reference) -> Json:
    """One piece of support."""
    return {
        "type": value.type,
        "ref": value.ref,
        "quote": value.quote,
        "verified": value.verified,
        "trust": value.trust,
    }


def provenance(value: Provenance) -> Json:
    """Who wrote it in the course of what, without what is unknown."""
    named = {
        "writer": value.writer,
        "agent_role": value.agent_role,
        "agent_id": value.agent_id,
        "run_id": value.run_id,
        "unit_id": value.unit_id,
        "round": value.round,
        "session_id": value.session_id,
        "host": value.host,
        "proposal_id": value.proposal_id,
        "commit": value.commit,
    }
    return {key: each for key, each in named.items() if each}


def page(value: Page[Memory]) -> Json:
    """A listing."""
    return {"memories": [memory(each) for each in value.values], "total": value.total, "next": value.next or None}


def proposal(value: Proposal) -> Json:
    """A proposal."""
    return {
        "id": value.id,
        "operation": value.operation,
        "status": value.status,
        "kind": value.kind,
        "scope": value.scope.type,
        "text": value.text,
        "rationale": value.rationale,
        "tags": list(value.tags),
        "files": list(value.files),
        "symbols": list(value.symbols),
        "confidence": value.confidence,
        "trust": value.trust,
        "target_id": value.target_id or None,
        "related": list(value.related),
        "evidence": [reference(each) for each in value.evidence],
        "provenance": provenance(value.provenance) if value.provenance else {},
        "observation": value.observation,
        "expected_value": value.expected_value,
        "reviewer": value.reviewer,
        "reviewed_at": value.reviewed_at,
        "rejection_reason": value.rejection_reason or None,
        "created_at": value.created_at,
        "metadata": dict(value.metadata),
    }


def explanation(value: Explanation) -> Json:
    """Where a memory came from."""
    return {
        "memory": memory(value.memory),
        "evidence": [support(each) for each in value.evidence],
        "merged_from": list(value.merged_from),
        "merged_with": list(value.merged_with),
        "replaced": list(value.replaced),
        "replaced_by": value.replaced_by,
        "events": [event(each) for each in value.events],
        "recalls": value.recalls,
        "outcomes": [outcome(each) for each in value.outcomes],
        "belief": value.belief,
    }


def support(value: Support) -> Json:
    """A reference with the piece of evidence it points at, where learnt holds it."""
    shown = reference(value.reference)
    if value.unit is None:
        return shown
    unit = value.unit
    place = {"record": unit.span.record, "offset": unit.span.offset, "length": unit.span.length} if unit.span else {}
    span = {"who": unit.who, "at": unit.at, "text": unit.text, "path": unit.path, **place}
    return {**shown, "span": span}


def event(value: ChainRow) -> Json:
    """An event as stored."""
    return {
        "id": value.id,
        "operation": value.operation,
        "target_id": value.target_id,
        "reason": value.reason,
        "timestamp": value.timestamp,
        "detail": json.loads(value.event_json) if value.event_json else None,
    }
