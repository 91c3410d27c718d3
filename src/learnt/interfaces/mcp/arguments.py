"""Arguments of a call held against the shape of its tool, before anything else sees them.

One rule: what the shape documents is taken, everything else is refused with the name of the argument. null stands for
an argument that was left out (clients with strict schemas send it). A list written as text, a number written as text
and an argument nobody knows are refused, not guessed at. Source: the shapes of `tools`, which is all of JSON Schema
that is needed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.interfaces.mcp.tools import Tool

MOST_ITEMS: Final = 50
"""Longest list that is taken."""
MOST_CHARS: Final = 2_000
"""Longest text that is taken where the shape names no other limit."""

_WORDS: Final = {
    "string": "a text",
    "integer": "a whole number",
    "array": "a list",
    "object": "an object",
}


def checked(tool: Tool, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments of a call, without those left out.

    Raises:
        UsageError: `arguments`: one is unknown, missing, or not of its shape; `details.argument` names it.
    """
    return _object(tool.name, tool.input_schema, dict(given or {}))


def _object(name: str, shape: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    known = shape["properties"]
    for key in given:
        if key not in known:
            raise _refusal(name, str(key), f"takes no {str(key)[:60]!r}", f"It takes {', '.join(known)}.")
    present = {key: value for key, value in given.items() if value is not None}
    for key in shape["required"]:
        if key not in present:
            raise _refusal(name, key, f"needs {key!r}", f"{key} is {_wanted(known[key])}.")
    return {key: _value(name, key, known[key], value) for key, value in present.items()}


def _value(name: str, key: str, shape: Mapping[str, Any], given: Any) -> Any:
    match shape["type"], given:
        case "string", str() if len(given) <= shape.get("maxLength", MOST_CHARS) and _listed(shape, given):
            return given
        case "integer", int() | float() if _whole(given) and shape["minimum"] <= given <= shape["maximum"]:
            return int(given)
        case "array", list() if len(given) <= shape.get("maxItems", MOST_ITEMS):
            return [_value(name, key, shape["items"], each) for each in given]
        case "object", dict():
            return _object(f"{name}, {key}", shape, given)
    raise _refusal(name, key, f"does not take this {key!r}", f"{key} is {_wanted(shape)}.")


def _whole(given: float) -> bool:
    return not isinstance(given, bool) and (isinstance(given, int) or given.is_integer())


def _listed(shape: Mapping[str, Any], given: str) -> bool:
    return given in shape.get("enum", (given,))


def _wanted(shape: Mapping[str, Any]) -> str:
    if "enum" in shape:
        return "one of " + ", ".join(shape["enum"])
    wanted = _WORDS[shape["type"]]
    if shape["type"] == "string":
        return f"{wanted} of at most {shape.get('maxLength', MOST_CHARS):,} characters"
    if shape["type"] == "integer":
        return f"{wanted} from {shape['minimum']} to {shape['maximum']}"
    if shape["type"] == "array":
        return f"{wanted} of at most {shape.get('maxItems', MOST_ITEMS)}, each {_wanted(shape['items'])}"
    return wanted


def _refusal(name: str, key: str, what: str, hint: str) -> UsageError:
    return UsageError(f"{name} {what}.", code="arguments", hint=hint, details={"argument": key[:60]})
