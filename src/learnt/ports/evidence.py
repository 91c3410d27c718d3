"""How evidence is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.filter import Page
    from learnt.model.scope import Scope, Sight
    from learnt.model.search import EvidenceFilter, Matches


class Evidence(Protocol):
    """Full text over the units that an `Archive` keeps. It never lags behind them: what was put can be found."""

    def match(
        self, sight: Sight, terms: Sequence[str], wanted: EvidenceFilter, limit: int, also: Sequence[str] = ()
    ) -> Matches:
        """The `limit` best units by BM25 over five weighted fields, and the scores of the units `also` asked for.

        A unit scores as its best passage. The fields are those of `learnt.model.wording`; their weighted counts are
        added, their lengths too. Statistics are those of the passages in sight only. The filter applies before the
        limit, to `also` as well. Equal scores stand in the order in which their units were kept.
        """
        ...

    def beside(self, sight: Sight, ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        """Of each of these units the ids of the units before and after it in its session; "" for none."""
        ...

    def units(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """The units with these ids or references, in the order asked for, each once."""
        ...

    def documents(self, sight: Sight, limit: int) -> Page[EvidenceUnit]:
        """Evidence documents, newest first."""
        ...

    def trim(self, scope: Scope, max_bytes: int, max_records: int) -> int:
        """Remove the oldest uncited documents until the rest fits; 0 for no bound. Gives how many left."""
        ...

    def next_number(self, scope: Scope, session_id: str) -> int:
        """A number no unit of this session has in its reference, for the next one."""
        ...

    def backlog(self, sight: Sight) -> int:
        """How many units a search would have to read whole, because `settle` has not taken them in."""
        ...

    def settle(self, sight: Sight) -> bool:
        """Take a bounded part of the backlog into the index, inside a transaction; whether more can be taken.

        Changes the speed of a search, never its answer.
        """
        ...
