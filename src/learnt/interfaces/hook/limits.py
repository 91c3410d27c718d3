"""What is allowed here: switched on by `learnt init`, set by the user's file, narrowed by the repository's file.

Both files are read at every event, so a change counts at once. Their usual lines are understood here, because `tomllib`
costs 29 ms; what is not a usual line is left to it. The rules are those of `learnt.settings`: a value out of range is
ignored, and a repository can only take away.
"""

from __future__ import annotations

import os

ALL = "hook.all"
"""The row of `_meta` that `learnt init` sets to "1": capture and injection for all repositories of this user."""

WARM = "hook.warm"
"""The row that says so: `learnt.interfaces.warm.frame.ROW`, spelled here so that nothing of it is imported in vain."""

COPY, PERSON = "hook.copy", "hook.person"
"""The rows that say that this is the copy of a store on a server, and whose preferences its URL means."""

_FILE_BYTES = 64 * 1024
_NUMBERS = {
    "recall.injection.max_items": ("max_items", 1, 20),
    "recall.injection.budget_tokens": ("budget_tokens", 100, 5_000),
    "recall.injection.min_score": ("min_score", 0, 2),
    "sessions.summary_tokens": ("summary_tokens", 0, 50_000),
    "sessions.max_age_days": ("age_days", 0, 365),
    "sessions.min_idle_hours": ("idle_hours", 0, 720),
    "learning.q_value_boost_weight": ("q_weight", 0, 1),
    "learning.suppression_threshold": ("suppressed_below", 0, 1),
}
_LOWERED = (
    "recall.injection.max_items",
    "recall.injection.budget_tokens",
    "sessions.summary_tokens",
    "sessions.max_age_days",
)
_SECTIONS = ("memory", "recall", "reflection", "sessions", "learning")


def repository_row(repository_id: str) -> str:
    """The row that `learnt init --shared` sets to "1": capture and injection for this repository."""
    return f"hook.on.{repository_id}"


class Limits:
    """The numbers and switches of automatic injection.

    Attributes:
        capture: Whether sessions are read at their end. `inject`: whether anything is shown.
        reflect: Whether a start is told what became of memories.
        signal: Whether a prompt must have something in common with what it is shown.
        age_days, idle_hours: Of sessions that may be learnt from.
        copy: Whether this is the copy of a store on a server. `person`: whose preferences are meant; "" for this user.
        warm: Whether a local model's vectors are searched on this machine, so that a warm process is worth asking.
    """

    __slots__ = (
        "age_days",
        "budget_tokens",
        "capture",
        "copy",
        "exclude_kinds",
        "idle_hours",
        "inject",
        "max_items",
        "min_score",
        "person",
        "q_weight",
        "reflect",
        "signal",
        "summary_tokens",
        "suppressed_below",
        "warm",
    )

    def __init__(self, rows: dict[str, str], repository_id: str) -> None:
        on = rows.get(ALL) == "1" or rows.get(repository_row(repository_id)) == "1"
        self.capture = self.inject = on
        self.copy = rows.get(COPY) == "1"
        self.person = rows.get(PERSON, "")
        self.warm = bool(rows.get(WARM)) and not self.copy
        self.signal = self.reflect = True
        self.exclude_kinds: frozenset[str] = frozenset()
        self.max_items = 6
        self.budget_tokens = 1_000
        self.summary_tokens = 5_000
        self.age_days = 30
        self.idle_hours = 12.0
        self.min_score = 0.25
        self.q_weight = 0.1
        self.suppressed_below = 0.15

    def set(self, config: str) -> None:
        """Take over the user's own file.

        Raises:
            ValueError: It is no TOML; nothing is shown until it is.
        """
        found = table(config)
        for key, (name, low, high) in _NUMBERS.items():
            value = found.get(key)
            if _fits(value, low, high, whole=isinstance(getattr(self, name), int)):
                setattr(self, name, value)
        if found.get("recall.injection.require_query_signal") is False:
            self.signal = False
        self._take_away(found)

    def narrow(self, root: str) -> None:
        """Take away what the repository's file takes away; one that is no TOML takes nothing."""
        try:
            found = table(f"{root}/.learnt/config.toml")
        except ValueError:
            return
        for key in _LOWERED:
            name, low, high = _NUMBERS[key]
            present = getattr(self, name)
            if _fits(found.get(key), low, min(high, present), whole=True):
                setattr(self, name, found[key])
        if found.get("recall.injection.require_query_signal") is True:
            self.signal = True
        self._take_away(found)

    def _take_away(self, found: dict[str, object]) -> None:
        if found.get("memory.enabled") is False:
            self.capture = self.inject = False
        if found.get("recall.injection.enabled") is False:
            self.inject = False
        if found.get("reflection.enabled") is False:
            self.reflect = False
        kinds = found.get("memory.exclude_kinds")
        if isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds):
            self.exclude_kinds |= frozenset(kinds)


