"""What all outcomes of a repository come to, in files that are made from rows; and what a session is told of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnt.errors import LearntError, StoreError
from learnt.flows.fresh import Looks
from learnt.gate.clearance import PATTERN_SET
from learnt.inject.reflection import GROUPS, chosen, render
from learnt.learn import lessons
from learnt.learn.reflection import MOST_BYTES, MOST_MEMORIES, Terms, Told, reflection
from learnt.model.keys import bundle_id, collapse
from learnt.model.scope import Sight
from learnt.stale.whole import folded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.flows.means import Means
    from learnt.inject.reflection import Row
    from learnt.model.memory import Memory
    from learnt.model.outcome import Recorded, Spot
    from learnt.model.reflection import Reflection

FOLDER = "reflections"
_LASTING = frozenset({"global_user", "workspace", "project", "repository"})
"""Scopes whose memories a digest is made of: what one run or agent holds is not for the next session."""

_MOST_ROWS = 100
_AGAIN = 10
"""How often a digest is made anew when outcomes came in meanwhile: whoever wrote last has seen them all."""


def reflect(means: Means, kept: Recorded, now: str) -> Recorded:
    """The answer to an outcome, after the digest was made anew; a digest that failed takes nothing back."""
    if not _wanted(means):
        return kept
    try:
        _write(means, now, kept)
    except LearntError as error:
        return replace(kept, reflected=False, fault=error.message)
    return replace(kept, reflected=True)


def refresh(means: Means) -> bool:
    """Make the digest anew where there is anything to tell, or one to correct; whether it was made. Never fails.

    What left, was retired, or whose code is gone stands in no digest for long.
    """
    if not _wanted(means):
        return False
    try:
        now = means.clock.now()
        if not means.store.outcomes.told(_sight(means), now, MOST_MEMORIES)[1] and not _held(means):
            return False
        _write(means, now)
    except LearntError:
        return False
    return True


def purge(means: Means) -> None:
    """Make the digest anew because something was forgotten; where that cannot be, its files are removed.

    Raises:
        ArtifactError: Neither can be done: what was forgotten is still in a file.
    """
    if means.artifacts is not None and not refresh(means):
        for file in (lessons.JSON, lessons.MARKDOWN):
            means.artifacts.remove(_name(means, file))


def _wanted(means: Means) -> bool:
    return means.settings.memory.enabled and means.settings.reflection.enabled and means.artifacts is not None


def _held(means: Means) -> bytes | None:
    return means.artifacts.read(_name(means, lessons.JSON), lessons.MAX_BYTES) if means.artifacts else None


def _name(means: Means, file: str) -> str:
    return f"{FOLDER}/{means.identity.repository_id}/{file}"


def _sight(means: Means) -> Sight:
    return Sight(tuple(scope for scope in means.context.sight if scope.type in _LASTING))


def _write(means: Means, now: str, kept: Recorded | None = None) -> None:
    """Both files, from the rows as they are; once more when other outcomes came in while they were written."""
    if means.artifacts is None:
        return
    for _ in range(_AGAIN):
        made, seen = digest(means, now, kept)
        means.artifacts.write(_name(means, lessons.JSON), [lessons.as_json(made, PATTERN_SET)])
        means.artifacts.write(_name(means, lessons.MARKDOWN), [lessons.as_markdown(made)])
        if means.store.outcomes.size_bytes(_sight(means)) == seen:
            return


def digest(means: Means, now: str, kept: Recorded | None = None) -> tuple[Reflection, int]:
    """The digest, and how much there was to make it from.

    Args:
        kept: The outcome just recorded: its memory has a place whatever its age, and a retired one where the outcome
            speaks against it.

    Raises:
        StoreError: `reflection_too_large`.
    """
    sight = _sight(means)
    size_bytes = means.store.outcomes.size_bytes(sight)
    if size_bytes > MOST_BYTES:
        raise StoreError("There are more outcomes than a digest is made of (16 MiB).", code="reflection_too_large")
    entries, ids = means.store.outcomes.told(sight, now, MOST_MEMORIES)
    if kept is not None and kept.memory.scope in sight and kept.memory.id not in ids and _may_enter(kept, now):
        ids, entries = (*ids, kept.memory.id), min(MOST_MEMORIES, entries + 1)
    memories = means.store.memories.many(sight, ids)
    by_memory: dict[str, list[object]] = {memory.id: [] for memory in memories}
    for one in means.store.outcomes.of(sight, ids):
        by_memory[one.memory_id].append(one)
    told = [Told(memory, by_memory[memory.id]) for memory in memories]  # type: ignore[arg-type]
    return reflection(told, entries, _terms(means, now)), size_bytes


def _may_enter(kept: Recorded, now: str) -> bool:
    return _is_live(kept.memory, now) or kept.outcome.result != "useful"


def _is_live(memory: Memory, now: str) -> bool:
    return memory.status == "active" and (memory.expires_at is None or memory.expires_at > now)


def _terms(means: Means, now: str) -> Terms:
    return Terms(
        now=now,
        half_life_days=means.settings.reflection.half_life_days,
        stands=lambda spot: _stands(means, spot),
        clean=means.gate.redact,
        repository_id=means.identity.repository_id,
        pattern_set=PATTERN_SET,
    )


def block(means: Means) -> str:
    """What a session is told at its start of outcomes, as a hook tells it; "" where there is nothing to tell.

    Named by the digest, read from the rows: what was retired, forgotten or not cleared since is left out.
    """
    held = _held(means) if _wanted(means) else None
    if held is None:
        return ""
    now = means.clock.now()
    looks = Looks(means)

    def text_of(name: str) -> str | None:
        memory = means.store.memories.get(means.context.sight, name)
        return shown(means, looks, memory, now) if memory else None

    lines = chosen(_rows(held), text_of)
    text, _ = render(lines, bundle_id=bundle_id(now, "reflection"), marker=means.ids.marker())
    return text


def shown(means: Means, looks: Looks, memory: Memory, now: str) -> str | None:
    """The text of a memory that may be shown at a start."""
    low = memory.q_value < means.settings.learning.suppression_threshold
    if not _is_live(memory, now) or memory.valid_from > now or memory.trust == "external" or low:
        return None
    if memory.clearance != PATTERN_SET or memory.kind in means.settings.memory.exclude_kinds:
        return None
    state = folded([compared for _, compared in looks.compared(memory)])
    return None if state is not None and state.state == "gone" else collapse(memory.text)


def _rows(held: bytes) -> list[Row]:
    """The insights of a digest by the present pattern set; one that is none of ours has none."""
    try:
        body = json.loads(held)
    except ValueError:
        return []
    if not isinstance(body, dict) or body.get("patternSet") != PATTERN_SET:
        return []
    return [_row(group, each) for group in GROUPS for each in _named(body.get(group))]


def _named(listed: object) -> list[dict[str, Any]]:
    """The cleared insights of a list, at most a hundred."""
    own = listed if isinstance(listed, list) else []
    return [each for each in own if isinstance(each, dict) and each.get("cleared") is True][:_MOST_ROWS]


def _row(group: str, named: Mapping[str, Any]) -> Row:
    anchor = named.get("anchor") or {}
    place = (str(anchor.get("file", "")), str(anchor.get("symbol", "")))
    correction = (
        (str(named.get("correction", "")), str(named.get("correctedBy", ""))) if group == "corrections" else ("", "")
    )
    counts = (named.get("positiveOutcomes", 0), named.get("negativeOutcomes", 0))
    return (group, str(named.get("memoryId", "")), *counts, *place, *correction)


def _stands(means: Means, spot: Spot) -> bool:
    """Whether a file is still there; of a work tree that cannot be read nobody says that it is gone."""
    return means.workplace.is_file(spot.file) or means.workplace.look(spot.file) == "unreadable"
