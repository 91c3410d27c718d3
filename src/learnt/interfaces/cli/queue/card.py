"""One entry of the queue as lines for reading: what is asked, what it changes, and the words it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from learnt.interfaces.cli import screen
from learnt.wire.terminal import columns, line, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from learnt.flows.queue import Card
    from learnt.flows.read import Support
    from learnt.model.piece import Piece
    from learnt.model.proposal import Proposal

_QUOTES = 2
"""Pieces of evidence beside an entry; the rest is a key away."""
_DOCUMENT_CHARS = 240
_TEXT_LINES = 30
"""Of one piece of evidence that is looked at."""


def lines(card: Card, now: str, *, quotes: int = _QUOTES) -> Iterator[str]:
    """The whole entry."""
    asked = card.entry.proposal
    yield "  " + screen.faint(_sort(card, now))
    yield from _asked(card)
    yield from _variants(card)
    shown = [each for each in card.support if each.reference.quote or each.unit is not None][:quotes]
    for support in shown or card.support[:quotes]:
        yield from _support(support)
    rest = len(card.support) - min(quotes, len(card.support))
    if rest > 0:
        yield "      " + screen.faint(f"and {screen.count(rest, 'more piece', 'more pieces')} of evidence")
    if asked.rationale and asked.rationale not in (asked.text[:200], asked.operation):
        yield from screen.pairs([("why", asked.rationale)], "    ")


def _sort(card: Card, now: str) -> str:
    asked = card.entry.proposal
    author = asked.provenance.agent_role if asked.provenance else ""
    return screen.joined(
        asked.operation if asked.operation != "add" else "",
        asked.kind or "",
        f"trust {asked.trust}",
        f"by {author}" if author not in ("", "person", "unknown", "capture", "agent") else "",
        screen.age(asked.created_at, now),
        f"asked {len(card.entry.all)} times" if card.entry.alike else "",
        "seen, not reviewed" if asked.observation else "",
        "waits for a complete scan" if asked.metadata.get("waiting") else "",
        "held: reads like an instruction to agents" if "quarantine" in asked.metadata else "",
    )


def _asked(card: Card) -> Iterator[str]:
    """What is asked for: a text, a change of one, or what is to happen to others."""
    asked, target = card.entry.proposal, card.target
    if target is not None and card.changes:
        yield from difference(card.changes)
        yield "    " + screen.faint(screen.joined(target.id, target.kind, target.status))
        return
    if asked.text:
        yield from screen.body(asked.text, "    ")
    if asked.target_id:
        yield f"    {screen.name(asked.target_id)}"
        yield from screen.body(target.text if target else "(it is not here any more)", "      ")
    for memory in card.related:
        yield f"    {screen.name(memory.id)}  {screen.faint(screen.joined(memory.kind, memory.status))}"
        yield from screen.body(memory.text, "      ")


def _variants(card: Card) -> Iterator[str]:
    """The texts of the others where they are not the same to the letter."""
    shown = {card.entry.proposal.text}
    for each in card.entry.alike:
        if each.text not in shown:
            shown.add(each.text)
            yield "    " + screen.faint("also said:")
            yield from screen.body(each.text, "      ")


def _support(support: Support) -> Iterator[str]:
    reference, unit = support.reference, support.unit
    if reference.quote:
        yield from screen.quoted(reference.quote)
    elif unit is not None and unit.type == "document":
        yield from screen.quoted(line(unit.text, _DOCUMENT_CHARS))
    mark = "" if reference.verified or not reference.quote else "not found in its source"
    yield "      " + screen.faint(screen.joined(reference.ref, f"trust {reference.trust}", mark))


def evidence(card: Card) -> Iterator[str]:
    """Every piece of evidence with the words learnt holds of it."""
    if not card.support:
        yield "  " + screen.faint("It rests on nobody's words but the proposer's.")
    for support in card.support:
        reference, unit = support.reference, support.unit
        said = screen.joined(unit.who, unit.at) if unit is not None else ""
        yield f"  {screen.name(reference.ref)}  {screen.faint(screen.joined(f'trust {reference.trust}', said))}"
        text = unit.text if unit is not None else reference.quote
        rows = list(screen.quoted(text)) if text else []
        yield from rows[:_TEXT_LINES]
        if len(rows) > _TEXT_LINES:
            yield "    " + screen.faint(f"{len(rows) - _TEXT_LINES} more lines: learnt evidence show {reference.ref}")


def difference(pieces: Sequence[Piece], indent: str = "    ") -> Iterator[str]:
    """The old text and the new one, what changes marked in each."""
    yield from _side([each for each in pieces if each.type != "new"], f"{indent}- ", "red")
    yield from _side([each for each in pieces if each.type != "gone"], f"{indent}+ ", "green")


def _side(pieces: Iterable[Piece], lead: str, colour: str) -> Iterator[str]:
    """One text in rows behind its sign: what changes is coloured and underlined."""
    room, row, used = screen.width() - len(lead), "", 0
    for word, changed in _words(pieces):
        size = columns(word)
        if used and used + 1 + size > room:
            yield click.style(lead, fg=colour) + row
            lead, row, used = " " * len(lead), "", 0
        shown = click.style(word, fg=colour, underline=True) if changed else word
        row, used = (f"{row} {shown}", used + 1 + size) if used else (shown, size)
    yield click.style(lead, fg=colour) + row


def _words(pieces: Iterable[Piece]) -> Iterator[tuple[str, bool]]:
    """The words of a text, each with whether any of it changes."""
    word, changed = "", False
    for piece in pieces:
        for at, part in enumerate(plain(piece.text.replace("\n", " ")).split(" ")):
            if at and word:
                yield word, changed
            word, changed = ("", False) if at else (word, changed)
            if part:
                word, changed = word + part, changed or piece.type != "same"
    if word:
        yield word, changed


def title(proposal: Proposal, number: int, total: int) -> str:
    """The line above an entry."""
    head = f" {number} of {total}  {proposal.id} "
    return screen.faint("──") + screen.strong(head) + screen.faint("─" * max(4, screen.width() - len(head) - 2))
