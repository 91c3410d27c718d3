"""What all outcomes of a repository come to, in files that are made from rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.outcome import Recorded


def reflect(means: Means, kept: Recorded, now: str) -> Recorded:
    """The answer, after the digest was made anew."""
    del means, now
    return kept
