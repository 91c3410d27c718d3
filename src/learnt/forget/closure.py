"""Which memories go with a forgotten one, and which come back for it.

Source: lessons seed, deleting forgets through every copy. Beyond the seed: the earlier wordings of an updated memory
go with it, because they are the same statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.model.forget import Closure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from learnt.model.forget import Kin


def closure(targets: Sequence[str], family: Mapping[str, Kin]) -> Closure:
    """What goes and what comes back when `targets` are forgotten.

    Down: the sources of a target, because they hold the same content; up: whatever was made of something that goes. The
    other sources of what went on the way up come back, unless a merged memory that stays stands for them, and so does
    what any of it had superseded.

    Args:
        family: Every memory that is linked to a target, over any number of links.

    Returns:
        `deleted` in the order of finding, targets first; `restored` by id.
    """
    down = _reach(targets, lambda name: _below(name, family))
    deleted = _reach(down, lambda name: _above(name, family))
    gone = frozenset(deleted)
    freed = {source for name in deleted if name not in set(down) for source in _sources(name, family)} - gone
    held = {
        source for kin in family.values() if kin.id not in gone and kin.status != "deleted" for source in kin.sources
    }
    restored = {name for name in freed - held if (kin := family.get(name)) and kin.status == "consolidated"}
    replaced = {
        kin.id for kin in family.values() if kin.id not in gone and kin.successor in gone and kin.status == "superseded"
    }
    return Closure(deleted=deleted, restored=tuple(sorted(restored | replaced)))


def _reach(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """`start` and everything that follows from it, each once, in the order of finding."""
    found = dict.fromkeys(start)
    waiting = list(found)
    while waiting:
        for name in following(waiting.pop(0)):
            if name not in found:
                found[name] = None
                waiting.append(name)
    return tuple(found)


def _sources(name: str, family: Mapping[str, Kin]) -> tuple[str, ...]:
    kin = family.get(name)
    return kin.sources if kin else ()


def _below(name: str, family: Mapping[str, Kin]) -> tuple[str, ...]:
    """What a memory was made of: its sources, and its own earlier wordings."""
    earlier = sorted(kin.id for kin in family.values() if kin.edited == name)
    return (*_sources(name, family), *earlier)


def _above(name: str, family: Mapping[str, Kin]) -> tuple[str, ...]:
    """What was made of a memory."""
    return tuple(sorted(kin.id for kin in family.values() if name in kin.sources))
