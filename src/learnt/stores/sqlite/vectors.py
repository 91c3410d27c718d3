"""Vectors in SQLite: a float32 BLOB and a code of a quarter of its size, changed together with what they stand for."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.model.kinds import PROMOTABLE_KINDS
from learnt.model.vector import MOST_PARTS, Generation, Near, Unembedded, is_sound
from learnt.stores.rows import generation_of
from learnt.stores.sqlite.statements import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from learnt.model.scope import Sight
    from learnt.model.vector import Embedded, Target, VectorFilter
    from learnt.stores.sqlite.connection import Connection
    from learnt.stores.sqlite.nearest import Shelves
    from learnt.stores.sqlite.scopes import Scopes

SQL = load("vectors")
_KINDS = json.dumps(sorted(PROMOTABLE_KINDS))
_KEPT_IDS = 100_000


class SqliteVectors:
    """See `learnt.ports.vectors.Vectors`. Nothing is read into memory before the first search.

    Attributes:
        rows: The rows of memories that searches found lately, so that who reads them next need not look them up.
    """

    def __init__(self, connection: Connection, scopes: Scopes) -> None:
        self._connection = connection
        self._scopes = scopes
        self._turn = threading.Lock()
        self._shelves: Shelves | None = None
        self._ids: dict[Target, dict[int, str]] = {"memory": {}, "evidence": {}}
        self.rows: dict[str, int] = {}
        connection.on_rollback.append(self._forget)

    def generation(self, target: Target, version: str = "", form: str = "") -> Generation | None:
        """The generation of this model and form, or the current one, without counts."""
        if version:
            row = self._connection.row(SQL["generation"], (target, version, form))
        else:
            row = self._connection.row(SQL["current"], (target,))
        return generation_of(row) if row else None

    def begin(self, target: Target, version: str, form: str, dimension: int, now: str) -> Generation:
        """The same, made where need be: the first of a target is current at once."""
        first = self.generation(target) is None
        values = {"target": target, "version": version, "form": form, "dimension": dimension, "now": now}
        self._connection.write(SQL["begin"], {**values, "status": "current" if first else "building"})
        if first:
            self._connection.write(SQL["configure"], (target, version))
        made = self.generation(target, version, form)
        if made is None or made.dimension != dimension:
            raise UsageError("A model keeps its number of dimensions.", code="vector")
        return made

    def put(self, generation: Generation, given: Sequence[Embedded], now: str) -> None:
        """Keep vectors, or why there are none."""
        for each in given:
            owner = self._connection.row(SQL[f"owner_{generation.target}"], (each.id,))
            if owner is not None:
                self._put(generation, owner, each, now)
        self._connection.generation += 1

    def missing(self, generation: Generation, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Targets without a vector, in order of their rows."""
        values = {"generation": generation.number, "after": after, "limit": limit, "kinds": _KINDS}
        rows = self._connection.rows(SQL[f"missing_{generation.target}"], values)
        return tuple(Unembedded(place=row[0], id=row[1], text=row[2], who=row[3], type=row[4]) for row in rows)

    def finish(self, generation: Generation, now: str) -> bool:
        """Make the generation current if nothing is missing."""
        held = self.generation(generation.target, generation.version, generation.form)
        if held is None or held.status == "current" or self.missing(held, 1):
            return held is not None and held.status == "current"
        self._connection.write(SQL["retire"], (held.target,))
        self._connection.write(SQL["finish"], (now, held.number))
        self._connection.write(SQL["reconfigure"], (held.target, held.version))
        return True

    def sweep(self, limit: int) -> int:
        """Remove some vectors of retired generations, and at last the generations."""
        gone = self._connection.write(SQL["sweep"], (limit,))
        if gone:
            self._shelves = None
        if gone < limit:
            self._connection.write(SQL["swept_failures"])
            self._connection.write(SQL["swept"])
        return gone

    def search(
        self, sight: Sight, generation: Generation, vector: bytes, k: int, wanted: VectorFilter
    ) -> tuple[Near, ...]:
        """The nearest in sight."""
        if not is_sound(vector, generation.dimension):
            raise UsageError("The query's vector is no unit vector of this model.", code="vector")
        numbers = [number for number in map(self._scopes.known, sight.keys) if number is not None]
        with self._turn:
            found = self._warm().search(generation, numbers, vector, k, wanted, self._only(generation, wanted))
            ids = self._named(generation.target, [row for row, _ in found])
        near = sorted((-round(cosine, 7), ids[row]) for row, cosine in found if row in ids)
        return tuple(Near(name, -cosine) for cosine, name in near[:k])

    def kept(self, sight: Sight, generation: Generation, names: Sequence[str]) -> Mapping[str, tuple[bytes, ...]]:
        """The vectors of these targets."""
        asked = {"names": json.dumps(list(names)), "scopes": self._scopes.within(sight)}
        values = {"generation": generation.number, **asked}
        found: dict[str, tuple[bytes, ...]] = {}
        for name, vector in self._connection.rows(SQL[f"kept_{generation.target}"], values):
            found[name] = (*found.get(name, ()), bytes(vector))
        return found

    def state(self, target: Target) -> tuple[Generation, ...]:
        """Every generation with its counts, newest first."""
        return tuple(self._counted(row) for row in self._connection.rows(SQL["generations"], (target,)))

    def _counted(self, row: tuple[Any, ...]) -> Generation:
        number, target = row[0], row[1]
        embedded = int(self._connection.rows(SQL["embedded"], {"generation": number})[0][0])
        failed = int(self._connection.rows(SQL["failed"], (number,))[0][0])
        values = {"generation": number, "kinds": _KINDS}
        every, needless = self._connection.rows(SQL[f"needless_{target}"], values)[0]
        old, lacking = self._connection.rows(SQL["old_memory"], values)[0] if target == "memory" else (0, 0)
        missing = every - needless - embedded + lacking
        return generation_of(row, embedded=embedded + old, missing=missing, failed=failed)

    def _only(self, generation: Generation, wanted: VectorFilter) -> Callable[[int], list[int]] | None:
        """What gives the rows of a scope that speaker and session let through; None where neither is asked for."""
        if generation.target != "evidence" or not (wanted.who or wanted.session):
            return None
        statement = SQL["of_session" if wanted.session else "of_speaker"]

        def rows(scope: int) -> list[int]:
            values = {"scope": scope, "session": wanted.session, "who": wanted.who}
            return [int(row[0]) for row in self._connection.rows(statement, values)]

        return rows

    def _put(self, generation: Generation, owner: tuple[Any, ...], each: Embedded, now: str) -> None:
        row, scope, live, kind, since, until = owner
        vectors = each.vectors[:MOST_PARTS]
        sound = all(is_sound(vector, generation.dimension) for vector in vectors)
        kept = vectors if sound and not each.failure else ()
        change = int(self._connection.rows(SQL["last_change"], (generation.number, scope))[0][0]) + 1
        place = {"generation": generation.number, "scope_no": scope, "row": row, "change": change}
        for part, (vector, code) in enumerate(zip(kept, _codes(kept), strict=True)):
            vector_id = self._connection.returning(SQL["put_vector"], (vector,))[0]
            fields = {"part": part, "live": live, "kind": kind, "since": since, "until": until}
            self._connection.write(SQL["put_code"], {**place, **fields, "vector": vector_id, "code": code})
        self._connection.write(SQL["drop_codes"], {**place, "part": len(kept)})
        if kept:
            self._connection.write(SQL["succeed"], (generation.number, row))
        else:
            reason = each.failure or ("degenerate" if vectors else "blank")
            self._connection.write(SQL["fail"], (generation.number, row, reason, now))

    def _warm(self) -> Shelves:
        if self._shelves is None:
            from learnt.stores.sqlite.nearest import Shelves

            self._shelves = Shelves(self._connection, SQL)
        return self._shelves

    def _named(self, target: Target, rows: Iterable[int]) -> dict[int, str]:
        known = self._ids[target]
        if len(known) > _KEPT_IDS:
            self._forget_names()
        rows = list(rows)
        unknown = [row for row in rows if row not in known]
        if unknown:
            found = self._connection.rows(SQL[f"ids_{target}"], {"rows": json.dumps(unknown)})
            known.update(found)
            if target == "memory":
                self.rows.update((name, row) for row, name in found)
        return {row: known[row] for row in rows if row in known}

    def _forget_names(self) -> None:
        self.rows.clear()
        for known in self._ids.values():
            known.clear()

    def _forget(self) -> None:
        """After a rollback: what was read inside the transaction never happened, and its numbers are given again."""
        self._shelves = None
        self._forget_names()


def _codes(vectors: Sequence[bytes]) -> list[bytes]:
    if not vectors:
        return []
    from learnt.stores.sqlite.nearest import coded

    return coded(vectors)
