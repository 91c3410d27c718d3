"""The write-time rules, in their order. Source: swarm-memory seed, write-time validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.instant import plus_days, to_epoch
from learnt.model.keys import collapse, memory_id
from learnt.model.kinds import EVIDENCE_REQUIRED_KINDS, KINDS, PROMOTABLE_KINDS, SCOPE_TYPES
from learnt.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from learnt.model.memory import Memory

MAX_TEXT = 2000
"""Characters of a memory's text (seed)."""
MAX_PROMOTED = 500
"""Characters of a text that a decision promotes (seed, "concise facts")."""
MAX_TAGS, MAX_TAG = 32, 64
SCRATCH_DAYS = 7
_GRACE_S = 0.0005


def broken(memory: Memory) -> Problem | None:
    """The first rule `memory` breaks, or None."""
    return next((problem for rule in _RULES if (problem := rule(memory))), None)


def _shape(memory: Memory) -> Problem | None:
    """Rule 1: the schema."""
    if memory.kind not in KINDS:
        return Problem("kind", f"There is no kind {memory.kind!r}. Kinds: {', '.join(KINDS)}.")
    if memory.scope.type not in SCOPE_TYPES:
        return Problem("scope", f"There is no scope type {memory.scope.type!r}.")
    if not memory.text.strip():
        return Problem("empty", "The text is empty.")
    if len(memory.text) > MAX_TEXT:
        return Problem("text_too_long", f"A memory is at most {MAX_TEXT} characters; this one has {len(memory.text)}.")
    if len(memory.rationale) > MAX_TEXT:
        return Problem("rationale_too_long", f"A rationale is at most {MAX_TEXT} characters.")
    return _grades(memory) or _tags(memory)


def _grades(memory: Memory) -> Problem | None:
    for name, value in (("confidence", memory.confidence), ("q_value", memory.q_value)):
        if not 0 <= value <= 1:
            return Problem(name, f"{name} must be between 0 and 1.")
    if memory.expires_at is not None and memory.expires_at <= memory.valid_from:
        return Problem("expires_at", "The memory would expire before it begins to hold.")
    return None


def _tags(memory: Memory) -> Problem | None:
    return ill_tagged(memory.tags)


def ill_tagged(tags: Sequence[str]) -> Problem | None:
    """What is wrong with tags as somebody gave them: nothing of what a person asks for is left out in silence."""
    if len(tags) > MAX_TAGS:
        return Problem("too_many_tags", f"At most {MAX_TAGS} tags.")
    if any(not 1 <= len(tag) <= MAX_TAG for tag in tags):
        return Problem("tag", f"A tag has 1 to {MAX_TAG} characters.")
    return None


def _identity(memory: Memory) -> Problem | None:
    """Rule 3: the id is that of the content."""
    if memory.id != memory_id(memory.scope.key, memory.kind, memory.text):
        return Problem("identity", "The id is not that of this text, kind and scope.")
    return None


def _scope(memory: Memory) -> Problem | None:
    """Rule 4: what lasts cannot belong to something that ends."""
    if memory.stability == "durable" and memory.scope.type in {"run", "agent"}:
        return Problem("durable_scope", "A durable memory cannot be run or agent scoped.")
    return None


def _evidence(memory: Memory) -> Problem | None:
    """Rules 5 and 6: what lasts, and what claims to be evidence, needs a source."""
    durable = memory.kind in PROMOTABLE_KINDS or memory.kind in EVIDENCE_REQUIRED_KINDS
    needed = memory.kind in EVIDENCE_REQUIRED_KINDS or (memory.stability == "durable" and durable)
    if needed and not memory.source.has_evidence:
        return Problem("evidence_required", f"A {memory.kind} needs source evidence: a file, commit, URL or reference.")
    return None


def _expiry(memory: Memory) -> Problem | None:
    """Rule 7: scratch ends within a week."""
    if memory.kind != "scratch":
        return None
    if memory.expires_at is None:
        return Problem("expires_at", "A scratch memory needs an expiry.")
    limit = plus_days(memory.created_at, SCRATCH_DAYS)
    if to_epoch(memory.expires_at) > to_epoch(limit) + _GRACE_S:
        return Problem("expires_at", f"A scratch memory expires within {SCRATCH_DAYS} days.")
    return None


def concise(text: str) -> Problem | None:
    """Whether a text may be promoted: at most 500 characters after white space is collapsed (seed)."""
    if len(collapse(text)) > MAX_PROMOTED:
        return Problem("not_concise", f"Only concise facts are promoted: at most {MAX_PROMOTED} characters.")
    return None


_RULES: tuple[Callable[[Memory], Problem | None], ...] = (_shape, _identity, _scope, _evidence, _expiry)
"""Rule 2 (sentinel) and rules 8 and 9 (secrets, personal data) are the gate's."""
