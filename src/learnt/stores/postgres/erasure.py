"""What forgetting needs of a server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.forget import kin_of
from learnt.model.scope import scope_of
from learnt.model.thread import JOBS
from learnt.stores import records
from learnt.stores.postgres import sheets
from learnt.stores.postgres.statements import load
from learnt.stores.rows import legible, lowered, receipt_of, receipt_values
from learnt.stores.units import blanked, unit_of, unit_row, units_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.forget import Kin, Trace
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Memories
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

_SQL = load("erasure")
_ARCHIVE = load("archive")


class PostgresErasure:
    """See `learnt.ports.erasure.Erasure`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def linked(self, sight: Sight) -> tuple[Kin, ...]:
        """Every memory that is linked to another, by id."""
        rows = self._connection.rows(_SQL["linked"], {"scopes": self._scopes.within(sight)})
        return tuple(map(kin_of, legible(rows, records.memory_of, self._connection.unreadable)))

    def speaking(self, sight: Sight, names: Sequence[str]) -> tuple[Proposal, ...]:
        """Proposals that hold one of these ids anywhere, by id."""
        rows = self._connection.rows(_SQL["speaking"], {"names": list(names), "scopes": self._scopes.within(sight)})
        return tuple(legible(rows, records.proposal_of, self._connection.unreadable))

    def wordings(self, sight: Sight) -> tuple[tuple[str, str], ...]:
        """Id and text of every proposal in sight that has a text."""
        rows = self._connection.rows(_SQL["wordings"], {"scopes": self._scopes.within(sight)})
        return tuple((str(name), str(text)) for name, text in rows)

    def withdraw(self, sight: Sight, proposal_ids: Sequence[str]) -> tuple[str, ...]:
        """Remove proposals with their anchors."""
        self._connection.lock(scope.key for scope in sight)
        values = {"ids": list(proposal_ids), "scopes": self._scopes.within(sight)}
        gone = [str(row[0]) for row in self._connection.rows(_SQL["asked"], values)]
        if gone:
            self._connection.write(_SQL["untie"], {"ids": gone})
            self._connection.write(_SQL["withdraw"], {"ids": gone})
        return tuple(gone)

    def citing(self, sight: Sight, refs: Sequence[str]) -> tuple[str, ...]:
        """Ids of memories whose record may hold one of these references."""
        rows = self._connection.rows(_SQL["citing"], {"refs": _spelled(refs), "scopes": self._scopes.within(sight)})
        return tuple(str(row[0]) for row in rows)

    def blank(self, sight: Sight, names: Sequence[str]) -> tuple[str, ...]:
        """Take the text of units away, and every trace of it in the index."""
        self._connection.lock(scope.key for scope in sight)
        values = {"names": list(dict.fromkeys(names)), "scopes": self._scopes.within(sight)}
        rows = self._connection.rows(_SQL["units"], values)
        done: dict[int, list[int]] = {}
        for number, seq, *_ in rows:
            done.setdefault(number, []).append(seq)
        for number, seqs in done.items():
            self._connection.write(_SQL["remove_units"], {"scope": number, "seqs": seqs})
            self._connection.write(_ARCHIVE["left"], (number,))
            sheets.remake(self._connection, number, seqs)
        self._connection.write(_SQL["unproved"], values)
        self._connection.write(_SQL["unquoted"], {**values, "names": _spelled(names)})
        units = [(number, blanked(unit_of(tuple(row), sight, check=False))) for number, _, *row in rows]
        if units:
            columns = zip(*(unit_row(unit, number) for number, unit in units), strict=True)
            self._connection.write(_ARCHIVE["put_units"], [list(column) for column in columns])
        return tuple(unit.ref for _, unit in units)

    def relist(self, memory_ids: Sequence[str], rewrite: Callable[[Bundle], Bundle]) -> int:
        """Take memories off the receipts that list them."""
        rows = self._connection.rows(_SQL["listing"], {"ids": list(memory_ids)})
        for seq, row in rows:
            values = receipt_values(rewrite(receipt_of((seq, row))))
            self._connection.write(_SQL["relist"], {"seq": seq, "usage_json": values["usage_json"]})
        self._connection.write(_SQL["unlist"], {"ids": list(memory_ids)})
        return len(rows)


