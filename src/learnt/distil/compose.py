"""What many sessions and what is known come to: one entry for each statement, however often it was met.

The offline writer of phase 2. Equal input gives an equal playbook, in whatever order it comes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from learnt.distil.near import Gist, gist, joined
from learnt.distil.newer import standing
from learnt.distil.procedure import is_refused, refusals, skills
from learnt.model.extraction import OFFLINE, Entry, Playbook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.model.extraction import Extraction, Fact, Section, Skill, Standing
    from learnt.model.memory import Memory
    from learnt.model.proposal import Proposal

MAX_ENTRIES: Final = 1_000
MAX_REFS: Final = 12
"""Shown of one entry; the count of sessions tells the rest."""
STANDINGS: Final[tuple[Standing, ...]] = ("active", "person", "observed", "unreviewed")
"""The strongest first."""
SHOWN: Final = frozenset({"active", "person", "observed"})
"""Standings that may be put before an agent. Source: issue of the sessions, phase 2."""
_SESSION = re.compile(r"session:([^#\s]{1,200})#")
_SECTION_OF: Final[dict[object, Section]] = {
    "failed_then_fixed": "failure",
    "recipe": "workflow",
    "failure_pattern": "failure",
    "architecture_decision": "decision",
    "repo_convention": "constraint",
}
"""By what an observation came from, else by its kind; anything else is a pitfall."""
_TOLD = re.compile(
    r"(?P<corrected>` fails here: .{0,400}What worked instead: `)|(?P<cured>` fails with: .{0,400}It works after `)|"
    r"(?P<churned>^`[^`]{1,200}` was edited \d+ times before `)|(?P<refused>^An edit of `)",
    re.DOTALL,
)
"""How capture words its lessons."""
_CODE = re.compile(r"`[^`\n]{1,200}`")
_COMPLAINT = re.compile(
    r"(?<= fails here: ).*?(?=What worked instead: `)|(?<= fails with: ).*?(?=It works after `)|"
    r" Its last complaint: .*| is refused: .*",
    re.DOTALL,
)
_PERSONS: Final[frozenset[Section]] = frozenset({"decision", "constraint", "workflow"})
"""What a person's words alone make of a fact; that something failed they do not prove."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One statement from one place, before equal ones are joined."""

    entry: Entry
    sessions: frozenset[str]
    commands: tuple[str, ...] = ()


def compose(
    extractions: Iterable[Extraction],
    memories: Iterable[Memory] = (),
    observations: Iterable[Proposal] = (),
    rejected: Iterable[str] = (),
    writer: str = OFFLINE,
) -> Playbook:
    """The playbook of a repository.

    Args:
        memories: What is remembered; only active ones are taken.
        observations: Pending proposals; only observations are taken.
        rejected: Statements a person said no to; whatever says the same is left out.
    """
    taken = sorted(extractions, key=lambda each: each.session_id)
    refused = list(rejected)
    entries = entries_of(taken, memories, observations, refused)
    made = skills(taken, refused)
    return Playbook(
        writer=writer,
        entries=tuple(entries[:MAX_ENTRIES]),
        summary=standing(each for each in entries if each.standing in SHOWN and not _is_told(each, made)),
        skills=made,
    )


def entries_of(
    extractions: Iterable[Extraction],
    memories: Iterable[Memory] = (),
    observations: Iterable[Proposal] = (),
    rejected: Iterable[str] = (),
) -> list[Entry]:
    """Every statement once, what may be shown first."""
    rejected = list(rejected)
    refused = refusals(rejected)
    pieces = [
        *(_of_memory(each) for each in memories if each.status == "active"),
        *(_of_proposal(each) for each in observations if each.observation and each.status == "pending"),
        *(piece for each in extractions for piece in _of_extraction(each) if not is_refused(piece.commands, refused)),
        *(_refusal(text) for text in rejected),
    ]
    groups = joined(pieces, _gist, _order)
    return sorted((_joined(group) for group in groups if not _is_refused(group)), key=rank)


def _is_told(entry: Entry, made: Sequence[Skill]) -> bool:
    """Whether a skill says these very steps."""
    steps = entry.text.partition(": ")[2].rstrip(".")
    told = entry.section == "workflow" and entry.standing == "observed" and ", then " in steps
    return told and any(steps in skill.description for skill in made)


def rank(entry: Entry) -> tuple[object, ...]:
    """The order of entries: standing, in how many sessions it was met, how lately, then its text."""
    return (STANDINGS.index(entry.standing), -entry.sessions, backwards(entry.updated_at), entry.text, entry.refs)


def standing_of(fact: Fact) -> Standing:
    """By what a fact may be shown: a person's own words, what exit codes showed, or nothing."""
    speakers = {quote.speaker for quote in fact.quotes}
    if speakers == {"person"} and fact.section in _PERSONS:
        return "person"
    return "observed" if speakers == {"tool"} and fact.worked else "unreviewed"


