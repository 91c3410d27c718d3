"""What can be said of a memory without reading all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnt.model.kinds import Kind, Status

PREVIEW = 120
"""Characters of a text in a list. Source: swarm-memory seed, value log."""


@dataclass(frozen=True, slots=True)
class Brief:
    """A memory in short.

    Attributes:
        text: The first `PREVIEW` characters.
    """

    id: str
    kind: Kind
    status: Status
    confidence: float
    q_value: float
    created_at: str
    updated_at: str
    expires_at: str | None
    superseded_by: str | None
    text: str
