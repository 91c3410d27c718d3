"""The gate itself: passages in, verdict out; or a text in and the same text without its secrets out."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from learnt.gate.clearance import PATTERN_SET
from learnt.gate.disguise import readings
from learnt.gate.normal import View, fold, is_plain, mend, view
from learnt.gate.patterns import FILE, Automaton, load
from learnt.gate.spans import Span, replace, spans
from learnt.model.verdict import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from learnt.gate.patterns import Pattern
    from learnt.model.verdict import Outcome, Passage

    Place = tuple[Pattern, int, int]


# A write is at most a few kilobytes; a quarter of a mebibyte takes 0.4 s on the worst text known.
MAX_BYTES: Final = 1 << 18
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
        self._compiled: Automaton | None = None

    def scan(self, passages: Sequence[Passage]) -> Verdict:
        """The verdict on what would be stored together.

        A sentinel or a secret refuses, an injection is held for a person, anything else passes. `redacted` holds every
        field, secrets replaced, whatever the outcome.

        Raises:
            GateError: The pattern set cannot be loaded (retryable; nothing may be written).
        """
        self._automaton()
        began = self._tick()
        if sum(len(passage.text.encode("utf-8", "replace")) for passage in passages) > self._max_bytes:
            return Verdict(outcome="incomplete", pattern_set=PATTERN_SET)
        findings: list[Finding] = []
        redacted: list[tuple[str, str]] = []
        refused = False
        for passage in passages:
            if (self._tick() - began) * 1000 > self._max_ms:
                return Verdict(outcome="incomplete", findings=tuple(findings), pattern_set=PATTERN_SET)
            places = self._places(passage.text)
            findings += (_finding(place, passage.field) for place in places)
            refused = refused or any(pattern.refuse for pattern, _, _ in places)
            redacted.append((passage.field, self._without(passage.text, places)))
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
        return self._without(text, self._places(text))

    def _without(self, text: str, places: Sequence[Place]) -> str:
        """The text without the secrets among the places, looked over again until nothing more is found."""
        for _ in range(_PASSES):
            secrets = [(pattern.name, start, end) for pattern, start, end in places if pattern.family == "secret"]
            if not secrets:
                return text
            text = replace(text, secrets)
            places = self._places(text)
        return "[REDACTED:unstable]"

    def _automaton(self) -> Automaton:
        if self._compiled is None:
            self._compiled = Automaton(load(self._path))
        return self._compiled

    def _places(self, text: str) -> list[Place]:
        """What stands where in the text as stored, read plainly and in every disguise it bears the marks of."""
        automaton = self._automaton()
        plain = is_plain(text)
        stored = text if plain else mend(text)
        folded = stored if plain else fold(stored)
        seen = list(automaton.hits(folded.encode()))
        raw = [] if plain else automaton.raw(stored)
        if not seen and not raw:
            return []
        places = [*_mapped(raw, stored, lambda: View(stored)), *_mapped(seen, folded, lambda: view(stored))]
        known = {(pattern.name, edge) for pattern, *edges in places for edge in edges}
        for copy, way in readings(stored, {pattern.name for pattern in (*seen, *raw)}):
            for place in _mapped(automaton.hits(copy.encode()), copy, way):
                pattern, start, end = place
                if (pattern.name, start) not in known and (pattern.name, end) not in known:
                    places.append(place)
        return sorted(places, key=lambda place: (place[1], -place[2]))


def _mapped(patterns: Iterable[Pattern], copy: str, way: Callable[[], View]) -> list[Place]:
    """The places of the patterns in the original of a copy; the way back is only built when there are any.

    The way back is made from small pieces, and its copy may differ from one made at once (Korean letters that join).
    Where a pattern is lost by that, all of the text is its place.
    """
    shown = [pattern for pattern in patterns if pattern.family != "view"]
    found = spans(shown, copy) if shown else []
    if not found:
        return []
    back = way()
    if back.text != copy:
        lost = [Span(span.pattern, 0, len(back.text)) for span in found]
        found = spans(shown, back.text) or lost
    return [(span.pattern, *back.span(span.start, span.end)) for span in found]


def _finding(place: Place, field: str) -> Finding:
    pattern, start, end = place
    assert pattern.family != "view"  # noqa: S101 - views are marks, never places
    return Finding(family=pattern.family, name=pattern.name, field=field, start=start, end=end)


def _outcome(findings: Sequence[Finding], *, refused: bool) -> Outcome:
    families = {finding.family for finding in findings}
    if refused or families & {"secret", "sentinel"}:
        return "refuse"
    return "quarantine" if "injection" in families else "allow"
