"""Proposals in SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.model.filter import Page
from learnt.model.kinds import PROPOSAL_STATUSES
from learnt.model.relation import gathered, tied
from learnt.stores import records
from learnt.stores.rows import is_shown, legible, proposal_anchors, proposal_signals
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.filter import ProposalFilter
    from learnt.model.proposal import Proposal
    from learnt.model.scope import Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

_SQL = load("proposals")
_ANCHORS = load("memories")


class SqliteProposals:
    """See `learnt.ports.store.Proposals`. Only pending observations have anchors and token sets."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def get(self, sight: Sight, proposal_id: str) -> Proposal | None:
        """The proposal, or None when `sight` may not see it."""
        values = {"id": proposal_id, "scopes": self._scopes.within(sight)}
        return next(iter(self._readable(self._connection.rows(_SQL["get"], values))), None)

    def page(self, sight: Sight, wanted: ProposalFilter) -> Page[Proposal]:
        """A listing: expected value descending, then newest, then id."""
        values = {
            "scopes": self._scopes.within(sight),
            "statuses": records.dumped(list(wanted.statuses or PROPOSAL_STATUSES)),
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
        """Insert or replace by id."""
        number = self._scopes.number(proposal.scope)
        held = self._connection.row(_SQL["scope_of"], (proposal.id,))
        if held is not None and held[0] != number:
            raise UsageError("This id belongs to another scope.", code="scope_foreign")
        shown = is_shown(proposal)
        own = {name: getattr(proposal, name) for name in records.PROPOSAL_COLUMNS}
        extra = {
            "scope_no": number,
            "observation": int(shown),
            "signals": proposal_signals(proposal) if shown else "",
            "proposal_json": records.proposal_json(proposal),
        }
        self._connection.write(_SQL["put"], {**own, **extra})
        if held is not None:
            self._connection.write(_ANCHORS["untie"], (proposal.id,))
        if shown:
            for kind, key in proposal_anchors(proposal):
                self._connection.write(_ANCHORS["tie"], (number, kind, key, proposal.id))
        if proposal.operation == "merge":
            self._connection.write(_SQL["untie"], (proposal.id,))
            self._connection.write_many(_SQL["tie"], ((number, *pair, proposal.id) for pair in tied(proposal)))

    def related(self, sight: Sight, memory_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """What applied merges tie to these memories."""
        values = {"scopes": self._scopes.within(sight), "ids": records.dumped(list(memory_ids))}
        return gathered(self._connection.rows(_SQL["related"], values))

    def count(self, sight: Sight) -> Mapping[str, int]:
        """How many of each status."""
        rows = self._connection.rows(_SQL["count"], (self._scopes.within(sight),))
        return {str(status): int(number) for status, number in rows}

    def _readable(self, rows: list[tuple[Any, ...]]) -> list[Proposal]:
        return legible(rows, records.proposal_of, self._connection.unreadable)
