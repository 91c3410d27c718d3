"""The shapes of a member of either array: strict, so that a key nobody knows is a mistake and not a hope.

Source of the keys: swarm-memory seed, proposal and curator decisions. The snake_case names of the agents' own tool are
taken beside them. What is wrong is told by a code and words of ours: a member's own words are never repeated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from learnt.govern.reference import MAX_REFERENCE, MAX_REFERENCES
from learnt.govern.rules import MAX_TAG, MAX_TAGS, MAX_TEXT
from learnt.model.intake import Ruled
from learnt.model.keys import SCOPE_FIELDS, scope_key
from learnt.model.kinds import KINDS, OPERATIONS, PROMOTABLE_KINDS, SCOPE_TYPES
from learnt.model.problem import Problem
from learnt.model.request import ProposalRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Check = Callable[[Any], bool]
    Shape = Mapping[str, Check]

_MEMORY_ID: Final = re.compile(r"mem_[0-9a-f]{16}")
_PROPOSAL_ID: Final = re.compile(r"prop_[0-9a-f]{16}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
MIN_MERGED, MAX_MERGED = 2, 8


def _text(most: int, least: int = 1) -> Check:
    return lambda value: isinstance(value, str) and least <= len(value.strip()) and len(value) <= most


def _named(pattern: re.Pattern[str]) -> Check:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _listed(each: Check, most: int, least: int = 0) -> Check:
    def fits(value: Any) -> bool:
        return isinstance(value, list) and least <= len(value) <= most and all(each(one) for one in value)

    return fits


def _one_of(values: tuple[str, ...]) -> Check:
    return lambda value: isinstance(value, str) and value in values


def _grade(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _merged(value: Any) -> bool:
    return _listed(_named(_MEMORY_ID), MAX_MERGED, MIN_MERGED)(value) and len(set(value)) == len(value)


def _scope(value: Any) -> bool:
    """A type alone, or an object of a type and ids."""
    if isinstance(value, str):
        return value in SCOPE_TYPES
    if not isinstance(value, dict) or value.get("type") not in SCOPE_TYPES or value.keys() - {"type", *SCOPE_FIELDS}:
        return False
    return all(_text(500, 0)(each) for each in value.values())


_ALIASES: Final = {
    "evidence": "evidenceRefs",
    "evidence_refs": "evidenceRefs",
    "target_id": "targetMemoryId",
    "related_ids": "relatedMemoryIds",
}
_PROPOSAL: Final[Shape] = {
    "operation": _one_of(OPERATIONS),
    "kind": _one_of(KINDS),
    "text": _text(MAX_TEXT),
    "rationale": _text(MAX_TEXT),
    "evidenceRefs": _listed(_text(MAX_REFERENCE), MAX_REFERENCES),
    "tags": _listed(_text(MAX_TAG), MAX_TAGS),
    "confidence": _grade,
    "targetMemoryId": _named(_MEMORY_ID),
    "relatedMemoryIds": _merged,
}
_MEMORY: Final[Shape] = {
    "kind": _one_of(KINDS),
    "text": _text(MAX_TEXT),
    "tags": _listed(_text(MAX_TAG), MAX_TAGS),
    "confidence": _grade,
    "stability": _one_of(("durable",)),
    "scope": _scope,
    "id": _named(_MEMORY_ID),
    "contentHash": _named(_HASH),
}
_PATCH: Final[Shape] = {name: _MEMORY[name] for name in ("kind", "text", "tags", "confidence")}
_HEAD: Final[Shape] = {"action": lambda _: True, "proposalId": _named(_PROPOSAL_ID), "reason": _text(MAX_TEXT)}


def _object(shape: Shape, *needed: str) -> Check:
    return lambda value: isinstance(value, dict) and bool(value) and _wrong(value, shape, needed) is None


_DECISIONS: Final[dict[str, tuple[Shape, tuple[str, ...]]]] = {
    "add": ({**_HEAD, "memory": _object(_MEMORY, "kind", "text")}, ("memory",)),
    "update": (
        {**_HEAD, "targetMemoryId": _named(_MEMORY_ID), "patch": _object(_PATCH)},
        ("targetMemoryId", "patch", "reason"),
    ),
    "supersede": (
        {**_HEAD, "oldMemoryId": _named(_MEMORY_ID), "replacement": _object(_MEMORY, "kind", "text")},
        ("oldMemoryId", "replacement", "reason"),
    ),
    "merge": ({**_HEAD, "relatedMemoryIds": _merged}, ("reason",)),
    "reject": (_HEAD, ("reason",)),
    "noop": (_HEAD, ("reason",)),
}
"""What each action may hold, and what it must. Source: swarm-memory seed, curator decisions."""


def _wrong(value: Mapping[str, Any], shape: Shape, needed: tuple[str, ...]) -> Problem | None:
    """The first thing wrong with an object; keys of ours may be named, another's may not."""
    if any(key not in shape for key in value):
        return Problem("unknown_key", "It holds a key that is none of this shape.")
    if missing := next((key for key in needed if key not in value), ""):
        return Problem("missing_key", f"{missing} is missing.")
    if broken := next((key for key, each in value.items() if not shape[key](each)), ""):
        return Problem("invalid_value", f"{broken} is not what it must be.")
    return None


