"""Numbers for records that are written again in place, as rows of a database are.

Evidence is named by the number of a record and stays as it was first read. A call that was read while it ran must not
keep its answer out later, nor a half-written text the whole one: each record has three numbers, for what it says, for
how it ended, and for what of it is still open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from learnt.model.session import Span

SAID: Final = 0
ENDED: Final = 1
OPEN: Final = 2
_STAGES: Final = 3


def staged(span: Span, stage: int = SAID) -> Span:
    """The place of a record as one of its three."""
    return replace(span, record=span.record * _STAGES + stage)
