"""What forgetting needs of a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.forget import kin_of
from learnt.stores import records
from learnt.stores.rows import blanked, legible, receipt_of, receipt_values, unit_of, unit_row
from learnt.stores.sqlite import sheets
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.forget import Kin, Trace
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope, Sight
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.scopes import Scopes

_SQL = load("erasure")


class SqliteErasure:
    """See `learnt.ports.erasure.Erasure`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def linked(self, sight: Sight) -> tuple[Kin, ...]:
        """Every memory that is linked to another, by id."""
        rows = self._connection.rows(_SQL["linked"], (self._scopes.within(sight),))
        return tuple(map(kin_of, legible(rows, records.memory_of, self._connection.unreadable)))

    def speaking(self, sight: Sight, names: Sequence[str]) -> tuple[Proposal, ...]:
        """Proposals that hold one of these ids anywhere, by id."""
        values = {"names": json.dumps(list(names)), "scopes": self._scopes.within(sight)}
        rows = self._connection.rows(_SQL["speaking"], values)
        return tuple(legible(rows, records.proposal_of, self._connection.unreadable))

    def wordings(self, sight: Sight) -> tuple[tuple[str, str], ...]:
        """Id and text of every proposal in sight that has a text."""
        rows = self._connection.rows(_SQL["wordings"], (self._scopes.within(sight),))
        return tuple((str(name), str(text)) for name, text in rows)

    def withdraw(self, sight: Sight, proposal_ids: Sequence[str]) -> tuple[str, ...]:
        """Remove proposals with their anchors."""
        self._connection.write(_SQL["secure"])
        values = {"ids": json.dumps(list(proposal_ids)), "scopes": self._scopes.within(sight)}
        gone = [str(row[0]) for row in self._connection.rows(_SQL["asked"], values)]
        self._connection.write_many(_SQL["untie"], [(name,) for name in gone])
        self._connection.write_many(_SQL["withdraw"], [(name,) for name in gone])
        return tuple(gone)

    def citing(self, sight: Sight, refs: Sequence[str]) -> tuple[str, ...]:
        """Ids of memories whose record may hold one of these references."""
        spelled = [json.dumps(ref) for ref in refs]
        values = {"refs": json.dumps(spelled), "scopes": self._scopes.within(sight)}
        return tuple(str(row[0]) for row in self._connection.rows(_SQL["citing"], values))

    def blank(self, sight: Sight, names: Sequence[str]) -> tuple[str, ...]:
        """Take the text of units away, and every trace of it in the index."""
        self._connection.write(_SQL["secure"])
        values = {"names": json.dumps(list(dict.fromkeys(names))), "scopes": self._scopes.within(sight)}
        done: dict[int, list[int]] = {}
        rows = self._connection.rows(_SQL["units"], values)
        for number, seq, *_ in rows:
            done.setdefault(number, []).append(seq)
        for number, seqs in done.items():
            sheets.remove(self._connection, number, seqs)
        self._connection.write(_SQL["unproved"], values)
        units = [(number, blanked(unit_of(tuple(row), sight))) for number, _, *row in rows]
        self._connection.write_many(_SQL["put_unit"], (unit_row(unit, number) for number, unit in units))
        self._connection.generation += 1
        return tuple(unit.ref for _, unit in units)

    def relist(self, memory_ids: Sequence[str], rewrite: Callable[[Bundle], Bundle]) -> int:
        """Take memories off the receipts that list them."""
        values = {"ids": json.dumps(list(memory_ids))}
        held = [(seq, receipt_of((seq, row))) for seq, row in self._connection.rows(_SQL["listing"], values)]
        changed = [{"seq": seq, **receipt_values(rewrite(bundle))} for seq, bundle in held]
        self._connection.write_many(_SQL["relist"], changed)
        self._connection.write(_SQL["unlist"], values)
        return len(changed)


class SqliteDigests:
    """See `learnt.ports.erasure.Digests`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def hold(self, scope: Scope, digests: Mapping[str, Trace], now: str) -> None:
        """Keep these."""
        number = self._scopes.number(scope)
        self._connection.write_many(_SQL["hold"], [(number, name, trace, now) for name, trace in digests.items()])

    def among(self, sight: Sight, digests: Sequence[str]) -> frozenset[str]:
        """Those that are held."""
        values = {"digests": json.dumps(list(digests)), "scopes": self._scopes.within(sight)}
        return frozenset(str(row[0]) for row in self._connection.rows(_SQL["among"], values))

    def lift(self, sight: Sight, digests: Sequence[str]) -> int:
        """Let go of these."""
        held = self.among(sight, digests)
        values = {"digests": json.dumps(sorted(held)), "scopes": self._scopes.within(sight)}
        self._connection.write(_SQL["lift"], values)
        return len(held)

    def count(self, sight: Sight) -> int:
        """How many are held."""
        return int(self._connection.rows(_SQL["count"], (self._scopes.within(sight),))[0][0])