def request(value: Any) -> ProposalRequest | Problem:
    """What a member of `memoryProposals` asks for, or why it cannot be used."""
    if not isinstance(value, dict):
        return Problem("no_object", "It is no object.")
    given: dict[str, Any] = {_ALIASES.get(str(key), str(key)): each for key, each in value.items()}
    if len(given) != len(value):
        return Problem("repeated_key", "It says one thing under two names.")
    given = {key: each for key, each in given.items() if each is not None or key not in _PROPOSAL}
    if problem := _wrong(given, _PROPOSAL, ("operation",)):
        return problem
    if given["operation"] in {"add", "supersede"} and given.get("kind") in PROMOTABLE_KINDS and not _supported(given):
        return Problem("evidence_required", "A durable kind needs at least one evidence reference.")
    return ProposalRequest(
        operation=given["operation"],
        text=given.get("text", ""),
        kind=given.get("kind"),
        target_id=given.get("targetMemoryId", ""),
        related=tuple(given.get("relatedMemoryIds", ())),
        rationale=given.get("rationale", ""),
        evidence=tuple(given.get("evidenceRefs", ())),
        tags=tuple(given.get("tags", ())),
        confidence=given.get("confidence"),
    )


def _supported(given: Mapping[str, Any]) -> bool:
    return bool(given.get("evidenceRefs"))


def ruling(value: Any) -> Ruled | Problem:
    """What a member of `curatorMemoryDecisions` decides, or why it cannot be used."""
    if not isinstance(value, dict):
        return Problem("no_object", "It is no object.")
    action = value.get("action")
    if not isinstance(action, str) or action not in _DECISIONS:
        return Problem("action", f"action is one of {', '.join(_DECISIONS)}.")
    shape, needed = _DECISIONS[action]
    if problem := _wrong(value, shape, ("proposalId", *needed)):
        return problem
    written = cast("dict[str, Any]", value.get("memory") or value.get("patch") or value.get("replacement") or {})
    return Ruled(
        proposal_id=value["proposalId"],
        action=cast("Any", action),
        reason=value.get("reason", ""),
        target_id=value.get("targetMemoryId", "") or value.get("oldMemoryId", ""),
        related=tuple(value.get("relatedMemoryIds", ())),
        text=written.get("text"),
        kind=written.get("kind"),
        confidence=written.get("confidence"),
        tags=tuple(written["tags"]) if "tags" in written else None,
        memory_id=_identity(written),
        **_scoped(written.get("scope")),
    )


def _identity(written: Mapping[str, Any]) -> str:
    """The id the memory is said to have; one that its hash contradicts is no id at all."""
    named, digest = written.get("id", ""), written.get("contentHash", "")
    if named and digest and named != f"mem_{digest[:16]}":
        return "mem_"
    return str(named or (f"mem_{digest[:16]}" if digest else ""))


def _scoped(value: Any) -> dict[str, str]:
    if isinstance(value, str):
        return {"scope_type": value}
    if isinstance(value, dict):
        return {"scope_key": scope_key(value["type"], [(k, v) for k, v in value.items() if k != "type"])}
    return {}
