"""What the settings allow here: recorded by `learnt init` in the store, narrowed by the repository's own file.

The user's `config.toml` is not read by a hook: its values are rows of `_meta`, which every command refreshes. A
repository's `.learnt/config.toml` is read, because a clone brings it; its usual lines are understood here, anything
else is left to `tomllib`.
"""

from __future__ import annotations

PREFIX = "hook."
ALL = "hook.all"
"""Set by `learnt init`: capture and injection for all repositories of this user."""

_FILE_BYTES = 64 * 1024
_NARROWED = {
    "recall.injection.max_items": "max_items",
    "recall.injection.budget_tokens": "budget_tokens",
    "sessions.summary_tokens": "summary_tokens",
}


def repository_row(repository_id: str) -> str:
    """The row that `learnt init --shared` sets to "1": capture and injection for this repository."""
    return f"hook.on.{repository_id}"


class Limits:
    """The numbers and switches of automatic injection.

    Attributes:
        capture: Whether sessions are read at their end. `inject`: whether anything is shown.
    """

    __slots__ = (
        "budget_tokens",
        "capture",
        "exclude_kinds",
        "inject",
        "max_items",
        "min_score",
        "q_weight",
        "summary_tokens",
        "suppressed_below",
    )

    def __init__(self, rows: dict[str, str], repository_id: str) -> None:
        on = rows.get(ALL) == "1" or rows.get(repository_row(repository_id)) == "1"
        enabled = on and rows.get("hook.enabled", "1") == "1"
        self.capture = enabled
        self.inject = enabled and rows.get("hook.inject", "1") == "1"
        self.max_items = _number(rows.get("hook.max_items"), 6)
        self.budget_tokens = _number(rows.get("hook.budget_tokens"), 1000)
        self.summary_tokens = _number(rows.get("hook.summary_tokens"), 5000)
        self.min_score = float(rows.get("hook.min_score") or 0.25)
        self.q_weight = float(rows.get("hook.q_weight") or 0.1)
        self.suppressed_below = float(rows.get("hook.suppressed_below") or 0.15)
        self.exclude_kinds = frozenset(rows.get("hook.exclude_kinds", "").split())

    def narrow(self, root: str) -> None:
        """Take away what the repository's file takes away; it can give nothing."""
        try:
            with open(f"{root}/.learnt/config.toml", "rb") as file:
                text = file.read(_FILE_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return
        found = _lines(text)
        if found is None:
            found = _slowly(text)
        if found.get("memory.enabled") is False:
            self.capture = self.inject = False
        if found.get("recall.injection.enabled") is False:
            self.inject = False
        for key, name in _NARROWED.items():
            value = found.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                setattr(self, name, min(value, getattr(self, name)))
        kinds = found.get("memory.exclude_kinds")
        if isinstance(kinds, list):
            self.exclude_kinds |= {kind for kind in kinds if isinstance(kind, str)}


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() else default


def _lines(text: str) -> dict[str, object] | None:
    """Section.key -> value of a file of plain `key = true|false|NUMBER` lines; None when it holds anything else."""
    found: dict[str, object] = {}
    section = ""
    for line in text.splitlines():
        plain = line.strip()
        if not plain or plain.startswith("#"):
            continue
        if plain.startswith("[") and plain.endswith("]") and plain[1:-1].replace(".", "").replace("_", "").isalnum():
            section = plain[1:-1]
            continue
        key, equals, value = (part.strip() for part in plain.partition("="))
        value = value.partition("#")[0].strip()
        if not equals or not key.replace("_", "").isalnum():
            return None
        if value in ("true", "false"):
            found[f"{section}.{key}"] = value == "true"
        elif value.isdecimal() and value.isascii():
            found[f"{section}.{key}"] = int(value)
        else:
            return None
    return found


def _slowly(text: str) -> dict[str, object]:
    """The same by `tomllib`; {} for a file that is no TOML, as every command has it."""
    import tomllib

    def flat(table: dict[str, object], path: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                flat(value, f"{path}{key}.")
            else:
                found[f"{path}{key}"] = value

    found: dict[str, object] = {}
    try:
        flat(tomllib.loads(text), "")
    except tomllib.TOMLDecodeError:
        return {}
    return found


def recorded(
    *,
    enabled: bool,
    inject: bool,
    max_items: int,
    budget_tokens: int,
    summary_tokens: int,
    min_score: float,
    q_weight: float,
    suppressed_below: float,
    exclude_kinds: tuple[str, ...] = (),
) -> dict[str, str]:
    """The `_meta` rows for the user's settings; `init` and every command that finds them changed write them."""
    return {
        "hook.enabled": "1" if enabled else "0",
        "hook.inject": "1" if inject else "0",
        "hook.max_items": str(max_items),
        "hook.budget_tokens": str(budget_tokens),
        "hook.summary_tokens": str(summary_tokens),
        "hook.min_score": repr(min_score),
        "hook.q_weight": repr(q_weight),
        "hook.suppressed_below": repr(suppressed_below),
        "hook.exclude_kinds": " ".join(exclude_kinds),
    }
