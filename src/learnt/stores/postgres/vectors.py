"""Vectors in PostgreSQL: pgvector, read whole where a scope is small, through an index of its own where it is crowded.

One HNSW index for all scopes finds next to nothing of a small one beside a crowded one, however far it goes on: so a
scope is searched by itself. Up to some 15,000 vectors all are compared (about 1.6 us each); a scope that has more gets
a partition with an index (`shelve`), and what it writes afterwards is compared until it is moved there. An index that
gives less than was asked for is not believed: then all are compared.
"""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING, Any

from learnt.errors import StoreError, UsageError
from learnt.model.kinds import PROMOTABLE_KINDS
from learnt.model.vector import MOST_PARTS, Generation, Near, Unembedded, is_sound
from learnt.stores.postgres.packed import Best, Packed
from learnt.stores.postgres.statements import load
from learnt.stores.postgres.work import number_of
from learnt.stores.rows import generation_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from learnt.model.scope import Sight
    from learnt.model.vector import Embedded, Target, VectorFilter
    from learnt.stores.postgres.connection import Connection
    from learnt.stores.postgres.scopes import Scopes

SQL = load("vectors")
_KINDS = sorted(PROMOTABLE_KINDS)

CROWDED = 15_000
"""So many vectors of a scope are compared one by one: 25 ms. Source: own measurement, 384 numbers, rows of a scope
scattered over the table's pages."""

LINKS, BUILD_EFFORT = 16, 128
"""Of an HNSW index: links of a vector, and how many are in view when one is put in."""

EFFORT = 400
"""How many are in view in a search. Source: own measurement, real sentences, built with 64 in view: with 200 recall@10
was 1.00 at 100,000 vectors, with 200 and with 300 .988 and .987 in scopes of 50,000 to 200,000, so both were raised."""

MARGIN = 48
"""How many more than asked for are looked at: the order of the last ones by half-size numbers is not certain."""

_MOST_EFFORT = 1_000
"""Most that pgvector takes."""
_UNKNOWN_SETTING = frozenset({"42704", "42602", "22023"})
"""SQLSTATE of a setting that does not exist, in the words of several versions of PostgreSQL."""

_MOVED = 200
"""Vectors moved to a scope's own shelf in one transaction; each is put into its index, 2 ms."""


