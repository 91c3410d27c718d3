"""Evidence references: what a text points at, and how far that may be believed.

Source of the forms: contract, evidence references. Source of the first reference's meaning: swarm-memory seed,
proposal intake.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from learnt.model.kinds import least_trust, most_trust
from learnt.model.memory import Reference, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.model.kinds import Trust

MAX_REFERENCES, MAX_REFERENCE = 20, 500
_COMMIT = re.compile(r"[0-9a-fA-F]{40}")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)
_PATH = re.compile(r"(?P<path>(?!-)[^\s:]+?)(?::(?P<lines>\d+(?:-\d+)?))?")
_PREFIXES = {"run:": "run", "session:": "transcript", "evidence-cache:evd_": "evidence", "person:": "person"}
_TRUST: dict[str, Trust] = {
    "file": "repository",
    "commit": "repository",
    "url": "external",
    "run": "tool",
    "transcript": "agent",
    "evidence": "external",
    "person": "person",
    "manual": "person",
}
"""A session holds an agent's words; a manual reference is only as good as its writer, whose own trust also counts."""


def parse(ref: str, *, writer: str, is_file: Callable[[str], bool]) -> Reference:
    """The reference that `ref` is; `is_file` tells whether a bare word names a file of the repository."""
    ref = ref.strip()
    kind = _type(ref, is_file)
    return Reference(type=kind, ref=ref, trust=_TRUST[kind], writer=writer)


def _type(ref: str, is_file: Callable[[str], bool]) -> str:
    if _URL.fullmatch(ref):
        return "url"
    if _COMMIT.fullmatch(ref):
        return "commit"
    for prefix, name in _PREFIXES.items():
        if ref.startswith(prefix) and len(ref) > len(prefix):
            return name
    path = _PATH.fullmatch(ref)
    if path and ("/" in path["path"] or "." in path["path"].strip(".") or is_file(path["path"])):
        return "file"
    return "manual"


def path_of(reference: Reference) -> str:
    """The path of a file reference without its lines, "" for any other."""
    match = _PATH.fullmatch(reference.ref) if reference.type == "file" else None
    return match["path"] if match else ""


def lines_of(reference: Reference) -> tuple[tuple[int, int], ...]:
    """First and last line of a file reference that names lines; nothing for any other."""
    match = _PATH.fullmatch(reference.ref) if reference.type == "file" else None
    if match is None or not match["lines"] or len(match["lines"]) > 20:
        return ()
    first, _, last = match["lines"].partition("-")
    line, end = int(first), int(last or first)
    return ((max(1, min(line, end)), max(1, line, end)),)


def source_of(references: Sequence[Reference], writer: str) -> Source:
    """The source a memory gets: that of its first reference that is not the writer."""
    first = next((r for r in references if r.type != "person"), references[0] if references else None)
    if first is None:
        return Source(type="agent", created_by=writer)
    match first.type:
        case "url":
            return Source(type="web", url=first.ref, created_by=writer)
        case "commit":
            return Source(type="commit", commit_sha=first.ref, created_by=writer)
        case "file":
            return Source(type="file", file_path=path_of(first), ref=first.ref, created_by=writer)
        case "run" | "transcript":
            return Source(type="tool", ref=first.ref, created_by=writer)
        case "person":
            return Source(type="user", ref=first.ref, created_by=writer)
        case _:
            return Source(type="manual", ref=first.ref, created_by=writer)


def trust_of(references: Sequence[Reference], own: Trust) -> Trust:
    """The trust of one write: the least of the writer's own and of every reference."""
    return least_trust((own, *(reference.trust for reference in references)))


def united(old: Sequence[Reference], new: Sequence[Reference]) -> tuple[Reference, ...]:
    """Both lists, each reference once; a verified quote replaces an unverified one of the same reference."""
    by_ref: dict[tuple[str, str], Reference] = {(r.type, r.ref): r for r in old}
    for reference in new:
        known = by_ref.get((reference.type, reference.ref))
        if known is None or (reference.verified and not known.verified):
            by_ref[reference.type, reference.ref] = reference
    return tuple(by_ref.values())[:MAX_REFERENCES]


def corroborated(old: Trust, new: Trust, *, independent: bool) -> Trust:
    """Trust after another write of the same statement: never lower; higher only from an independent writer."""
    return most_trust((old, new)) if independent else old
