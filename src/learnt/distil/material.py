"""What a model is given: system prompt and fenced material of each phase."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from learnt.distil.compose import standing_of
from learnt.distil.payload import BREAKS, CHARS_PER_TOKEN, payload
from learnt.distil.prompt import filled
from learnt.distil.schema import CONSOLIDATION, EXTRACTION
from learnt.ports.writer import Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from learnt.model.extraction import Extraction
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal
    from learnt.model.session import SessionEvent

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
) -> Task:
    """What is asked about all sessions; the same text for equal input, in whatever order it comes."""
    taken = sorted(extractions, key=lambda each: each.session_id)
    known = [
        *(_row(id=each.id, standing="active", text=each.text) for each in sorted(memories, key=lambda each: each.id)),
        *(
            _row(id=each.id, standing="observed", text=each.text)
            for each in sorted(observations, key=lambda each: each.id)
        ),
    ]
    facts = [row for each in taken for row in _facts(each)]
    synopses = [_row(session=each.session_id, updated_at=each.source_updated_at, text=each.summary) for each in taken]
    return Task(
        purpose="consolidation",
        name="repository_memory",
        system=filled("consolidation_system"),
        material=filled(
            "consolidation",
            {
                "raw_memories": _bounded([*known, *facts], RAW_TOKENS),
                "rollout_summaries": _bounded(synopses, SUMMARIES_TOKENS),
            },
        ),
        schema=CONSOLIDATION,
        max_output_tokens=8_000,
    )


def _facts(extraction: Extraction) -> list[str]:
    return [
        _row(
            id=fact.id,
            session=extraction.session_id,
            updated_at=extraction.source_updated_at,
            section=fact.section,
            standing=standing_of(fact),
            worked=fact.worked,
            text=fact.text,
            commands=list(fact.commands),
        )
        for fact in sorted(extraction.facts, key=lambda each: each.id)
    ]


def _row(**fields: object) -> str:
    made = json.dumps(
        {name: value for name, value in fields.items() if value not in ("", [], False)}, ensure_ascii=False
    )
    return made.replace("</", "<\\/").translate(BREAKS)


def _bounded(rows: Sequence[str], tokens: int) -> str:
    """Whole rows as long as they fit."""
    room, kept = tokens * CHARS_PER_TOKEN, []
    for row in rows:
        if len(row) + 1 > room:
            break
        kept.append(row)
        room -= len(row) + 1
    return "\n".join(kept)
