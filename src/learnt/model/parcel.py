"""What arrives from a file, and what of it could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from learnt.model.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.cargo import Said
    from learnt.model.evidence import EvidenceUnit
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Scope

    Carried = Memory | Proposal | EvidenceUnit | Said

FORMAT: Final = "learnt-export"
VERSION: Final = 1
"""Of the format of an export. A reader refuses a higher one."""

MANIFEST: Final = "manifest.json"
FILES: Final[Mapping[str, str]] = {
    "memories": "memories.jsonl",
    "proposals": "proposals.jsonl",
    "units": "evidence.jsonl",
    "outcomes": "outcomes.jsonl",
    "flags": "flags.jsonl",
}
"""The file of each chapter of `learnt.model.cargo.EXPORTED`."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that is not imported, and why; never what it says.

    Attributes:
        line: From 1; 0 for the file as a whole.
    """

    file: str
    line: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """One row of a file.

    Attributes:
        id: The name the file gives it, also where the rest cannot be read; "" for none. The last row of a name counts.
        value: What it holds; None beside an `error`. A scope with no id in it stands for the one here.
        torn: The last line, which was not written to its end: it counts as not written.
    """

    file: str
    line: int
    id: str = ""
    value: Carried | None = None
    error: str = ""
    torn: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """What the other rows need to know of one, read before any is judged.

    Attributes:
        id: See `Arrival`. `scope`: None where it cannot be read.
        successor: Of a memory, what replaced it; "" for nothing. `kind` and `text` make its id in another scope.
    """

    file: str
    line: int
    id: str = ""
    scope: Scope | None = None
    successor: str = ""
    kind: str = ""
    text: str = ""
    torn: bool = False


def outlined(each: Arrival) -> Outline:
    """The outline of a row that was read."""
    value = each.value
    if value is None:
        return Outline(each.file, each.line, each.id, torn=each.torn)
    if not isinstance(value, Memory):
        return Outline(each.file, each.line, each.id, value.scope)
    return Outline(each.file, each.line, each.id, value.scope, value.superseded_by or "", value.kind, value.text)


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of an original, beside what it was copied from; `created` is False where it was there."""

    source: str
    backup: str
    created: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of an export, as its manifest lists it."""

    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an export says of itself.

    Attributes:
        person: Local id of who exported.
        repository: Id of the repository. `place`: what it was recognised by.
        scopes: Keys of the scopes that were in sight.
        files: By name.
        left_out: What is not in it -> how many rows.
        unreadable: How many rows of the store could not be read.
        seal: Made with a key of the installation that exported, over all of the above; "" where it has none.
    """

    exported_at: str
    person: str
    repository: str
    place: str
    scopes: tuple[str, ...]
    files: Mapping[str, Listed]
    left_out: Mapping[str, int] = field(default_factory=dict)
    unreadable: int = 0
    seal: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """What the seal is over, in order."""
        listed = [f"{name}:{each.rows}:{each.bytes}:{each.sha256}" for name, each in sorted(self.files.items())]
        said = (FORMAT, str(VERSION), self.exported_at, self.person, self.repository, self.place)
        return (*said, *self.scopes, *listed)


def manifest_row(held: Manifest) -> dict[str, Any]:
    """A manifest as JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": held.exported_at,
        "person": held.person,
        "repository": {"id": held.repository, "value": held.place},
        "scopes": list(held.scopes),
        "files": {
            name: {"rows": each.rows, "bytes": each.bytes, "sha256": each.sha256}
            for name, each in sorted(held.files.items())
        },
        "left_out": dict(sorted(held.left_out.items())),
        "unreadable": held.unreadable,
        "seal": held.seal or None,
    }
