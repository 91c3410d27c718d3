"""The table `[models]` of a person's configuration: which models there are, what they may cost, where they write."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, get_args

from learnt.model.ledger import NANOS, WINDOWS, Cap, Prices
from learnt.model.writer import CHAINS, USUAL, ModelRole, NamedModel, Provider, WriterChoice
from learnt.settings import Ignored

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLES: Final = ("named", "roles", "repositories", "caps")
"""The parts of `[models]` that are no settings of one value; a repository's file cannot say any of them."""

PURPOSES: Final = tuple(CHAINS)
_PROVIDERS: Final[tuple[str, ...]] = get_args(Provider)
_ROLES: Final[tuple[str, ...]] = get_args(ModelRole)
_EFFORTS: Final = ("low", "medium", "high")
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,40}")
_PLAIN: Final = {each.name for each in fields(NamedModel)} - {"name", "prices"}
_NUMBERS: Final = {"context_tokens": (0, 10_000_000), "max_output_tokens": (0, 1_000_000), "timeout_ms": (100, 600_000)}
_PRICES: Final = ("input_usd", "output_usd")
_UNITS: Final[dict[str, int]] = {"usd": NANOS, "tokens": 1}


def split(table: dict[str, Any], place: str) -> tuple[WriterChoice, tuple[Ignored, ...]]:
    """What a person's file says of models, taken out of `table`, and which of it has no effect.

    Args:
        place: Which repository it is asked for.
    """
    held = table.get("models")
    if not isinstance(held, dict):
        return WriterChoice(), ()
    parts = {name: held.pop(name, {}) for name in TABLES}
    wrong = [Ignored(f"models.{name}", "must be a table") for name in TABLES if not isinstance(parts[name], dict)]
    named, roles, places, caps = (parts[name] if isinstance(parts[name], dict) else {} for name in TABLES)
    models = _models(named, wrong)
    known = {each.name for each in models}
    choice = WriterChoice(
        models=models,
        roles=_roles(roles, known, wrong),
        purposes=_purposes(places, place, wrong),
        caps=_caps(caps, wrong),
    )
    return choice, tuple(wrong)


def _models(named: Mapping[str, Any], wrong: list[Ignored]) -> tuple[NamedModel, ...]:
    found = []
    for name, table in named.items():
        why = _fault(name, table)
        if why:
            wrong.append(Ignored(f"models.named.{name[:40]}", why))
            continue
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
        }
        prices = Prices(**{key: float(given.pop(key)) for key in _PRICES if key in given})
        model = given.pop("model", "") or USUAL[given["provider"]]
        found.append(NamedModel(name=name, model=model, prices=prices, **given))
    return tuple(found)


def _fault(name: str, table: Any) -> str:
    """Why an entry names no model; "" when it does. What it holds is not repeated: it may be a key."""
    if not _NAME.fullmatch(name):
        return "a model's name has letters, digits, `.`, `_` and `-`"
    if not isinstance(table, dict):
        return "must be a table"
    if "key" in table or "api_key" in table:
        return "a key does not belong in this file: name `key_variable` or `key_file`"
    if unknown := [key for key in table if key not in _PLAIN and key not in _PRICES]:
        return f"there is no such setting: {unknown[0][:40]}"
    if table.get("provider") not in _PROVIDERS:
        return f"`provider` must be one of {', '.join(_PROVIDERS)}"
    faults = (_value_fault(key, value) for key, value in table.items())
    needs_model = table["provider"] not in USUAL
    return next(filter(None, faults), "" if table.get("model") or not needs_model else "`model` is missing")


def _value_fault(key: str, value: Any) -> str:
    if key in _PRICES:
        right = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e6
        return "" if right else f"`{key}` must be dollars for a million tokens"
    if key in _NUMBERS:
        low, high = _NUMBERS[key]
        right = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if right else f"`{key}` must be a whole number from {low} to {high}"
    if key == "variables":
        right = isinstance(value, list) and all(isinstance(each, str) for each in value)
        return "" if right else "`variables` must be a list of names"
    if key == "effort" and value not in _EFFORTS:
        return f"`effort` must be one of {', '.join(_EFFORTS)}"
    return "" if isinstance(value, str) else f"`{key}` must be a text"


def _roles(table: Mapping[str, Any], known: set[str], wrong: list[Ignored]) -> dict[str, str]:
    roles = {role: name for role, name in table.items() if role in _ROLES and name in known}
    wrong.extend(
        Ignored(f"models.roles.{role[:40]}", f"must be one of {', '.join(_ROLES)}, and name a model of [models.named]")
        for role in table
        if role not in roles
    )
    return roles


def _purposes(table: Mapping[str, Any], place: str, wrong: list[Ignored]) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    for key, value in table.items():
        given = [*PURPOSES] if value is True else [] if value is False else value
        if not isinstance(given, list) or any(each not in PURPOSES for each in given):
            why = f"must be true, or a list of {', '.join(PURPOSES)}"
            wrong.append(Ignored(f"models.repositories.{key[:200]}", why))
        elif key == place:
            found = tuple(given)
    return found


def _caps(table: Mapping[str, Any], wrong: list[Ignored]) -> tuple[Cap, ...]:
    names = {f"{window}_{unit}": (window, unit) for window in WINDOWS for unit in _UNITS}
    caps = []
    for key, value in table.items():
        whole = key.endswith("_tokens")
        right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if key not in names:
            wrong.append(Ignored(f"models.caps.{key[:40]}", "there is no such setting"))
        elif not right or not 0 <= value <= 1e12:
            wrong.append(Ignored(f"models.caps.{key}", "must be a whole number" if whole else "must be a number"))
        else:
            window, unit = names[key]
            caps.append(Cap(window, "tokens" if whole else "usd", round(value * _UNITS[unit])))
    return tuple(caps)
