"""What a model is given: system prompt and fenced material of each phase."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from learnt.distil.compose import STANDINGS, backwards, standing_of
from learnt.distil.payload import BREAKS, CHARS_PER_TOKEN, budget, payload
from learnt.distil.prompt import filled
from learnt.distil.schema import CONSOLIDATION, EXTRACTION
from learnt.ports.writer import LONGEST_TOKENS, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.extraction import Extraction, Standing
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.session import SessionEvent

_Piece = tuple[tuple[int, tuple[int, ...]], str]
"""A row, and before it by what it takes room: standing and time."""
RAW_TOKENS: Final = 20_000
SUMMARIES_TOKENS: Final = 12_000
"""Source: oh-my-pi, input of phase 2."""


def extraction_task(session_id: str, events: Iterable[SessionEvent], *, budget_tokens: int) -> Task | None:
    """What is asked about one session, whose events are cleaned and redacted; None when nothing of it is to be read."""
    read = payload(events, budget_tokens=budget_tokens)
    if not read.items:
        return None
    return Task(
        purpose="extraction",
        name="session_memory",
        system=filled("stage_one_system"),
        material=filled(
            "stage_one_input",
            {"thread_id": json.dumps(session_id[:200]), "response_items_json": read.text},
        ),
        schema=EXTRACTION,
    )


def consolidation_task(
    extractions: Iterable[Extraction],
    memories: Iterable[Memory] = (),
    observations: Iterable[Proposal] = (),
    *,
    context_tokens: int | None = None,
) -> Task:
    """What is asked about all sessions; the same text for equal input, in whatever order it comes.

    Args:
        context_tokens: Of the model; both parts get smaller where 70 % of it hold them not. None where it is unknown.
    """
    whole = RAW_TOKENS + SUMMARIES_TOKENS
    share = min(1.0, budget(whole, context_tokens) / whole) if context_tokens else 1.0
    taken = sorted(extractions, key=lambda each: each.session_id)
    known = [
        *(_of(each.id, "active", each.text, each.updated_at) for each in sorted(memories, key=lambda each: each.id)),
        *(
            _of(each.id, "observed", each.text, each.created_at)
            for each in sorted(observations, key=lambda each: each.id)
        ),
    ]
    facts = [piece for each in taken for piece in _facts(each)]
    synopses = [
        (
            (0, backwards(each.source_updated_at)),
            _row(session=each.session_id, updated_at=each.source_updated_at, text=each.summary),
        )
        for each in taken
    ]
    return Task(
        purpose="consolidation",
        name="repository_memory",
        system=filled("consolidation_system"),
        material=filled(
            "consolidation",
            {
                "raw_memories": _bounded([*known, *facts], int(RAW_TOKENS * share)),
                "rollout_summaries": _bounded(synopses, int(SUMMARIES_TOKENS * share)),
            },
        ),
        schema=CONSOLIDATION,
        max_output_tokens=LONGEST_TOKENS["consolidation"],
    )


def _of(name: str, standing: Standing, text: str, at: str) -> _Piece:
    return ((STANDINGS.index(standing), backwards(at)), _row(id=name, standing=standing, text=text))


def _facts(extraction: Extraction) -> list[_Piece]:
    return [
        (
            (STANDINGS.index(standing_of(fact)), backwards(extraction.source_updated_at)),
            _row(
                id=fact.id,
                session=extraction.session_id,
                updated_at=extraction.source_updated_at,
                section=fact.section,
                standing=standing_of(fact),
                worked=fact.worked,
                text=fact.text,
                commands=list(fact.commands),
            ),
        )
        for fact in sorted(extraction.facts, key=lambda each: each.id)
    ]


def _row(**fields: object) -> str:
    made = json.dumps(
        {name: value for name, value in fields.items() if value not in ("", [], False)}, ensure_ascii=False
    )
    return made.replace("</", "<\\/").translate(BREAKS)


def _bounded(pieces: Sequence[_Piece], tokens: int) -> str:
    """Whole rows in their order; where not all fit, the strongest standing and of these the latest."""
    room, kept = tokens * CHARS_PER_TOKEN, set[int]()
    for at in sorted(range(len(pieces)), key=lambda at: (pieces[at][0], at)):
        if len(pieces[at][1]) < room:
            kept.add(at)
            room -= len(pieces[at][1]) + 1
    return "\n".join(row for at, (_, row) in enumerate(pieces) if at in kept)
