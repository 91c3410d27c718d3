"""The patterns as data, and the automata made of them on first use.

`patterns.toml` is read, checked and compiled lazily: importing this module costs no RE2. A set that cannot be read,
compiled, or that fails its own canary raises `GateError`, so that a broken file closes the gate instead of opening it.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from learnt.errors import GateError
from learnt.gate.clearance import PATTERN_SET
from learnt.gate.linear import broken, compiled
from learnt.gate.value import CHECKS, assigned, key, password, strong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


Family = Literal["secret", "injection", "pii", "sentinel", "view"]
FILE: Final = Path(__file__).with_name("patterns.toml")
FILES: Final = (FILE, FILE.with_name("orders.toml"))
"""All files that decide what a write is held or refused for."""
FAMILIES: Final = frozenset({"secret", "injection", "pii", "sentinel", "view"})
_KEYS: Final = frozenset(
    {"name", "family", "regex", "trigger", "check", "label", "close", "body", "whole", "digest", "outcome", "raw"}
)
# A word no text holds, added to every automaton: if it is not found, the automaton is not working.
_CANARY: Final = "learnt~gate~canary~q7"
# A trigger may match more than its pattern, so long repetitions are loosened there: an automaton of 60,000 steps takes
# 70 ms to compile, one of a tenth of that 10 ms, and the states it walks through are fewer as well.
_COUNTED: Final = re.compile(r"\{(\d+)(,?)(\d*)\}")
_LONG: Final = 16
# RE2 keeps its states in a cache of this size; the default of 8 MiB is emptied again and again by hostile text.
_MEMORY_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One entry of the file.

    Attributes:
        name: What a finding is called.
        family: secret, injection, pii or sentinel; `view` for a mark that calls for another reading of the text.
        trigger: The expression that stands in the automaton.
        regex: The expression that gives the places.
        check: What the replaced text must satisfy, if anything.
        label: Whether group 1 is a label and the whole match is replaced.
        whole: Whether the whole match is replaced although a group is checked.
        digest: Whether a match inside a lock file's integrity value is no match.
        close: The end of a block, if this is one; `body` what a block without an end is made of.
        raw: Whether it is searched in the text as stored.
        refuse: Whether an injection is refused and not only held for a person.
        weight: How much an injection tells: 1 is enough, less is a hint.
        tight: The expression that finds the same in the bare letters of a text; "" for none.
        phrase: What `tight` was made from.
        unless: What makes it no match when it stands right before it.
    """

    name: str
    family: Family
    trigger: str
    regex: str
    check: Callable[[str], bool] | None = None
    label: bool = False
    whole: bool = False
    digest: bool = False
    close: str = ""
    body: str = ""
    raw: bool = False
    refuse: bool = False
    weight: float = 1.0
    tight: str = ""
    phrase: str = ""
    unless: str = ""

    @property
    def by_label(self) -> bool:
        """Whether the label alone tells what the value is, which has no form of its own."""
        return self.label or self.check in (password, key, strong)

    def holds(self, label: str, value: str) -> bool:
        """Whether the value (with its label, for assignments) is what the pattern looks for."""
        if self.label:
            return assigned(label, value)
        return self.check is None or self.check(value)


class Automaton:
    """All patterns at once: one pass over a text says which of them occur.

    Cost: about 3 microseconds a kilobyte of ordinary text, linear on every text. It gives no places.
    """

    __slots__ = ("_match", "_patterns", "_raw", "_set")

    def __init__(self, patterns: Iterable[Pattern], *, bare: bool = False) -> None:
        """Makes an automaton.

        Args:
            patterns: What to look for.
            bare: Whether it reads bare letters.

        Raises:
            GateError: RE2 does not take the patterns, or the automaton finds nothing.
        """
        import re2

        options = re2.Options()
        options.max_mem = _MEMORY_BYTES
        options.log_errors = False
        options.never_capture = True
        everything = tuple(patterns)
        self._patterns = tuple(pattern for pattern in everything if not pattern.raw)
        self._raw = tuple(pattern for pattern in everything if pattern.raw)
        self._set = re2.Set.SearchSet(options)
        try:
            for pattern in self._patterns:
                self._set.Add(pattern.tight if bare else pattern.trigger)
            self._set.Add(_CANARY)
            self._set.Compile()
        except re2.error as error:
            raise broken(error, "automaton") from error
        self._match = self._set.Match
        if self._match(f"a {_CANARY} b".encode()) != [len(self._patterns)]:
            raise GateError(details={"reason": "canary"})

    def hits(self, text: bytes) -> list[Pattern]:
        """The patterns that occur in the text (UTF-8), in the order of the file."""
        found = self._match(text)
        if not found:
            return []
        return [self._patterns[number] for number in sorted(found) if number < len(self._patterns)]

    def raw(self, text: str) -> list[Pattern]:
        """The patterns over the text as stored that occur in it; asked only of text that folding changes."""
        return [pattern for pattern in self._raw if compiled(pattern.regex or pattern.trigger).search(text)]


def digest(files: Iterable[Path]) -> str:
    """The short digest of pattern files that stands in `clearance.PATTERN_SET`."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]


def is_whole() -> None:
    """Nothing, if the files are those that `clearance.PATTERN_SET` names.

    Raises:
        GateError: A file is missing or was changed.
    """
    try:
        found = digest(FILES)
    except OSError as error:
        raise broken(error, FILE.name) from error
    if found != PATTERN_SET.partition(".")[2]:
        raise GateError(details={"reason": "digest"})


def load(path: Path = FILE) -> tuple[Pattern, ...]:
    """The patterns of the file, in its order.

    Raises:
        GateError: The file is missing or wrong.
    """
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["pattern"]
        return tuple(_pattern(entry) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise broken(error, path.name) from error


def _pattern(entry: dict[str, Any]) -> Pattern:
    if unknown := set(entry) - _KEYS:
        raise GateError(details={"reason": "unknown key", "keys": sorted(unknown)})
    if entry["family"] not in FAMILIES:
        raise GateError(details={"reason": "unknown family", "name": entry["name"]})
    return Pattern(
        name=entry["name"],
        family=entry["family"],
        trigger=entry.get("trigger") or loosen(entry["regex"]),
        regex=entry["regex"],
        check=CHECKS[entry["check"]] if "check" in entry else None,
        label="label" in entry,
        whole=entry.get("whole", False),
        digest=entry.get("digest", False),
        close=entry.get("close", ""),
        body=entry.get("body", ""),
        raw=entry.get("raw", False),
        refuse=entry.get("outcome") == "refuse",
    )


def loosen(regex: str) -> str:
    """An expression that matches wherever the given one does, with no repetition counted beyond 16."""

    def shorter(match: re.Match[str]) -> str:
        low, comma, high = match.groups()
        open_ended = int(low) > _LONG or (comma and (not high or int(high) > _LONG))
        return f"{{{min(int(low), _LONG)},}}" if open_ended else match.group()

    return _COUNTED.sub(shorter, regex)
