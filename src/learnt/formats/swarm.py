"""The line files of the swarm-memory seed: `.swarm/memory/memories.jsonl`, `proposals.jsonl`, and its evidence cache.

Read with the seed's own rules: names in camel case, a content hash that must be that of the content, `deleted` in the
metadata. They are taken over once; the originals are copied aside and never changed. Source: swarm-memory seed, data
model and JSONL migration.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import ConfigError
from learnt.formats.moment import moment
from learnt.formats.rows import Rows
from learnt.model.evidence import EvidenceUnit
from learnt.model.field import MisfitError, blank, grade, metadata, one_of, text, texts
from learnt.model.keys import content_hash, evidence_id
from learnt.model.kinds import KINDS, OPERATIONS
from learnt.model.memory import Memory, Provenance, Reference, Source
from learnt.model.parcel import Backup, outlined
from learnt.model.portable import PROPOSAL_STATUSES, REVIEWERS, SOURCE_TYPES, STABILITIES
from learnt.model.proposal import Proposal
from learnt.model.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from learnt.model.parcel import Arrival, Carried, Outline

NAME: Final = "swarm"
SUFFIX: Final = ".pre-sqlite-migration"
"""What the seed calls a copy of an original."""

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
_MEMORIES, _PROPOSALS, _DOCUMENTS = "memories.jsonl", "proposals.jsonl", "documents.jsonl"
_FOLDERS: Final = ("", "memory", ".swarm/memory")
_CACHES: Final = ("evidence-cache", "../evidence-cache", ".swarm/evidence-cache")


class SwarmParcel:
    """See `learnt.ports.parcel.Parcel`.

    Args:
        path: The project, its `.swarm`, the `memory` folder in it, or one file.
    """

    format = NAME
    once = True

    def __init__(self, path: Path) -> None:
        self.source = str(path)
        self._files = self.files(path) if path.is_dir() else [path]
        self._rows = [Rows(file, _MADE.get(file.name, _memory)) for file in self._files]

    @staticmethod
    def files(path: Path) -> list[Path]:
        """The files of a folder, in the order in which they are read."""
        places = [path / folder for folder in _FOLDERS]
        found = [place / name for name in (_MEMORIES, _PROPOSALS) for place in places]
        caches = [path / cache / _DOCUMENTS for cache in _CACHES if not cache.startswith("..") or path.name == "memory"]
        return [file for file in (*found, *caches) if file.is_symlink() or file.is_file()]

    def arrivals(self) -> Iterator[Arrival]:
        """Every row."""
        for rows in self._rows:
            yield from rows

    def outlines(self) -> Iterator[Outline]:
        """Of every row what the others need to know."""
        return map(outlined, self.arrivals())

    def manifest(self) -> None:
        """There is none."""

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of each file as it was last read."""
        return {rows.name: rows.sha256 for rows in self._rows}

    def restated(self) -> Mapping[str, str]:
        """Nothing to compare with."""
        return {}

    def keep(self) -> tuple[Backup, ...]:
        """A copy of each file in a folder `backups` beside it."""
        return tuple(_kept(file) for file in self._files)


def _kept(file: Path) -> Backup:
    folder = file.parent / "backups"
    copy = folder / f"{file.name}{SUFFIX}"
    if folder.is_symlink():
        raise ConfigError("The folder for copies, `backups`, is a link. Nothing was imported.", code="backup_failed")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with file.open("rb") as source, os.fdopen(os.open(copy, flags, 0o600), "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
    except FileExistsError:
        return Backup(str(file), str(copy), created=False)
    except OSError as error:
        told = f"The original cannot be copied aside: {error.strerror}. Nothing was imported."
        raise ConfigError(told, code="backup_failed", details={"path": str(folder)}) from None
    return Backup(str(file), str(copy), created=True)


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


def _memory(row: Mapping[str, Any]) -> Memory:
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


def _proposal(row: Mapping[str, Any]) -> Proposal:
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


def _document(row: Mapping[str, Any]) -> EvidenceUnit:
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


_MADE: Final[Mapping[str, Callable[[Mapping[str, Any]], Carried]]] = {
    _MEMORIES: _memory,
    _PROPOSALS: _proposal,
    _DOCUMENTS: _document,
}
