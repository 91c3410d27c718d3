"""The file of orders: phrases and expressions that address the agent, compiled to patterns of the gate."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from learnt.errors import GateError
from learnt.gate.linear import broken
from learnt.gate.normal import fold
from learnt.gate.patterns import Pattern
from learnt.gate.phrase import bare, head, prose, spelt

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE: Final = Path(__file__).with_name("orders.toml")
_KEYS: Final = frozenset({"name", "phrase", "regex", "weight", "bare", "unless", "fold", "trigger"})


def load(path: Path = FILE) -> tuple[Pattern, ...]:
    """The orders of the file, in its order.

    Raises:
        GateError: The file is missing or wrong.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(_order(entry, table["words"]) for entry in table["order"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise broken(error, path.name) from error


def _order(entry: Mapping[str, Any], words: Mapping[str, str]) -> Pattern:
    if unknown := set(entry) - _KEYS:
        raise GateError(details={"reason": "unknown key", "keys": sorted(unknown)})
    phrase = spelt(entry["phrase"], words) if "phrase" in entry else ""
    regex = prose(phrase) if phrase else entry["regex"]
    if entry.get("fold"):
        regex = fold(regex)
    return Pattern(
        name=entry["name"],
        family="injection",
        trigger=f"(?i){entry['trigger']}" if "trigger" in entry else head(regex),
        regex=regex,
        weight=float(entry.get("weight", 1)),
        tight=bare(phrase) if phrase and entry.get("bare") else "",
        phrase=phrase,
        unless=f"(?i){entry['unless']}" if entry.get("unless") else "",
    )
