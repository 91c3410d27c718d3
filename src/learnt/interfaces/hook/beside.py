"""What a merge tied to the memories found, in places nobody else wants, as the engine does it (`learnt.flows.beside`).

A store without merges pays one look into an index, and never loads this.
"""

from __future__ import annotations

from learnt.interfaces.hook.known import allowed, memory_of
from learnt.interfaces.hook.pinned import Looks
from learnt.model.relation import gathered
from learnt.recall.beside import beside, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from learnt.inject.block import Shown
    from learnt.interfaces.hook.known import Known
    from learnt.interfaces.hook.visit import Visit


def tied(
    visit: Visit, order: list[tuple[float, Shown]], pairs: list[tuple[Any, ...]], given: dict[str, bool]
) -> list[tuple[float, Shown]]:
    """The items to show behind `order`; `pairs` are rows of the statement `tied`."""
    ties = gathered((str(one), str(other)) for one, other in pairs)
    looks = Looks(visit)
    known = {}
    for name in sorted({name for others in ties.values() for name in others}):
        if name not in given and (found := _read(visit, name)) and allowed(visit, found) and found.stands(looks):
            known[name] = found
    hits = [found for _, item in order if (found := _read(visit, item.id))]
    last = order[-1][0]
    shown: list[tuple[float, Shown]] = []
    for one, source in beside(hits, ties, known, visit.limits.max_items, capped=True):  # type: ignore[arg-type]
        item = known[one.id].shown(visit, last)
        item.labels = (*item.labels, told(source))
        shown.append((last, item))
    return shown


def _read(visit: Visit, name: str) -> Known | None:
    """An active memory of one of the scopes here."""
    for scope in visit.scopes:
        row = visit.row("warning", (name, scope.no))
        if row is not None:
            return memory_of(row, scope)
    return None
