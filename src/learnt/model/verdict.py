"""What the gate answers about one text (or several fields scanned as one)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Outcome = Literal["allow", "redact", "quarantine", "refuse", "incomplete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One match: what sort, which pattern, where in the text as stored. Never the matched text.

    Attributes:
        family: secret, injection, pii or sentinel.
        name: The pattern's name (`github_token`).
        field: Which field of the write (`text`, `rationale`, `tags`, `evidence`, ...).
        start: First character, `end` one past the last, in characters of that field.
    """

    family: Literal["secret", "injection", "pii", "sentinel"]
    name: str
    field: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gate's answer.

    Attributes:
        outcome: `allow`; `redact` (keep `redacted`); `quarantine` (held for a person); `refuse`; `incomplete` (the
            scan did not finish within its budget).
        findings: What was found, in order of field and position.
        redacted: Each scanned field with every secret replaced by `[REDACTED:name]`, in the order given; worked out
            when it is first asked for.
        pattern_set: Version of the pattern set that gave this answer.
    """

    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    redacted: Sequence[tuple[str, str]] = ()
    pattern_set: str = ""

    @property
    def classes(self) -> tuple[str, ...]:
        """The names found, each once, in order."""
        return tuple(dict.fromkeys(finding.name for finding in self.findings))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields something was found in, each once, in order."""
        return tuple(dict.fromkeys(finding.field for finding in self.findings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One named text on its way through the gate."""

    field: str
    text: str
