"""Rows of the swarm-memory seed's line files, read with the seed's own rules.

Names stand in camel case, `deleted` in the metadata, and a content hash must be that of the content. Source:
swarm-memory seed, data model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.formats.moment import moment
from learnt.model.cargo import Said
from learnt.model.evidence import EvidenceUnit
from learnt.model.field import MisfitError, blank, grade, metadata, one_of, text, texts
from learnt.model.keys import content_hash, evidence_id, short_id
from learnt.model.kinds import KINDS, OPERATIONS
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.outcome import RESULTS, Outcome, Spot
from learnt.model.portable import PROPOSAL_STATUSES, REVIEWERS, SOURCE_TYPES, STABILITIES
from learnt.model.proposal import Proposal
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SCOPE_TYPES: Final = ("global_user", "workspace", "project", "repository", "run", "agent")
_IDS: Final = {
    "userId": "user_id",
    "workspaceId": "workspace_id",
    "projectId": "project_id",
    "repoId": "repo_id",
    "repoRoot": "repo_root",
    "runId": "run_id",
    "agentId": "agent_id",
}


def _field(row: Mapping[str, Any], name: str, read: Callable[[Any], Any], default: Any = ...) -> Any:
    """One field of a row, checked; `default` where it is left out or null."""
    held = row.get(name)
    if held is None:
        if default is ...:
            raise MisfitError(f"{name}: is missing")
        return default
    try:
        return read(held)
    except MisfitError as error:
        raise MisfitError(f"{name}: {error}") from None


def _scope(held: Any) -> Scope:
    row = metadata(held)
    ids = {attribute: text(row[name]) for name, attribute in _IDS.items() if row.get(name) is not None}
    return Scope(type=one_of(_SCOPE_TYPES)(row.get("type")), **ids)


def _source(held: Any) -> Source:
    row = metadata(held)
    return Source(
        type=_field(row, "type", one_of(SOURCE_TYPES)),
        ref=_field(row, "ref", text, ""),
        url=_field(row, "url", text, ""),
        file_path=_field(row, "filePath", text, ""),
        commit_sha=_field(row, "commitSha", text, ""),
        created_by=_field(row, "createdBy", text, ""),
    )


def _support(source: Source | None) -> tuple[Reference, ...]:
    """The one reference a row of the seed has: its source's."""
    if source is None or not source.has_evidence:
        return ()
    named = (("url", source.url), ("file", source.file_path), ("commit", source.commit_sha), ("manual", source.ref))
    kind, ref = next((kind, ref) for kind, ref in named if ref)
    return (Reference(type=kind, ref=ref, trust="external"),)


