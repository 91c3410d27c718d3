"""What phase 1 gives before it is stored: facts, a synopsis, a slug, and what was dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, get_args

from learnt.distil.line import clipped, collapsed
from learnt.model.extraction import Extraction, Fact, Section
from learnt.model.keys import short_id
from learnt.model.symbol import code_symbols

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.extraction import Quote

SECTIONS: Final[tuple[Section, ...]] = get_args(Section)
MAX_FACTS: Final = 40
"""Of one session."""
FACT_CHARS: Final = 500
QUOTE_CHARS: Final = 500
SUMMARY_CHARS: Final = 1_200
SLUG_CHARS: Final = 60
"""Source: codex, file names of rollout summaries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a session taught, by whatever writer."""

    summary: str = ""
    slug: str | None = None
    facts: tuple[Fact, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to keep: no fact at all. A synopsis alone helps nobody."""
        return not self.facts


def fact(
    session_id: str,
    section: Section,
    text: str,
    quotes: tuple[Quote, ...],
    *,
    commands: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
    worked: bool = False,
) -> Fact:
    """A fact with its id; its text on one line and bounded, and only commands of one line."""
    shown = clipped(collapsed(text), FACT_CHARS)
    return Fact(
        id="fact_" + short_id(f"{session_id}\n{section}\n{shown}"),
        section=section,
        text=shown,
        quotes=quotes,
        commands=tuple(each for command in commands if (each := command.strip()) and each.isprintable()),
        files=files,
        symbols=code_symbols(shown)[:8],
        worked=worked,
    )


def extraction(
    draft: Draft,
    *,
    session_id: str,
    scope_key: str,
    host: str,
    source_updated_at: str,
    generated_at: str,
    writer: str,
) -> Extraction:
    """The draft as it is stored."""
    return Extraction(
        session_id=session_id,
        scope_key=scope_key,
        host=host,
        source_updated_at=source_updated_at,
        generated_at=generated_at,
        writer=writer,
        summary=draft.summary,
        slug=draft.slug,
        facts=draft.facts,
        dropped=draft.dropped,
    )


_ODD = re.compile(r"[^a-z0-9]")


def slug(text: str) -> str | None:
    """`text` as a part of a file name: lower case, each odd character `_`, at most 60; None for nothing.

    Source: codex, rollout summary file names.
    """
    made = _ODD.sub("_", text.strip().lower())[:SLUG_CHARS].rstrip("_")
    return made or None
