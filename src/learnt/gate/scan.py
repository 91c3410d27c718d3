"""The gate itself: passages in, verdict out; or a text in and the same text without its secrets out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from learnt.gate.clearance import PATTERN_SET
from learnt.gate.normal import fold, has_tags, view
from learnt.gate.patterns import FILE, Automaton, load
from learnt.gate.spans import replace, spans
from learnt.model.verdict import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from learnt.gate.patterns import Pattern
    from learnt.model.verdict import Outcome, Passage


# A write is at most a few kilobytes; a mebibyte of it takes a tenth of a second on ordinary text.
MAX_BYTES: Final = 1 << 20
MAX_MS: Final = 1000.0
# Each pass can only find what the placeholders of the last one uncovered; more than a few means a text built to do so.
_PASSES: Final = 6


class Gate:
    """The gate over one pattern set. Compiles on first use (about 40 ms), then answers from any thread."""

    def __init__(
        self,
        *,
        max_bytes: int = MAX_BYTES,
        max_ms: float = MAX_MS,
        path: Path = FILE,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        """Makes a gate.

        Args:
            max_bytes: Most UTF-8 bytes of one scan; more gives `incomplete`.
            max_ms: Most milliseconds of one scan, looked at between patterns.
            path: The pattern file.
            tick: Seconds that only go forward.
        """
        self._max_bytes = max_bytes
        self._max_ms = max_ms
        self._path = path
        self._tick = tick
        self._all: Automaton | None = None
        self._secrets: Automaton | None = None

    def scan(self, passages: Sequence[Passage]) -> Verdict:
        """The verdict on what would be stored together.

        A sentinel or a secret refuses, an injection is held for a person, anything else passes. `redacted` holds every
        field, secrets replaced, whatever the outcome.

        Raises:
            GateError: The pattern set cannot be loaded (retryable; nothing may be written).
        """
        automaton = self._automaton()
        began = self._tick()
        if sum(len(passage.text) for passage in passages) > self._max_bytes:
            return Verdict(outcome="incomplete", pattern_set=PATTERN_SET)
        findings: list[Finding] = []
        redacted: list[tuple[str, str]] = []
        refused = False
        for passage in passages:
            if (self._tick() - began) * 1000 > self._max_ms:
                return Verdict(outcome="incomplete", findings=tuple(findings), pattern_set=PATTERN_SET)
            for pattern, start, end in self._places(automaton, passage.text):
                refused = refused or pattern.refuse
                findings.append(
                    Finding(family=pattern.family, name=pattern.name, field=passage.field, start=start, end=end)
                )
            redacted.append((passage.field, self.redact(passage.text)))
        return Verdict(
            outcome=_outcome(findings, refused=refused),
            findings=tuple(findings),
            redacted=tuple(redacted),
            pattern_set=PATTERN_SET,
        )

    def redact(self, text: str) -> str:
        """The text with every secret replaced by `[REDACTED:name]`; the same object when there is none.

        Idempotent: a second call changes nothing. For evidence, transcripts, logs and whatever is shown.

        Raises:
            GateError: The pattern set cannot be loaded.
        """
        if self._secrets is None:
            self._secrets = Automaton(pattern for pattern in load(self._path) if pattern.family == "secret")
        for _ in range(_PASSES):
            places = self._places(self._secrets, text)
            if not places:
                return text
            text = replace(text, [(pattern.name, start, end) for pattern, start, end in places])
        return "[REDACTED:unstable]"

    def _automaton(self) -> Automaton:
        if self._all is None:
            self._all = Automaton(load(self._path))
        return self._all

    def _places(self, automaton: Automaton, text: str) -> list[tuple[Pattern, int, int]]:
        """What stands where in the text as stored. One pass when nothing does."""
        folded = fold(text)
        hit = list(automaton.hits(folded.encode("utf-8", "replace")))
        if not hit:
            return []
        mapped = view(text)
        return [(span.pattern, *mapped.span(span.start, span.end)) for span in spans(hit, mapped.text)]


def _outcome(findings: Sequence[Finding], *, refused: bool) -> Outcome:
    families = {finding.family for finding in findings}
    if refused or families & {"secret", "sentinel"}:
        return "refuse"
    return "quarantine" if "injection" in families else "allow"
