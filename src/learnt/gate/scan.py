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
            max_ms: Most milliseconds of one scan, looked at after each field.
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
        automaton = self._automaton()
        began = self._tick()
        joined = "\n".join(passage.text for passage in passages)
        if len(joined.encode("utf-8", "replace")) > self._max_bytes:
            return Verdict(outcome="incomplete", pattern_set=PATTERN_SET)
        if _is_clean(automaton, joined):
            fields = tuple((passage.field, passage.text) for passage in passages)
            return Verdict(outcome="allow", redacted=fields, pattern_set=PATTERN_SET)
        found: list[tuple[Passage, Place]] = []
        redacted: list[tuple[str, str]] = []
        for passage in passages:
            places = self._places(passage.text)
            found += ((passage, place) for place in places)
            redacted.append((passage.field, self._without(passage.text, places)))
            if (self._tick() - began) * 1000 > self._max_ms:
                return Verdict(outcome="incomplete", findings=_findings(found), pattern_set=PATTERN_SET)
        found = found or _across(passages, self._places(joined))
        return Verdict(
            outcome=_outcome([pattern for _, (pattern, _, _) in found]),
            findings=_findings(found),
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


def _is_clean(automaton: Automaton, text: str) -> bool:
    """Whether no pattern hits all fields read as one text, which spares the reading of each."""
    if is_plain(text):
        return not any(automaton.hits(text.encode()))
    stored = mend(text)
    return not any(automaton.hits(fold(stored).encode())) and not automaton.raw(stored)


def _across(passages: Sequence[Passage], places: Sequence[Place]) -> list[tuple[Passage, Place]]:
    """Orders and markers that are only there when the fields are read one after the other, told of the first field.

    Secrets are left out: a label in one field and a word in the next are no secret.
    """
    found: list[tuple[Passage, Place]] = []
    for pattern, start, end in places:
        begins = 0
        for passage in passages:
            length = len(passage.text)
            if begins <= start < begins + length and pattern.family != "secret":
                found.append((passage, (pattern, start - begins, min(end - begins, length))))
            begins += length + 1
    return found


def _findings(found: Sequence[tuple[Passage, Place]]) -> tuple[Finding, ...]:
    return tuple(
        Finding(family=pattern.family, name=pattern.name, field=passage.field, start=start, end=end)
        for passage, (pattern, start, end) in found
        if pattern.family != "view"
    )


def _outcome(patterns: Sequence[Pattern]) -> Outcome:
    families = {pattern.family for pattern in patterns}
    if families & {"secret", "sentinel"} or any(pattern.refuse for pattern in patterns):
        return "refuse"
    return "quarantine" if "injection" in families else "allow"
