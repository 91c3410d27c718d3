"""The gate itself: passages in, verdict out; or a text in and the same text without its secrets out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import GateError
from learnt.gate.clearance import PATTERN_SET
from learnt.gate.patterns import FILE, is_whole
from learnt.gate.search import Search
from learnt.gate.spans import replace
from learnt.model.verdict import Finding, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from learnt.gate.patterns import Pattern
    from learnt.gate.spans import Place
    from learnt.model.verdict import Outcome, Passage


# A write is at most a few kilobytes; a quarter of a mebibyte takes 0.4 s on the worst text known.
MAX_BYTES: Final = 1 << 18
MAX_MS: Final = 1000.0
# Each pass can only find what the placeholders of the last one uncovered; more than a few means a text built to do so.
_PASSES: Final = 6
ENOUGH: Final = 1.0
"""Weight of the hints of one write that holds it for a person."""


class Redacted(Sequence[tuple[str, str]]):
    """Fields without their secrets, worked out when first looked at: most verdicts are only asked for their outcome."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[tuple[str, str], ...]]) -> None:
        self._make = make
        self._made: tuple[tuple[str, str], ...] | None = None

    def _fields(self) -> tuple[tuple[str, str], ...]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __len__(self) -> int:
        return len(self._fields())

    def __getitem__(self, at: Any) -> Any:
        return self._fields()[at]

    def __eq__(self, other: object) -> bool:
        return self._fields() == (other._fields() if isinstance(other, Redacted) else other)

    def __hash__(self) -> int:
        return hash(self._fields())


class Gate:
    """The gate over one pattern set. Compiles on first use (about 90 ms), then answers from any thread."""

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
        self._made: Search | None = None
        self._known = False

    def ready(self) -> None:
        """Nothing, if the pattern set can be used.

        Raises:
            GateError: It cannot. The set that ships is known by its digest, which costs a third of a millisecond once;
                another one is compiled.
        """
        if self._made is None and not self._known:
            if self._path == FILE:
                is_whole()
            else:
                self._search()
            self._known = True

    def scan(self, passages: Sequence[Passage]) -> Verdict:
        """The verdict on what would be stored together.

        A sentinel or a secret refuses, orders are held for a person, anything else passes. `redacted` holds every
        field, secrets replaced, whatever the outcome.

        Raises:
            GateError: The pattern set cannot be loaded, or the scan failed (retryable; nothing may be written).
        """
        search = self._search()
        try:
            return self._scanned(search, passages)
        except Exception as error:
            raise GateError(details={"reason": type(error).__name__}) from error

    def _scanned(self, search: Search, passages: Sequence[Passage]) -> Verdict:
        began = self._tick()
        joined = passages[0].text if len(passages) == 1 else "\n".join([passage.text for passage in passages])
        if len(joined) * 4 > self._max_bytes and len(joined.encode("utf-8", "replace")) > self._max_bytes:
            return self._unfinished(search, passages)
        seen = search.look(joined)
        if seen.is_clean:
            fields = tuple((passage.field, passage.text) for passage in passages)
            return Verdict(outcome="allow", redacted=fields, pattern_set=PATTERN_SET)
        found: list[tuple[Passage, Place]] = []
        placed: list[tuple[Passage, Sequence[Place]]] = []
        for passage in passages:
            places = search.places(passage.text, seen if len(passages) == 1 else None)
            found += ((passage, place) for place in places)
            placed.append((passage, places))
            if (self._tick() - began) * 1000 > self._max_ms:
                return _partial(passages, found)
        outcome = _outcome(place[0] for _, place in found)
        if outcome == "allow" and len(passages) > 1:
            found += _across(passages, search.places(joined, seen))
            outcome = _outcome(place[0] for _, place in found)
        findings = _findings(found) if outcome != "allow" else ()
        redacted = Redacted(lambda: tuple((each.field, self._without(each.text, at)) for each, at in placed))
        return Verdict(outcome=outcome, findings=findings, redacted=redacted, pattern_set=PATTERN_SET)

    def _unfinished(self, search: Search, passages: Sequence[Passage]) -> Verdict:
        """The verdict on more than the budget allows: what its beginning holds, or that it was not read to the end."""
        left = self._max_bytes
        found: list[tuple[Passage, Place]] = []
        for passage in passages:
            part = passage.text[: left // 4]
            found += ((passage, place) for place in search.places(part))
            left -= len(part.encode("utf-8", "replace"))
        return _partial(passages, found)

    def redact(self, text: str) -> str:
        """The text with every secret replaced by `[REDACTED:name]`; the same object when there is none.

        Idempotent: a second call changes nothing. For evidence, transcripts, logs and whatever is shown.

        Raises:
            GateError: The pattern set cannot be loaded.
        """
        return self._without(text, self._search().places(text, values=True))

    def _without(self, text: str, places: Sequence[Place]) -> str:
        """The text without the secrets among the places, looked over again until nothing more is found."""
        for _ in range(_PASSES):
            secrets = [(pattern.name, start, end) for pattern, start, end in places if pattern.family == "secret"]
            if not secrets:
                return text
            text = replace(text, secrets)
            places = self._search().places(text, values=True)
        return "[REDACTED:unstable]"

    def _search(self) -> Search:
        if self._made is None:
            self._made = Search.of(self._path)
        return self._made


def _partial(passages: Sequence[Passage], found: Sequence[tuple[Passage, Place]]) -> Verdict:
    """What was found before the budget was spent counts; without anything the verdict is that it was spent.

    Fields that were not read to the end are kept by nobody.
    """
    outcome = _outcome(place[0] for _, place in found)
    if outcome == "allow":
        return Verdict(outcome="incomplete", pattern_set=PATTERN_SET)
    unread = tuple((passage.field, "[REDACTED:unread]") for passage in passages)
    return Verdict(outcome=outcome, findings=_findings(found), redacted=unread, pattern_set=PATTERN_SET)


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


def _outcome(patterns: Iterable[Pattern]) -> Outcome:
    """Refused for a secret, a marker or text nobody sees; held for orders whose weights add up to enough."""
    weights: dict[str, float] = {}
    for pattern in patterns:
        if pattern.family in {"secret", "sentinel"} or pattern.refuse:
            return "refuse"
        if pattern.family == "injection":
            weights[pattern.name] = max(pattern.weight, weights.get(pattern.name, 0.0))
    return "quarantine" if sum(weights.values()) >= ENOUGH else "allow"