def label(standing: Standing, sessions: int, trust: str = "") -> str:
    """How a reader is told what an entry rests on."""
    times = "once" if sessions <= 1 else f"in {sessions} sessions"
    match standing:
        case "active":
            return f"trust {trust}" if trust else "reviewed"
        case "person":
            return f"said by a person {times}, not reviewed"
        case "observed":
            return f"seen {times}, not reviewed"
        case "unreviewed":
            return "not reviewed" if sessions <= 1 else f"not reviewed, met {times}"


def _of_memory(memory: Memory) -> Piece:
    sessions = frozenset(_sessions(each.ref for each in memory.evidence))
    entry = Entry(
        text=memory.text,
        section="memory",
        standing="active",
        refs=(memory.id,),
        updated_at=memory.updated_at,
        label=label("active", 1, memory.trust),
    )
    return Piece(entry=entry, sessions=sessions)


def _of_proposal(proposal: Proposal) -> Piece:
    refs = tuple(each.ref for each in proposal.evidence)
    entry = Entry(
        text=proposal.text,
        section=_SECTION_OF.get(proposal.metadata.get("origin"), _SECTION_OF.get(proposal.kind, "pitfall")),
        standing="observed",
        refs=(proposal.id, *dict.fromkeys(refs)),
        updated_at=proposal.created_at,
    )
    return Piece(entry=entry, sessions=frozenset(_sessions(refs)))


def entry_of(extraction: Extraction, fact: Fact) -> Entry:
    """What one fact of a session comes to by itself."""
    refs = dict.fromkeys(f"session:{extraction.session_id}#{quote.record}" for quote in fact.quotes)
    return Entry(
        text=fact.text,
        section=fact.section,
        standing=standing_of(fact),
        refs=tuple(refs),
        updated_at=extraction.source_updated_at,
    )


def _of_extraction(extraction: Extraction) -> Iterator[Piece]:
    for fact in extraction.facts:
        entry = entry_of(extraction, fact)
        yield Piece(entry=entry, sessions=frozenset({extraction.session_id}), commands=fact.commands)


_REFUSED: Final = "rejected"


def _refusal(text: str) -> Piece:
    return Piece(
        entry=Entry(text=text, section="memory", standing="unreviewed", refs=(_REFUSED,)), sessions=frozenset()
    )


def _is_refused(group: Sequence[Piece]) -> bool:
    """Whether a person said no to what a group says; what was accepted all the same stays."""
    refused = any(piece.entry.refs == (_REFUSED,) for piece in group)
    return refused and all(piece.entry.standing != "active" for piece in group)


def _gist(piece: Piece) -> Gist:
    """What is compared of a statement.

    Of a sequence of commands the sequence itself, for order is what it says; of what capture tells of commands and
    files their names, for the complaint beside them is another in each run.
    """
    if piece.entry.section == "workflow" and len(piece.commands) > 1:
        return Gist(frozenset({"\0".join(piece.commands)}), frozenset(), denies=False)
    text = piece.entry.text
    shape = _TOLD.search(text)
    if shape is not None:
        return Gist(
            frozenset({shape.lastgroup or "", *_CODE.findall(_COMPLAINT.sub("", text))}), frozenset(), denies=False
        )
    return gist(text)


def _sessions(refs: Iterable[str]) -> Iterator[str]:
    return (found[1] for ref in refs if (found := _SESSION.match(ref)))


def _order(piece: Piece) -> tuple[object, ...]:
    entry = piece.entry
    return (STANDINGS.index(entry.standing), backwards(entry.updated_at), entry.text, entry.section, entry.refs)


def _joined(group: Sequence[Piece]) -> Entry:
    """One entry for a group: the words of its strongest member, the references and sessions of all."""
    members = sorted((piece for piece in group if piece.entry.refs != (_REFUSED,)), key=_order)
    first = members[0].entry
    sessions = frozenset[str]().union(*(piece.sessions for piece in members))
    met = max(1, len(sessions))
    refs = dict.fromkeys(sorted((ref for piece in members for ref in piece.entry.refs), key=_ref_order))
    return replace(
        first,
        refs=tuple(refs)[:MAX_REFS],
        sessions=met,
        updated_at=max(piece.entry.updated_at for piece in members),
        label=first.label or label(first.standing, met),
    )


def _ref_order(ref: str) -> tuple[int, str]:
    """Memories first, then proposals, then places in sessions."""
    return (0 if ref.startswith("mem_") else 1 if ref.startswith("prop_") else 2, ref)


def backwards(instant: str) -> tuple[int, ...]:
    """A key by which later instants come first."""
    return tuple(-ord(char) for char in instant)
