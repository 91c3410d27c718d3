"""What agents are told over the Model Context Protocol: the documents of the other faces, safe and small.

The same keys as the command line's documents, less what only a person looks at. Every text that comes from a memory, a
transcript or a model is escaped as in the block that hooks inject, cut at a length, and the whole stays far below what
a client shows without spilling it into a file. Source: contract, MCP; swarm-memory seed, tool results.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from learnt.inject.block import clipped, visible
from learnt.wire import answer, memory
from learnt.wire import search as searching

if TYPE_CHECKING:
    from learnt.errors import LearntError
    from learnt.flows.read import Explanation
    from learnt.flows.skills import Held
    from learnt.model.answer import Proposed, Refusal
    from learnt.model.outcome import Recorded
    from learnt.model.ranking import Ranking
    from learnt.model.search import SearchAnswer

Json = dict[str, Any]

MOST_CHARS: Final = 24_000
"""Longest answer as JSON, about 8,000 tokens; clients warn from 10,000 and spill from 25,000."""
QUOTE_CHARS: Final = 1_000
"""Longest text of one hit, quote or rationale."""
MEMORY_CHARS: Final = 2_000
SKILL_CHARS: Final = 16_000
MOST_EVENTS, MOST_EVIDENCE = 10, 10

DISABLED: Final[Json] = {
    "success": False,
    "disabled": True,
    "message": "Memory is disabled for this repository ([memory] enabled = false); nothing was read or written.",
}

_KEPT = ("id", "kind", "scope", "text", "score", "confidence", "trust", "age_days", "labels", "reason", "related_to")
_MEMORY = (
    *("id", "kind", "scope", "text", "rationale", "tags", "files", "symbols", "confidence", "trust", "status"),
    *("q_value", "created_at", "updated_at", "valid_from", "expires_at", "superseded_by", "supersedes_reason"),
)
_EVENT = ("id", "operation", "reason", "timestamp")
_WITHHELD = frozenset({"quarantined", "deleted"})
"""What no recall gives an agent, it is not shown by its id either."""


def recalled(value: Ranking) -> Json:
    """A recall."""
    whole = answer.ranking(value)
    items = [_item(each) for each in whole["items"]]
    told = {
        "bundle_id": value.bundle_id,
        "memory_ids": [each["id"] for each in items],
        "total": value.total,
        "token_estimate": value.token_estimate,
        "items": items,
        "skip_reason": value.skip_reason,
        "diagnostics": {"arms": whole["diagnostics"].get("arms", {})},
    }
    return _bounded({"success": True, **safe(told, MEMORY_CHARS), "prompt_block": value.prompt_block}, "items")


def _item(value: Json) -> Json:
    signals = {name: round(each, 2) for name, each in value["signals"].items() if each}
    return {name: value[name] for name in _KEPT} | {"signals": signals}


def proposed(value: Proposed) -> Json:
    """A stored proposal; one that was rejected for a secret is no success."""
    asked = value.proposal
    told = {
        "proposal_id": asked.id,
        "status": asked.status,
        "operation": asked.operation,
        "memory_id": asked.target_id or None,
        "rejection_reason": asked.rejection_reason or None,
        "existing": value.existing,
        "event": value.event or None,
        "message": _said(value),
    }
    return {"success": asked.status != "rejected", **safe(told)}


def _said(value: Proposed) -> str:
    if value.proposal.status == "rejected":
        return "It was refused and kept only redacted. Propose it again without what the reason names."
    if value.existing:
        return "The same proposal waits already."
    return "It waits for a person (learnt pending) and is no memory until it is accepted."


def outcome(value: Recorded) -> Json:
    """A recorded outcome, and whether the digest of outcomes is up to date by now."""
    told = {
        "outcome_id": value.outcome.id,
        "memory_id": value.memory.id,
        "outcome": value.outcome.result,
        "reflection_updated": value.reflected,
        "reflection_error": value.fault or None,
        "existing": value.existing,
        "event": value.event or None,
    }
    return {"success": True, **safe(told)}


def searched(value: SearchAnswer) -> Json:
    """A search."""
    whole = searching.answer(value)
    hits = [{name: each[name] for name in ("id", "type", "text", "score", "source")} for each in whole["hits"]]
    kept = ("arms", "reason")
    diagnostics = {name: whole["diagnostics"][name] for name in kept if name in whole["diagnostics"]}
    told = {"hits": [each | {"source": _known(each["source"])} for each in hits], "diagnostics": diagnostics}
    return _bounded({"success": True, "total": len(hits), **safe(told)}, "hits")


def _known(value: Json) -> Json:
    """A source without what is not known of it."""
    return {name: each for name, each in value.items() if each not in (None, "", [])}


def explained(value: Explanation) -> Json:
    """Where a memory came from."""
    whole = memory.explanation(value)
    if value.memory.status in _WITHHELD:
        whole["memory"] |= {"text": "", "rationale": "", "tags": []}
        whole["evidence"] = []
    told = {
        "memory": safe({name: whole["memory"][name] for name in _MEMORY}, MEMORY_CHARS),
        "evidence": safe([_known(each) for each in whole["evidence"][:MOST_EVIDENCE]]),
        "merged_from": whole["merged_from"],
        "replaced": whole["replaced"],
        "replaced_by": whole["replaced_by"],
        "events": safe([{name: each[name] for name in _EVENT} for each in whole["events"][-MOST_EVENTS:]]),
        "recalls": value.recalls,
        "belief": value.belief,
    }
    return _bounded({"success": True, **told}, "evidence")


def skill(value: Held) -> Json:
    """What a skill says; it was made from sessions, so it is data like them."""
    told = {"name": value.name, "text": value.text, "files": list(value.files), "edited": value.edited}
    return {"success": True, "skill": safe(told, SKILL_CHARS)}


def refused(value: Refusal) -> Json:
    """A refusal, in the command line's shape."""
    return {"success": False, **safe(answer.refused(value))}


def raised(value: LearntError) -> Json:
    """An error, in the command line's shape."""
    return {"success": False, **safe(answer.raised(value))}


def safe(value: Any, most_chars: int = QUOTE_CHARS) -> Any:
    """A document with every text cut, made visible, and escaped as in the block of recalled memories."""
    match value:
        case str():
            return "\n".join(visible(line) for line in clipped(value, most_chars).splitlines())
        case dict():
            return {str(name): safe(each, most_chars) for name, each in value.items()}
        case list() | tuple():
            return [safe(each, most_chars) for each in value]
        case _:
            return value


def _bounded(document: Json, part: str) -> Json:
    """The document, its list `part` cut from the end until the whole fits; `truncated` says whether it was."""
    rows = list(document[part])
    while rows and len(json.dumps({**document, part: rows}, ensure_ascii=False)) > MOST_CHARS:
        rows.pop()
    return {**document, part: rows, "truncated": len(rows) < len(document[part])}
