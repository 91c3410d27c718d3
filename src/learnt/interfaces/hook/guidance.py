"""What earlier sessions came to, at a start: the same bytes for as long as the session lasts.

The summary is a row beside the memories. Which one a session was given, and in how much room, stays with its context:
after a compaction it is given again as it was, although a newer one may be there by then. A line goes all the same
when its memory may not be shown any more; what was forgotten takes its summary along.
"""

from __future__ import annotations

from learnt.inject.guidance import marker, render, room_of
from learnt.interfaces.hook.known import allowed, cleared, memory_of, observation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from learnt.interfaces.hook.pinned import Looks
    from learnt.interfaces.hook.visit import Visit


class Guided:
    """The block a start gives, what is named in it, and the note by which the session is given the same again."""

    __slots__ = ("block", "ids", "note")

    def __init__(self, block: str, ids: list[str], note: str) -> None:
        self.block = block
        self.ids = ids
        self.note = note


def guide(visit: Visit, looks: Looks) -> Guided | None:
    """What a start is given of earlier sessions; None where there is no summary that may be shown."""
    found = _summary(visit, room_of(visit.most_chars, visit.limits.summary_tokens))
    if found is None:
        return None
    digest, text, room = found

    def stands(names: list[str]) -> bool:
        return all(_may_be_shown(visit, name, looks) for name in names)

    block, ids = render(text, digest=digest, mark=marker(visit.key, digest), room_chars=room, stands=stands)
    return Guided(block, ids, f"{digest} {room}") if block else None


def _summary(visit: Visit, room_chars: int) -> tuple[str, str, int] | None:
    """Digest, text and room: those of this session's first start, else the present ones."""
    kept = visit.row("guided", (visit.session,))
    digest, _, room = str(kept[0] or "").partition(" ") if kept else ("", "", "")
    for scope in visit.scopes:
        if scope.type != "repository":
            continue
        row = visit.row("guidance_given", (scope.no, digest)) if digest else None
        if row is not None:
            room_chars = min(int(room), visit.most_chars)
        else:
            row = visit.row("guidance", (scope.no,))
        if row is not None and cleared(visit, str(row[2])):
            return str(row[0]), str(row[1]), room_chars
    return None


def _may_be_shown(visit: Visit, name: str, looks: Looks) -> bool:
    """Whether a memory is active, or an observation pending, and neither external nor gone with its code."""
    observed = name.startswith("prop_")
    for scope in visit.scopes:
        row = visit.row("observation" if observed else "warning", (name, scope.no))
        if row is not None:
            known = observation_of(visit, row, scope) if observed else memory_of(row, scope)
            return known.trust != "external" and allowed(visit, known) and known.stands(looks)
    return False
