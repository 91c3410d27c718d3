"""The memories a prompt is scored against, by the engine's own rule and statements, in a process that just began."""

from __future__ import annotations

from learnt.model.candidate import Candidate
from learnt.model.tokens import unpack
from learnt.recall.factors import candidate_sets
from learnt.stores.sqlite.statements import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from learnt.interfaces.hook.visit import Visit

WHOLE = 120
"""Scopes with at most this many active memories are scored whole: max(100, 20 x 6 items). Source: contract, score."""


def candidates(visit: Visit, terms: Sequence[str]) -> list[Candidate]:
    """The candidates for these terms; none where the full-text stage of a large scope finds none."""
    total = sum(scope.active for scope in visit.scopes)
    if not total:
        return []
    sql = load("lexicon")
    by_no = {scope.no: scope for scope in visit.scopes}
    scopes = "[" + ",".join(str(no) for no in by_no) + "]"
    if total <= WHOLE:
        rows = visit.connection.execute(sql["whole"], {"scopes": scopes}).fetchall()
        return [_candidate(visit, row, -1) for row in rows]
    return []


def _candidate(visit: Visit, row: tuple[Any, ...], position: int) -> Candidate:
    one = Candidate()
    (_, one.id, number, one.kind, one.status, one.trust, one.confidence, one.q_value) = row[:8]
    (one.updated_at, one.valid_from, one.expires_at, one.run, signals) = row[8:]
    scope = next(scope for scope in visit.scopes if scope.no == number)
    one.scope_type, one.scope_key, one.position = scope.type, scope.key, position
    candidate_sets(one, unpack(signals))
    return one
