"""A rule by which a person lets proposals become memory without looking at each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from learnt.model.kinds import Kind, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRule:
    """What a proposal must be to be accepted unseen; it stands in the person's own configuration.

    Attributes:
        kinds: Any of these, all of them durable; never empty.
        sources: How many independent sources must support it, 1 to 10.
        trust: The least trust of a source that counts: person, repository or tool. What agents say, and what was read
            outside, never counts.
        repositories: Only in these (identity values); empty for all.
    """

    kinds: tuple[Kind, ...]
    sources: int = 2
    trust: Trust = "tool"
    repositories: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """What is written beside a memory that was accepted so."""
        return f"a rule of yours: {self.sources} independent sources (trust {self.trust} or better) support it"