class PostgresVectors:
    """See `learnt.ports.vectors.Vectors`. Nothing is kept in memory.

    Args:
        crowded: From how many vectors on a scope gets a shelf of its own.
    """

    def __init__(self, connection: Connection, scopes: Scopes, *, crowded: int = CROWDED) -> None:
        self._connection = connection
        self._scopes = scopes
        self._crowded = crowded
        self._wide = "widely"

    def generation(self, target: Target, version: str = "", form: str = "") -> Generation | None:
        """The generation of this model and form, or the current one, without counts."""
        if version:
            row = self._connection.row(SQL["generation"], (target, version, form))
        else:
            row = self._connection.row(SQL["current"], (target,))
        return generation_of(row) if row else None

    def begin(self, target: Target, version: str, form: str, dimension: int, now: str) -> Generation:
        """The same, made where need be: the first of a target is current at once."""
        self._hold(target)
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
        """Keep vectors, or why there are none.

        The scopes are held meanwhile: what a vector stands for does not change, and no index is attached in between.
        """
        asked = {each.id: each for each in given}
        keys = self._connection.rows(SQL[f"keys_{generation.target}"], (list(asked),))
        self._connection.lock(key for (key,) in keys)
        owners = self._connection.rows(SQL[f"owners_{generation.target}"], (list(asked),))
        by_scope: dict[int, list[int]] = {}
        for owner in owners:
            by_scope.setdefault(owner[2], []).append(owner[1])
        shelves = self._shelves(generation, list(by_scope))
        for scope, rows in by_scope.items():
            for shelf in (0, *([shelves[scope]] if scope in shelves else ())):
                values = {"shelf": shelf, "generation": generation.number, "scope": scope, "rows": rows}
                self._connection.write(SQL["drop"], values)
        reasons = {owner[1]: self._kept(generation, owner, asked[owner[0]]) for owner in owners}
        self._settled(generation, reasons, now)
        self._connection.generation += 1

    def missing(self, generation: Generation, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Targets without a vector, in order of their rows."""
        return tuple(
            Unembedded(place=row[0], id=row[1], text=row[2], who=row[3], type=row[4])
            for row in self._missing(generation.target, generation.number, limit, after)
        )

    def finish(self, generation: Generation, now: str) -> bool:
        """Make the generation current if nothing is missing."""
        self._hold(generation.target)
        held = self.generation(generation.target, generation.version, generation.form)
        if held is None or held.status == "current" or self.missing(held, 1):
            return held is not None and held.status == "current"
        self._connection.write(SQL["retire"], (held.target,))
        self._connection.write(SQL["finish"], (now, held.number))
        self._connection.write(SQL["reconfigure"], (held.target, held.version))
        return True

    def sweep(self, limit: int) -> int:
        """Remove some vectors of retired generations, and at last the generations with the shelves of their own."""
        gone = 0
        for (number,) in self._connection.rows(SQL["retired"]):
            gone += len(self._connection.rows(SQL["sweep"], {"generation": number, "limit": limit - gone}))
            if gone >= limit:
                break
            self._connection.returning(SQL["unshelve"], (number,))
            self._connection.write(SQL["swept_failures"], (number,))
            self._connection.write(SQL["swept"], (number,))
        return gone

    def search(
        self, sight: Sight, generation: Generation, vector: bytes, k: int, wanted: VectorFilter
    ) -> tuple[Near, ...]:
        """The nearest in sight."""
        if not is_sound(vector, generation.dimension):
            raise UsageError("The query's vector is no unit vector of this model.", code="vector")
        scopes = self._scopes.within(sight)
        if not scopes or k < 1:
            return ()
        values = {**_bounds(wanted), "vector": Packed(vector), "generation": generation.number, "scopes": scopes}
        limit = k + MARGIN
        best = self._best(generation, values, limit)
        while len(best.found) < k and best.cut:  # several pieces of one text took the places of others
            limit *= 4
            best = self._best(generation, values, limit)
        if places := best.unsure(k):
            shelves, numbers, rows, parts = map(list, zip(*places, strict=True))
            asked = {"shelves": shelves, "scopes": numbers, "rows": rows, "parts": parts}
            best.measure(vector, self._connection.rows(SQL["sent"], {"generation": generation.number, **asked}))
        return tuple(Near(name, cosine) for name, cosine in best.ordered()[:k])

    def kept(self, sight: Sight, generation: Generation, names: Sequence[str]) -> Mapping[str, tuple[bytes, ...]]:
        """The vectors of these targets."""
        scopes = self._scopes.within(sight)
        if not scopes or not names:
            return {}
        values = {"generation": generation.number, "names": list(names), "scopes": scopes}
        found: dict[str, tuple[bytes, ...]] = {}
        for name, numbers in self._connection.rows(SQL[f"kept_{generation.target}"], values):
            found[name] = (*found.get(name, ()), pack(f"<{len(numbers)}f", *numbers))
        return found

    def state(self, target: Target) -> tuple[Generation, ...]:
        """Every generation with its counts, newest first."""
        return tuple(self._counted(row) for row in self._connection.rows(SQL["generations"], (target,)))

    def shelve(self) -> bool:
        """Give the most crowded scope a shelf of its own, or move there some of what waits; whether there may be more.

        Outside of a transaction; a build may take minutes (some 0.4 ms a vector) and nobody waits for it. May be called
        at any time, by several processes: what is as it should be stays as it is.
        """
        for number, scope, key, _ in self._connection.rows(SQL["crowded"], (self._crowded,)):
            lock = number_of(self._connection.tenant, key)
            place = {"generation": number, "scope": scope}
            with self._connection.transaction():
                shelf = self._shelves_of(number, [scope]).get(scope)
                if shelf is None:
                    build = {"lock": lock, "links": LINKS, "effort": BUILD_EFFORT}
                    _, made = self._connection.together((SQL["patiently"], ()), (SQL["shelve"], {**place, **build}))
                    done = made != [(0,)]
                else:
                    self._connection.lock((key,))
                    done = bool(self._connection.rows(SQL["move"], {**place, "shelf": shelf, "limit": _MOVED}))
            if done:
                return True
        return False

    def _best(self, generation: Generation, values: Mapping[str, Any], limit: int) -> Best:
        """About the `limit` nearest of the scopes, each by itself where it has a shelf of its own."""
        best = Best()
        if generation.target == "evidence" and (values["who"] or values["session"]):
            best.take(self._connection.rows(SQL["said"], {**values, "limit": limit}), limit)
            return best
        rows = self._connection.rows(SQL["exact"], {**values, "limit": limit})
        best.take([row for row in rows if row[1] is not None], limit)
        for _, _, shelf, scope, *_ in (row for row in rows if row[1] is None):
            own = {**values, "scope": scope, "shelf": shelf, "limit": limit}
            found = [] if values["retired"] else self._near(generation, own, limit)
            if len(found) < limit:
                found = self._connection.rows(SQL["exact_own"], own)
            best.take(found, limit)
        return best

    def _near(self, generation: Generation, values: Mapping[str, Any], limit: int) -> list[tuple[Any, ...]]:
        """What the index gives: fewer than `limit` where it gives up, or cannot go on."""
        statement = SQL["near"].replace("DIMENSION", str(generation.dimension))
        effort = {"effort": str(min(_MOST_EFFORT, max(EFFORT, limit)))}
        try:
            return self._connection.together((SQL[self._wide], effort), (statement, values))[1]
        except StoreError as error:
            if self._wide == "wide" or getattr(error.__cause__, "sqlstate", "") not in _UNKNOWN_SETTING:
                raise
        self._wide = "wide"
        self._connection.unreadable["hnsw.iterative_scan"] = "pgvector before 0.8: such scopes are read whole"
        return self._near(generation, values, limit)

    def _kept(self, generation: Generation, owner: tuple[Any, ...], each: Embedded) -> str:
        """Why nothing of a target is kept; "" after its vectors were."""
        name, row, scope, live, kind, since, until = owner
        vectors = each.vectors[:MOST_PARTS]
        if each.failure or not vectors or not all(is_sound(vector, generation.dimension) for vector in vectors):
            return each.failure or ("degenerate" if vectors else "blank")
        place = {"generation": generation.number, "scope": scope, "row": row, "id": name}
        fields = {"live": live, "kind": kind, "since": since, "until": until}
        for part, vector in enumerate(vectors):
            self._connection.write(SQL["put"], {**place, **fields, "part": part, "vector": Packed(vector)})
        return ""

    def _settled(self, generation: Generation, reasons: Mapping[int, str], now: str) -> None:
        kept = [row for row, reason in reasons.items() if not reason]
        failed = {row: reason for row, reason in reasons.items() if reason}
        if kept:
            self._connection.write(SQL["succeed"], {"generation": generation.number, "rows": kept})
        if failed:
            columns = {"rows": list(failed), "reasons": list(failed.values()), "now": now}
            self._connection.write(SQL["fail"], {"generation": generation.number, **columns})

    def _shelves(self, generation: Generation, scopes: list[int]) -> dict[int, int]:
        return self._shelves_of(generation.number, scopes)

    def _shelves_of(self, number: int, scopes: list[int]) -> dict[int, int]:
        """Of scopes with a shelf of their own, which."""
        return dict(self._connection.rows(SQL["shelves"], {"generation": number, "scopes": scopes}))

    def _missing(self, target: str, number: int, limit: int | None, after: int) -> list[tuple[Any, ...]]:
        values = {"generation": number, "after": after, "limit": limit, "kinds": _KINDS}
        return self._connection.rows(SQL[f"missing_{target}"], values)

    def _counted(self, row: tuple[Any, ...]) -> Generation:
        number, target = row[0], row[1]
        missing = len(self._missing(target, number, None, 0))
        embedded, failed = self._connection.rows(SQL["counts"], {"generation": number})[0]
        return generation_of(row, embedded=int(embedded), missing=missing, failed=int(failed))

    def _hold(self, target: Target) -> None:
        """Two processes begin or end generations one after the other."""
        self._connection.lock((f"generations of {target}",))


def _bounds(wanted: VectorFilter) -> dict[str, object]:
    return {
        "kinds": list(wanted.kinds),
        "now": wanted.now,
        "since": wanted.since,
        "until": wanted.until,
        "who": wanted.who,
        "session": wanted.session,
        "retired": wanted.retired,
    }
