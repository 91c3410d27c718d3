"""The verbs that learn from outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.engine.base import Verbs
from learnt.flows import ledger
from learnt.flows import read as reading
from learnt.flows import reward as rewarding

if TYPE_CHECKING:
    from learnt.model.ranking import Bundle
    from learnt.model.reward import Council, Rewarded


class Learning(Verbs):
    """Outcomes, and what memories are worth by them."""

    def reward(
        self, verdict: Council, *, bundle: str = "", run: str = "", unit: str = "", round_: str = ""
    ) -> Rewarded:
        """Apply a council's verdict to what was recalled: to one bundle, or to a run, its unit and its round.

        Args:
            unit: "" for every unit of the run. `round_`: "" for every round.

        Raises:
            UsageError: No such verdict, or neither one bundle nor one run.
        """
        work = rewarding.Work(bundle=bundle, run=run, unit=unit, round=round_)
        return self._followed(rewarding.reward(self._means, verdict, work))

    def receipts(self, run: str = "", limit: int = 200) -> tuple[Bundle, ...]:
        """What was recalled, newest first."""
        return reading.receipts(self._means, run, limit)

    def recall_log(self, run: str = "", limit: int = 200) -> ledger.RecallLog:
        """The newest recalls, of one run or of all, and what all of them come to."""
        return ledger.recall_log(self._means, run, limit)

    def value_log(self, limit: int = 20) -> tuple[ledger.Valued, ...]:
        """What recalled memories are worth by their outcomes, the latest recall first."""
        return ledger.value_log(self._means, limit)
