"""Which proposals a person's rules accept, and how the rules are written down. Pure.

A source is somebody who says where it stands: a writer and a place. Sources are independent when both differ, so one
agent that names two files is one source, and two agents that name the same file are one too. A place counts only when
it can be looked at (a file that is there, words that were found in a transcript, a person), never because an agent says
so: that is what `checked` tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from learnt.govern.reference import path_of
from learnt.model.kinds import KINDS, PROMOTABLE_KINDS, TRUSTS
from learnt.model.rule import AcceptRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from learnt.model.kinds import Trust
    from learnt.model.memory import Reference
    from learnt.model.proposal import Proposal

MAX_RULES: Final = 50
MAX_SOURCES: Final = 10
COUNTED: Final[tuple[Trust, ...]] = ("person", "repository", "tool")
"""Trusts of which a source may be at all: never an agent's own words, never what came from outside."""


def accepting(
    rules: Iterable[AcceptRule],
    proposal: Proposal,
    alike: Sequence[Proposal],
    *,
    place: str,
    checked: Callable[[Reference], bool],
) -> AcceptRule | None:
    """The first rule that accepts `proposal`, or None.

    Args:
        alike: Other waiting proposals that say the same; their evidence counts too.
        place: The identity value of the repository.
        checked: Whether what a reference points at was looked at and is there.
    """
    if (
        proposal.operation != "add"
        or proposal.status != "pending"
        or proposal.metadata.keys() & {"quarantine", "waiting"}
    ):
        return None
    given = [reference for each in (proposal, *alike) for reference in each.evidence if checked(reference)]
    for rule in rules:
        fits = proposal.kind in rule.kinds and (not rule.repositories or place in rule.repositories)
        if fits and independent(given, rule.trust) >= rule.sources:
            return rule
    return None


def independent(references: Iterable[Reference], least: Trust) -> int:
    """How many of these are independent of one another: the most that differ in writer and in place, two by two.

    Cost: a matching of writers with places, at most 10 by 20.
    """
    enough = TRUSTS[: TRUSTS.index(least) + 1]
    edges: dict[str, set[str]] = {}
    for each in references:
        if each.trust in enough and each.trust in COUNTED:
            edges.setdefault(each.writer, set()).add(place_of(each))
    taken: dict[str, str] = {}
    return sum(_matched(writer, edges, taken, set()) for writer in edges)


def _matched(writer: str, edges: dict[str, set[str]], taken: dict[str, str], tried: set[str]) -> bool:
    """Give a writer a place of its own, moving others where need be."""
    for place in sorted(edges[writer] - tried):
        tried.add(place)
        if place not in taken or _matched(taken[place], edges, taken, tried):
            taken[place] = writer
            return True
    return False


def place_of(reference: Reference) -> str:
    """Where a reference points, without the part of it: one file, one session, one person is one place."""
    match reference.type:
        case "file":
            return f"file:{path_of(reference)}"
        case "transcript":
            return reference.ref.partition("#")[0]
        case _:
            return f"{reference.type}:{reference.ref}"


def read(table: Any) -> tuple[tuple[AcceptRule, ...], tuple[tuple[str, str], ...]]:
    """The rules of a configuration's `[[rules]]`, and what of it has no effect: where, and why."""
    if not isinstance(table, list):
        return (), (("rules", "must be written as [[rules]]"),) if table else ()
    rules, ignored = [], []
    for number, given in enumerate(table, 1):
        why = f"at most {MAX_RULES} rules" if number > MAX_RULES else _wrong(given)
        if why:
            ignored.append((f"rules.{number}", why))
            continue
        rules.append(
            AcceptRule(
                kinds=tuple(given["kinds"]),
                sources=given.get("sources", 2),
                trust=given.get("trust", "tool"),
                repositories=tuple(given.get("repositories", ())),
            )
        )
    return tuple(rules), tuple(ignored)


def _wrong(given: Any) -> str:
    """What is wrong with a rule; a wrong one has no effect at all, for half a rule accepts too much."""
    if not isinstance(given, dict):
        return "must be a table"
    if unknown := given.keys() - {"kinds", "sources", "trust", "repositories"}:
        return f"a rule has no {', '.join(sorted(map(str, unknown)))}"
    kinds, sources = given.get("kinds"), given.get("sources", 2)
    if not isinstance(kinds, list) or not kinds or any(kind not in PROMOTABLE_KINDS for kind in kinds):
        durable = ", ".join(kind for kind in KINDS if kind in PROMOTABLE_KINDS)
        return f"kinds must be a list of durable kinds: {durable}"
    if not isinstance(sources, int) or isinstance(sources, bool) or not 1 <= sources <= MAX_SOURCES:
        return f"sources must be a whole number from 1 to {MAX_SOURCES}"
    if given.get("trust", "tool") not in COUNTED:
        return f"trust must be one of {', '.join(COUNTED)}: agents' own words and outside texts never count"
    places = given.get("repositories", [])
    if not isinstance(places, list) or not all(isinstance(each, str) for each in places):
        return "repositories must be a list of texts"
    return ""
