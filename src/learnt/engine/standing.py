"""The verbs that say what is there, and whether it works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from learnt.model.answer import Refusal


class Standing(Verbs):
    """What is there."""

    def status(self) -> flows.state.Status:
        """What is stored, what works, and what is missing."""
        return flows.state.status(self._means)

    def models(self) -> tuple[flows.models.Tried, ...]:
        """The models in use, each tried once: loaded, or its server asked; a model that writes is asked nothing."""
        return (*flows.models.models(self._means), *flows.account.tried(self._means))

    def trial(self) -> tuple[flows.models.Tried, ...] | Refusal:
        """The models that write here, each asked the smallest thing there is; that is to be paid."""
        return flows.account.asked(self._means)

    def account(self, latest: int = 0) -> flows.account.Account:
        """Which models may write here, what was spent, and what is left; with the newest charges."""
        return flows.account.account(self._means, latest)

    def damaged(self) -> tuple[str, ...]:
        """Names of rows that are not what was written; they are in no answer. Reads the whole store."""
        return flows.upkeep.damaged(self._means)

    def rescan(self) -> int:
        """Scan what the present pattern set has not cleared; gives how many memories were scanned."""
        return self._followed(flows.rescan.rescan(self._means))

    def adopt(self, repository: str = "") -> str | Refusal:
        """Make this folder a known repository (the one it looks like, when none is named); gives its id.

        Raises:
            NotFoundError: This folder looks like no known repository.
        """
        return self._followed(flows.state.adopt(self._means, repository), everywhere=True)

    def enable(self, rows: Mapping[str, str]) -> None:
        """Record what hooks may do: rows of the store's `_meta` table, in one transaction."""
        flows.state.enable(self._means, rows)
