"""What a person wrote, and what is about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

Share = Literal["none", "part", "whole"]
"""How far a memory is a person's: not at all, one of several who stand for it, or it is theirs or about them."""

SUBJECTS = "subjects"
"""Where a memory's metadata names whom it is about."""
LEAST_CHARS = 3
"""A shorter name would be found in half of all words."""


@dataclass(frozen=True, slots=True)
class Person:
    """Everything one person is known as.

    Attributes:
        writers: As a writer of memories and evidence. `names`: as texts speak of them, in lower case.
    """

    writers: frozenset[str]
    names: tuple[str, ...]

    def is_named_in(self, text: str) -> bool:
        """Whether a text speaks of them: one of their names as whole words, in any case."""
        held = text.casefold()
        return any(_holds(held, name) for name in self.names)


def person(given: str, also: Sequence[str] = ()) -> Person:
    """The person that an id or a name means, and other names of theirs.

    An id alone (`person:ID`) is looked for as a writer and as a subject; it is no name that texts would hold.
    """
    bare = given.removeprefix("person:")
    called = [*([] if given.startswith("person:") else [given]), *also]
    writers = {form for each in (bare, *also) for form in (each, f"person:{each}")}
    names = (name.strip().casefold() for name in called)
    return Person(frozenset(writers), tuple(dict.fromkeys(name for name in names if len(name) >= LEAST_CHARS)))


def share_of(memory: Memory, who: Person) -> Share:
    """How far a memory is this person's."""
    subjects = memory.metadata.get(SUBJECTS, ())
    named = [str(each) for each in subjects] if isinstance(subjects, list | tuple) else []
    if who.is_named_in(f"{memory.text}\n{memory.rationale}") or any(_is(who, each) for each in named):
        return "whole"
    writers = {memory.provenance.writer, *(each.writer for each in memory.evidence)} - {""}
    mine = {each for each in writers if each in who.writers}
    if not mine:
        return "none"
    return "part" if writers - mine else "whole"


def asked_by(proposal: Proposal, who: Person) -> bool:
    """Whether a proposal is this person's, or about them."""
    writer = proposal.provenance.writer if proposal.provenance else ""
    return writer in who.writers or who.is_named_in(f"{proposal.text}\n{proposal.rationale}")


def without(memory: Memory, who: Person, now: str) -> Memory:
    """A memory others stand for too, without this person."""
    provenance, source = memory.provenance, memory.source
    return replace(
        memory,
        evidence=tuple(each for each in memory.evidence if each.writer not in who.writers),
        provenance=replace(provenance, writer="") if provenance.writer in who.writers else provenance,
        source=replace(source, created_by="") if source.created_by in who.writers else source,
        updated_at=now,
    )


def _is(who: Person, name: str) -> bool:
    return name in who.writers or name.casefold() in who.names


def _holds(text: str, name: str) -> bool:
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False