def _fits(value: object, low: float, high: float, *, whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float) or (whole and not isinstance(value, int)):
        return False
    return low <= value <= high


def table(path: str) -> dict[str, object]:
    """`section.key` -> value of a configuration file; {} where there is none.

    Raises:
        ValueError: It is no TOML.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe in its place must not hold us
        try:
            text = os.read(handle, _FILE_BYTES).decode("utf-8")
        finally:
            os.close(handle)
    except OSError:
        return {}
    found = _lines(text)
    return _slowly(text) if found is None else found


def _lines(text: str) -> dict[str, object] | None:
    """The same of a text of plain lines; None when a line that matters holds anything else."""
    found: dict[str, object] = {}
    section = ""
    for line in text.splitlines():
        plain = line.strip()
        if not plain or plain.startswith("#"):
            continue
        if plain.startswith("["):
            section, mark, rest = plain[1:].partition("]")
            if not mark or (rest.strip() and not rest.strip().startswith("#")) or not _bare(section):
                return None
            continue
        key, equals, value = (part.strip() for part in plain.partition("="))
        if not equals or not _bare(key) or (not section and key.partition(".")[0] in _SECTIONS):
            return None
        known, read = _value(value)
        if not known:
            return None
        found[f"{section}.{key}"] = read
    return found


def _bare(name: str) -> bool:
    steps = name.split(".")
    return name.isascii() and all(step.replace("_", "a").replace("-", "a").isalnum() for step in steps)


def _value(text: str) -> tuple[bool, object]:
    """Whether this is a value of one plain form, and the value: a truth, a number, a text, a list of texts."""
    if text[:1] == '"' or text[:1] == "[":
        return _quoted(text)
    bare = text.partition("#")[0].strip()
    if bare in ("true", "false"):
        return True, bare == "true"
    whole, dot, part = bare.partition(".")
    if (
        not bare.isascii()
        or not whole.isdecimal()
        or (dot and not part.isdecimal())
        or (len(whole) > 1 and whole[0] == "0")
    ):
        return False, None
    return True, float(bare) if dot else int(bare)


def _quoted(text: str) -> tuple[bool, object]:
    if "\\" in text or "'" in text or '"""' in text:
        return False, None
    if text[0] == '"':
        inner, mark, rest = text[1:].partition('"')
        return bool(mark) and rest.strip()[:1] in ("", "#"), inner
    inner, mark, rest = text[1:].partition("]")
    pieces = inner.split('"')
    clean = all(piece.strip() in ("", ",") for piece in pieces[::2])
    return bool(mark) and clean and rest.strip()[:1] in ("", "#") and len(pieces) % 2 == 1, pieces[1::2]


def _slowly(text: str) -> dict[str, object]:
    import tomllib

    found: dict[str, object] = {}

    def flat(values: dict[str, object], path: str) -> None:
        for key, value in values.items():
            if isinstance(value, dict):
                flat(value, f"{path}{key}.")
            else:
                found[f"{path}{key}"] = value

    try:
        flat(tomllib.loads(text), "")
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the configuration is no TOML: {error}") from None
    return found
