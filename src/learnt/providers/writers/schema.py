"""A strict check of the part of JSON Schema that tasks use, so that no provider's word for it is taken."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
_KNOWN: Final = frozenset(
    {
        *("type", "enum", "const", "properties", "required", "additionalProperties", "items", "anyOf", "description"),
        *("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "title"),
    }
)
_UNSENT: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
"""What strict modes of providers refuse (OpenAI, Anthropic); it is checked here all the same."""


def fault(schema: Mapping[str, Any], value: Any, path: str = "$") -> str:
    """What is wrong with a value, by its place in the schema; "" when it meets that. Nothing of the value is told.

    Raises:
        ValueError: The schema uses a word that is not checked here.
    """
    if unknown := set(schema) - _KNOWN:
        raise ValueError(f"schema words that are not checked: {', '.join(sorted(unknown))}")
    if "anyOf" in schema:
        found = [fault(each, value, path) for each in schema["anyOf"]]
        return "" if "" in found else found[0]
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_TYPES[name](value) for name in types):
        return f"{path} must be {' or '.join(types)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path} must be one of {json.dumps(schema['enum'])}"
    if "const" in schema and value != schema["const"]:
        return f"{path} must be {json.dumps(schema['const'])}"
    return _bounds(schema, value, path) or _inside(schema, value, path)


def _bounds(schema: Mapping[str, Any], value: Any, path: str) -> str:
    if isinstance(value, str | list):
        low, high = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
        if not schema.get(low, 0) <= len(value) <= schema.get(high, len(value)):
            return f"{path} is too long or too short"
    elif isinstance(value, int | float) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{path} is out of range"
    return ""


def _inside(schema: Mapping[str, Any], value: Any, path: str) -> str:
    if isinstance(value, list) and "items" in schema:
        faults = (fault(schema["items"], each, f"{path}[{place}]") for place, each in enumerate(value))
        return next(filter(None, faults), "")
    if not isinstance(value, dict):
        return ""
    properties = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{path} lacks {missing[0]!r}"
    if schema.get("additionalProperties") is False and set(value) - set(properties):
        return f"{path} has a property that the schema does not know"
    faults = (fault(each, value[name], f"{path}.{name}") for name, each in properties.items() if name in value)
    return next(filter(None, faults), "")


def sendable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without bounds that strict modes refuse."""
    kept = {name: held for name, held in schema.items() if name not in _UNSENT}
    if "properties" in kept:
        kept["properties"] = {name: sendable(each) for name, each in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = sendable(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [sendable(each) for each in kept["anyOf"]]
    return kept
