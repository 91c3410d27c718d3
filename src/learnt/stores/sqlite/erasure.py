"""What forgetting needs of a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from learnt.model.forget import kin_of
from learnt.model.scope import scope_of
from learnt.model.thread import JOBS
from learnt.stores import records
from learnt.stores.rows import legible, lowered, receipt_of, receipt_values
from learnt.stores.sqlite import sheets
from learnt.stores.sqlite.statements import load
from learnt.stores.units import blanked, unit_of, unit_row, units_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from learnt.model.evidence import EvidenceUnit
    from learnt.model.forget import Kin, Trace
    from learnt.model.proposal import Proposal
    from learnt.model.ranking import Bundle
    from learnt.model.scope import Scope, Sight
    from learnt.ports.store import Memories
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
        values = {"refs": _spelled(refs), "scopes": self._scopes.within(sight)}
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
        self._connection.write(_SQL["unquoted"], {**values, "names": _spelled(names)})
        units = [(number, blanked(unit_of(tuple(row), sight, check=False))) for number, _, *row in rows]
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


class SqliteLeavers:
    """See `learnt.ports.erasure.Leavers`."""

    def __init__(self, connection: Connection, scopes: Scopes, memories: Memories) -> None:
        self._connection = connection
        self._scopes = scopes
        self._memories = memories

    def said(self, sight: Sight, names: Sequence[str]) -> tuple[EvidenceUnit, ...]:
        """Evidence that one of these said, or that speaks of one."""
        values = {"names": json.dumps([lowered(name) for name in names]), "scopes": self._scopes.within(sight)}
        return tuple(units_of(self._connection.rows(_SQL["said"], values), sight, self._connection.unreadable))

    def unsay(self, sight: Sight, writers: Sequence[str]) -> int:
        """Remove the outcomes and flags of these writers."""
        values = {"writers": json.dumps(list(writers)), "scopes": self._scopes.within(sight)}
        count = int(self._connection.rows(_SQL["heard"], values)[0][0])
        for name in ("secure", "recount", "unsay_outcomes", "unsay_flags"):
            self._connection.write(_SQL[name], {} if name == "secure" else values)
        return count

    def scopes(self, repository_id: str) -> tuple[Scope, ...]:
        """Every scope of a repository."""
        rows = self._connection.rows(_SQL["scopes_of"], {"repository": repository_id})
        return tuple(scope_of(str(row[0])) for row in rows)

    def clear(self, sight: Sight) -> Mapping[str, int]:
        """Remove what was learnt in these scopes."""
        values = {"scopes": self._scopes.within(sight), "keys": json.dumps(list(sight.keys))}
        work = {"keys": values["keys"], "kinds": json.dumps(JOBS)}
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
        values = {"scopes": self._scopes.within(sight), "keys": json.dumps(list(sight.keys))}
        rows = self._connection.rows
        memories = [str(row[0]) for row in rows(_SQL["memories_of"], values)]
        self._memories.remove(sight, memories)
        gone = {"memories": len(memories)}
        held: dict[int, list[int]] = {}
        for number, seq in rows(_SQL["units_of"], values):
            held.setdefault(number, []).append(seq)
        for number, seqs in held.items():
            sheets.remove(self._connection, number, seqs)
        gone["evidence"] = sum(map(len, held.values()))
        for name in ("proposals", "receipts", "sessions", "extractions", "recipes", "jobs"):
            gone[name] = int(rows(_SQL[f"count_{name}"], values)[0][0])
        for name in _ENDS:
            self._connection.write(_SQL[f"end_{name}"], values)
        for repository in {scope.repo_id for scope in sight if scope.repo_id}:
            self._connection.write(_SQL["unnamed"], (repository,))
        self._connection.generation += 1
        return gone


_CLEARED = ("anchors", "proposals", "recipes", "extractions", "summaries", "past")
_ENDS = (
    *("anchors", "proposals", "usage", "usage_scopes", "receipts", "sessions", "recipes", "jobs"),
    *("threads", "extractions", "summaries", "past", "blocks", "lengths"),
)


def _spelled(refs: Sequence[str]) -> str:
    """References as a record spells them, as a list for SQL."""
    return json.dumps([json.dumps(ref) for ref in refs])


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