def _named_files(free: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """Texts that the metadata holds under some names, one or many each."""
    found: list[str] = []
    for name in names:
        held = free.get(name)
        found += [held] if isinstance(held, str) else [each for each in held or () if isinstance(each, str)]
    return tuple(dict.fromkeys(found))[:20]


def _status(row: Mapping[str, Any], free: Mapping[str, Any]) -> Any:
    if free.get("deleted") is True:
        return "deleted"
    return "superseded" if row.get("supersededBy") else "active"


def memory(row: Mapping[str, Any]) -> Memory:
    """A memory, deleted or superseded as its row says."""
    free = _field(row, "metadata", metadata, {})
    scope, kind = _field(row, "scope", _scope), _field(row, "kind", one_of(KINDS))
    said, source = _field(row, "text", text), _field(row, "source", _source, Source(type="agent"))
    _hashed(row, content_hash(scope.key, kind, said))
    created = _field(row, "createdAt", moment)
    return Memory(
        id=_field(row, "id", text),
        scope=scope,
        kind=kind,
        text=said,
        tags=_field(row, "tags", texts, ()),
        files=_named_files(free, "files", "file", "filePath", "touchedFiles"),
        symbols=_named_files(free, "symbols", "symbol"),
        confidence=_field(row, "confidence", grade, 0.5),
        stability=_field(row, "stability", one_of(STABILITIES), "durable"),
        status=_status(row, free),
        q_value=_field(free, "qValue", grade, 0.5),
        created_at=created,
        updated_at=_field(row, "updatedAt", moment, created),
        valid_from=_field(row, "validFrom", moment, created),
        expires_at=_field(row, "expiresAt", moment, None),
        last_accessed_at=_field(row, "lastAccessedAt", moment, None),
        superseded_by=_field(row, "supersededBy", text, None),
        supersedes=_field(row, "supersedes", texts, ()),
        supersedes_reason=_field(row, "supersedesReason", text, "") or blank(free.get("supersedeReason")),
        source=source,
        evidence=_support(source),
        provenance=_provenance(row),
        trust="external",
        metadata={name: held for name, held in free.items() if name != "deleted"},
    )


def _provenance(row: Mapping[str, Any]) -> Provenance:
    return Provenance(
        agent_role=_field(row, "producerAgentRole", text, "unknown"), unit_id=_field(row, "sourceTaskId", text, "")
    )


def _hashed(row: Mapping[str, Any], own: str) -> None:
    """A row that names its hash must have that content; then its id is the beginning of it."""
    told = _field(row, "contentHash", text, "")
    if told and (told != own or row.get("id") != f"mem_{own[:16]}"):
        raise MisfitError("contentHash: not that of the content")


def proposal(row: Mapping[str, Any]) -> Proposal:
    """A request for a change."""
    asked = _field(row, "proposedRecord", metadata, {})
    by = _field(row, "proposedBy", metadata, {})
    free = _field(row, "metadata", metadata, {})
    source = _field(asked, "source", _source, None)
    return Proposal(
        id=_field(row, "id", text),
        operation=_field(row, "operation", one_of(OPERATIONS)),
        scope=_field(asked, "scope", _scope, Scope(type="repository")),
        rationale=_field(row, "rationale", text),
        created_at=_field(row, "createdAt", moment),
        kind=_field(asked, "kind", one_of(KINDS), None),
        text=_field(asked, "text", text, ""),
        tags=_field(asked, "tags", texts, ()),
        files=_named_files(free, "files"),
        symbols=_named_files(free, "symbols"),
        confidence=_field(asked, "confidence", grade, 0.5),
        stability=_field(asked, "stability", one_of(STABILITIES), "durable"),
        expires_at=_field(asked, "expiresAt", moment, None),
        target_id=_field(row, "targetMemoryId", text, ""),
        related=_field(row, "relatedMemoryIds", texts, ()),
        source=source,
        evidence=_references(row, source),
        provenance=Provenance(
            agent_role=_field(by, "agentRole", text, "unknown"),
            agent_id=_field(by, "agentId", text, ""),
            run_id=_field(by, "runId", text, ""),
        ),
        status=_field(row, "status", one_of(PROPOSAL_STATUSES)),
        reviewer=_field(row, "reviewer", one_of(REVIEWERS), None),
        reviewed_at=_field(row, "reviewedAt", moment, None),
        rejection_reason=_field(row, "rejectionReason", text, ""),
        trust="external",
        metadata=free,
    )


def _references(row: Mapping[str, Any], source: Source | None) -> tuple[Reference, ...]:
    given = _field(row, "evidenceRefs", texts, ())
    return tuple(Reference(type="manual", ref=ref, trust="external") for ref in given if ref) or _support(source)


def document(row: Mapping[str, Any]) -> EvidenceUnit:
    """A text somebody looked up."""
    said = _field(row, "text", text)
    kind = _field(row, "sourceType", text, "manual")
    query, title, url = (_field(row, name, text, "") for name in ("query", "title", "url"))
    name = evidence_id(kind, query, title, url, said)
    free = _field(row, "metadata", metadata, {})
    known = [("source_type", kind), ("title", title), ("url", url), ("query", query)]
    known += [("created_by", _field(row, "createdBy", text, ""))]
    known += [(key, held) for key, held in free.items() if isinstance(held, str)]
    return EvidenceUnit(
        id=name,
        scope=Scope(type="repository"),
        type="document",
        ref=f"evidence-cache:{name}",
        session_id="",
        who="",
        at=_field(row, "capturedAt", moment),
        text=said,
        detail=tuple(pair for pair in known if pair[1]),
    )


def outcome(row: Mapping[str, Any]) -> Said:
    """An outcome, of its memory as that is now: the seed counts generations, and hands the latest over."""
    told = _field(row, "outcome", metadata)
    spots = tuple(Spot(text(each.get("file")), blank(each.get("symbol"))) for each in _spots(row))
    what = Outcome(
        id=f"out_{short_id(_field(row, 'id', text))}",
        memory_id=_field(row, "memoryId", text),
        generation="",
        result=_field(told, "outcome", one_of(RESULTS)),
        at=_field(told, "at", moment),
        task=_field(told, "taskId", text, ""),
        correction=_field(told, "correction", text, ""),
        spots=tuple(sorted(set(spots))),
    )
    return Said(_field(row, "scope", _scope, Scope(type="repository")), what)


def _spots(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    held = row.get("anchors") or []
    if not isinstance(held, list) or not all(isinstance(each, dict) for each in held):
        raise MisfitError("anchors: not a list of objects")
    return held
