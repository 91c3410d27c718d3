"""Exports and imports as JSON. Source of the camel-case keys: swarm-memory seed, migration report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnt.flows.export import Exported
    from learnt.flows.imported import Imported

Json = dict[str, Any]

_CHAPTERS = {"memories": "memories", "proposals": "proposals", "units": "evidence"}


def exported(value: Exported) -> Json:
    """Where an export lies, what is in it and what is not."""
    manifest = value.manifest
    return {
        "path": value.path,
        "exported_at": manifest.exported_at,
        "files": {
            name: {"rows": each.rows, "bytes": each.bytes, "sha256": each.sha256}
            for name, each in sorted(manifest.files.items())
        },
        "scopes": list(manifest.scopes),
        "left_out": dict(manifest.left_out),
        "unreadable": manifest.unreadable,
        "sealed": bool(manifest.seal),
        "event": value.event,
    }


def imported(value: Imported) -> Json:
    """What became of an import."""
    return {
        "import": value.run or None,
        "migration": value.format,
        "format": value.format,
        "source": value.source,
        "completedAt": value.at,
        "dry_run": value.dry_run,
        "skipped": value.skipped,
        "proven": value.proven,
        "unproven_because": value.doubt or None,
        "importedMemories": value.of("memories", "added", "updated", "quarantined"),
        "importedProposals": value.of("proposals", "added", "updated"),
        "importedOutcomes": value.of("outcomes", "added", "updated"),
        "importedEvidence": value.of("units", "added"),
        "counts": {_CHAPTERS.get(name, name): dict(counts) for name, counts in value.counts.items()},
        "totals": {
            "rows": value.rows,
            "repeated": value.repeated,
            "invalid": value.invalid,
            "kept": sum(each.get("kept", 0) for each in value.counts.values()),
        },
        "refused": dict(value.codes),
        "invalidRows": [{"file": each.file, "line": each.line, "error": each.error} for each in value.faults],
        "kept": [{"id": each.id, "why": each.why} for each in value.kept],
        "ahead_of_clock": value.ahead,
        "torn": list(value.torn),
        "unembedded": value.unembedded,
        "backups": [{"source": each.source, "backup": each.backup, "created": each.created} for each in value.backups],
    }


def last(value: Imported | None) -> Json | None:
    """The last import as `status` shows it."""
    if value is None:
        return None
    return {
        "at": value.at,
        "format": value.format,
        "source": value.source,
        "proven": value.proven,
        "rows": value.rows,
        "invalid": value.invalid,
        "invalidRows": [{"file": each.file, "line": each.line, "error": each.error} for each in value.faults],
        "kept": len(value.kept),
    }