class PostgresLeavers:
    """See `learnt.ports.erasure.Leavers`."""

    def __init__(self, connection: Connection, scopes: Scopes, memories: Memories) -> None:
        self._connection = connection
        self._scopes = scopes
        self._memories = memories

    def said(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """Evidence that one of these said, or that speaks of one."""
        values = {"names": [lowered(name) for name in names], "scopes": self._scopes.within(sight)}
        return tuple(units_of(self._connection.rows(_SQL["said"], values), sight, self._connection.unreadable))

    def unsay(self, sight: Sight, writers: Sequence[str]) -> int:
        """Remove the outcomes and flags of these writers."""
        self._connection.lock(scope.key for scope in sight)
        values = {"writers": list(writers), "scopes": self._scopes.within(sight)}
        count = int(self._connection.rows(_SQL["heard"], values)[0][0])
        self._connection.write(_SQL["recount"], values)
        self._connection.write(_SQL["unsay_outcomes"], values)
        self._connection.write(_SQL["unsay_flags"], values)
        return count

    def scopes(self, repository_id: str) -> tuple[Scope, ...]:
        """Every scope of a repository."""
        rows = self._connection.rows(_SQL["scopes_of"], {"repository": repository_id})
        return tuple(scope_of(str(row[0])) for row in rows)

    def clear(self, sight: Sight) -> Mapping[str, int]:
        """Remove what was learnt in these scopes."""
        self._connection.lock(scope.key for scope in sight)
        values = {"scopes": self._scopes.within(sight), "keys": list(sight.keys)}
        work = {"keys": values["keys"], "kinds": list(JOBS)}
        rows = self._connection.rows
        memories = [str(row[0]) for row in rows(_SQL["memories_of"], values)]
        self._memories.remove(sight, memories)
        gone = {"memories": len(memories)}
        for name in ("proposals", "extractions", "recipes"):
            gone[name] = int(rows(_SQL[f"count_{name}"], values)[0][0])
        gone["jobs"] = int(rows(_SQL["count_work"], work)[0][0])
        for name in _CLEARED:
            self._connection.write(_SQL[f"end_{name}"], values)
        self._connection.write(_SQL["end_work"], work)
        self._connection.generation += 1
        return gone

    def end(self, sight: Sight) -> Mapping[str, int]:
        """Remove everything of these scopes."""
        self._connection.lock(scope.key for scope in sight)
        values = {"scopes": self._scopes.within(sight), "keys": list(sight.keys)}
        rows = self._connection.rows
        memories = [str(row[0]) for row in rows(_SQL["memories_of"], values)]
        self._memories.remove(sight, memories)
        gone = {"memories": len(memories)}
        held: dict[int, list[int]] = {}
        for number, seq in rows(_SQL["units_of"], values):
            held.setdefault(number, []).append(seq)
        for number, seqs in held.items():
            self._connection.write(_SQL["remove_units"], {"scope": number, "seqs": seqs})
            self._connection.write(_ARCHIVE["left"], (number,))
            sheets.remake(self._connection, number, seqs)
        gone["evidence"] = sum(map(len, held.values()))
        for name in ("proposals", "receipts", "sessions", "extractions", "recipes", "jobs"):
            gone[name] = int(rows(_SQL[f"count_{name}"], values)[0][0])
        for name in _ENDS:
            self._connection.write(_SQL[f"end_{name}"], values)
        for repository in {scope.repo_id for scope in sight if scope.repo_id}:
            self._connection.write(_SQL["unnamed"], (repository,))
        return gone


_CLEARED = ("anchors", "proposals", "recipes", "extractions", "summaries", "past")
_ENDS = (
    *("anchors", "proposals", "receipts", "usage", "usage_scopes", "sessions", "recipes", "jobs"),
    *("threads", "extractions", "summaries", "past", "blocks", "lengths"),
)


def _spelled(refs: Sequence[str]) -> list[str]:
    """References as a record spells them."""
    return [json.dumps(ref) for ref in refs]


class PostgresDigests:
    """See `learnt.ports.erasure.Digests`."""

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes

    def hold(self, scope: Scope, digests: Mapping[str, Trace], now: str) -> None:
        """Keep these."""
        values = {"scope": self._scopes.number(scope), "digests": list(digests), "traces": list(digests.values())}
        self._connection.write(_SQL["hold"], {**values, "at": now})

    def among(self, sight: Sight, digests: Sequence[str]) -> frozenset[str]:
        """Those that are held."""
        values = {"digests": list(digests), "scopes": self._scopes.within(sight)}
        return frozenset(str(row[0]) for row in self._connection.rows(_SQL["among"], values))

    def lift(self, sight: Sight, digests: Sequence[str]) -> int:
        """Let go of these."""
        self._connection.lock(scope.key for scope in sight)
        held = self.among(sight, digests)
        values = {"digests": sorted(held), "scopes": self._scopes.within(sight)}
        self._connection.write(_SQL["lift"], values)
        return len(held)

    def count(self, sight: Sight) -> int:
        """How many are held."""
        return int(self._connection.rows(_SQL["count"], {"scopes": self._scopes.within(sight)})[0][0])
