"""Whether a text that is stored comes back byte for byte. Bar T3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.model.answer import Written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from learnt.engine import Engine

Json = dict[str, Any]


def figures(texts: Iterable[str], engine: Engine) -> Json:
    """Of the texts that could be stored, how many were given back as they came."""
    stored = same = 0
    for text in texts:
        try:
            answer = engine.remember(text, kind="project_fact")
        except UsageError:
            continue
        if isinstance(answer, Written):
            stored += 1
            same += engine.show(answer.memory.id).text == text.strip()
    return {"stored": stored, "same": same / stored if stored else None}
