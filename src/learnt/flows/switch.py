"""Whether memory is on where a verb is called (contract, where things live: nothing is written where it is off)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.answer import Refusal

if TYPE_CHECKING:
    from learnt.flows.means import Means

DISABLED = Refusal(code="disabled", message="The memory is off here ([memory] enabled = false); nothing was stored.")


def off(means: Means) -> Refusal | None:
    """The refusal of a write where memory is off."""
    return None if means.settings.memory.enabled else DISABLED
