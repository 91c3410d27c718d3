"""Proposals in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.model.filter import Page
from learnt.model.kinds import PROPOSAL_STATUSES
from learnt.model.relation import gathered, tied
from learnt.stores import records
from learnt.stores.postgres.memories import tie, untie
from learnt.stores.postgres.statements import load
from learnt.stores.rows import is_shown, legible, proposal_anchors, proposal_signals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.filter import ProposalFilter
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Sight
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("proposals")


class PostgresProposals:
    """See `learnt.ports.store.Proposals`. Only pending observations have anchors and token sets."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def get(self, sight: Sight, proposal_id: str) -> Proposal | None:
        """The proposal, or None when `sight` may not see it."""
        rows = self._connection.rows(_SQL["get"], {"id": proposal_id, "scopes": self._scopes.keys(sight)})
        if work := self._connection.work:
            work.read[proposal_id] = 0
        return next(iter(self._readable(rows)), None)

    def page(self, sight: Sight, wanted: ProposalFilter) -> Page[Proposal]:
        """A listing: expected value descending, then newest, then id."""
        values = {
            "scopes": self._scopes.within(sight),
            "statuses": list(wanted.statuses or PROPOSAL_STATUSES),
            "observations": wanted.observations_only,
        }
        order = "by_time" if wanted.newest_first else "by_value"
        rows = self._connection.rows(_SQL[order], {**values, "limit": wanted.limit})
        total = self._connection.rows(_SQL["total"], values)[0][0]
        return Page(tuple(self._readable(rows)), int(total))

    def saying(self, sight: Sight, text: str) -> tuple[Proposal, ...]:
        """Proposals of any status with exactly this text, by id."""
        values = {"scopes": self._scopes.within(sight), "text": text}
        return tuple(self._readable(self._connection.rows(_SQL["saying"], values)))

    def put(self, proposal: Proposal) -> None:
        """Insert or replace by id.

        Raises:
            UsageError: The id belongs to another scope.
            StoreBusyError: Somebody else replaced it after it was read in this transaction.
        """
        number = self._scopes.number(proposal.scope)
        shown = is_shown(proposal)
        own = {name: getattr(proposal, name) for name in records.PROPOSAL_COLUMNS}
        extra = {
            "scope_no": number,
            "scope_key": proposal.scope.key,
            "observation": shown,
            "signals": proposal_signals(proposal) if shown else "",
            "proposal_json": records.proposal_json(proposal),
        }
        row = self._connection.returning(_SQL["put"], {**own, **extra})
        if row is None:
            raise UsageError("This id belongs to another scope.", code="scope_foreign")
        revision = int(row[0])
        self._note(proposal.id, revision)
        if revision > 1:
            untie(self._connection, proposal.id)
        if shown and (anchors := proposal_anchors(proposal)):
            tie(self._connection, number, proposal.id, anchors)
        if proposal.operation == "merge":
            self._connection.write(_SQL["untie"], (proposal.id,))
            if pairs := tied(proposal):
                ones, others = [one for one, _ in pairs], [other for _, other in pairs]
                values = {"scope_no": number, "id": proposal.id, "ones": ones, "others": others}
                self._connection.write(_SQL["tie"], values)

    def related(self, sight: Sight, memory_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """What applied merges tie to these memories."""
        values = {"scopes": self._scopes.within(sight), "ids": list(memory_ids)}
        return gathered(self._connection.rows(_SQL["related"], values))

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        rows = self._connection.rows(_SQL["count"], (self._scopes.within(sight),))
        return {str(status): int(number) for status, number in rows}

    def _note(self, proposal_id: str, revision: int) -> None:
        if work := self._connection.work:
            work.expect(proposal_id, revision - 1)
            work.read[proposal_id] = revision

    def _readable(self, rows: list[tuple[Any, ...]]) -> list[Proposal]:
        """The proposals of these rows, whose last column is the revision that a later `put` must still find."""
        if work := self._connection.work:
            work.read.update((row[0], row[-1]) for row in rows)
        return legible(rows, records.proposal_of, self._connection.unreadable)
