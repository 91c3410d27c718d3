"""Personal data in what is proposed: noted by type and number, never by what they are, where that is turned on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from learnt.gate.personal import summary

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.proposal import Proposal

KEY = "pii"
"""Where the note stands in a proposal's metadata. Source: swarm-memory seed, proposal intake."""


def noted(means: Means, asked: Proposal) -> Proposal:
    """The proposal with how many of each type it holds and how sure that is; as it was where there are none.

    Raises:
        GateError: The patterns cannot be loaded.
    """
    if not means.settings.gate.detect_pii:
        return asked
    said = asked.text.startswith(asked.rationale)  # the beginning of the text stood in for a reason
    found = summary((asked.text,) if said else (asked.text, asked.rationale))
    if not found.counts:
        return asked
    note = {"score": found.score, "types": sorted(found.counts), "counts": dict(found.counts)}
    return replace(asked, metadata={**asked.metadata, KEY: note})
