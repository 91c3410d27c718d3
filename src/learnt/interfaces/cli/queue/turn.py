"""Deciding at a terminal: one entry after another, one key each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from learnt.errors import LearntError, StoreError
from learnt.interfaces.cli import screen
from learnt.interfaces.cli.frame import say, say_error
from learnt.interfaces.cli.queue import card as cards
from learnt.interfaces.cli.queue.keys import Keyboard
from learnt.model.answer import Decided, Refusal
from learnt.model.kinds import KINDS, PROMOTABLE_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from learnt.engine import Engine
    from learnt.flows.queue import Card

KEYS = "a accept   e edit   r reject   s skip   v evidence   u undo   q quit   ? help"
_HELP = (
    ("a", "accept: it becomes memory (or what it asks for is done), and all that ask for the same with it"),
    ("e", "edit the text, then accept it so"),
    ("k", "accept it as another kind"),
    ("r", "reject"),
    ("R", "reject and say why"),
    ("s", "leave it for later (also space, and the down arrow)"),
    ("b", "back to the one before"),
    ("v", "the evidence it rests on, in full"),
    ("u", "take your last answer back"),
    ("q", "stop; what you did not answer goes on waiting"),
)
_REASON = "not wanted"


def _edited(text: str) -> str | None:
    """The text as the person's editor gives it back; typed in a line where there is no editor."""
    try:
        changed = click.edit(text, extension=".md")
    except click.ClickException:
        say([screen.faint("There is no editor ($EDITOR); type the whole text in one line.")])
        changed = str(click.prompt("Text", default=text, show_default=False))
    return None if changed is None else changed.strip()


def _asked(words: str) -> str:
    """A line typed by the person."""
    return str(click.prompt(words, default="", show_default=False))


@dataclass(slots=True)
class Turn:
    """A person going through the queue.

    Attributes:
        edit: Gives a text changed by the person, None for unchanged. `ask`: a line typed.
    """

    engine: Engine
    deck: Sequence[Card]
    total: int
    keyboard: Keyboard = field(default_factory=Keyboard)
    edit: Callable[[str], str | None] = _edited
    ask: Callable[[str], str] = _asked
    counts: Counter[str] = field(default_factory=Counter)
    _last: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)

    def run(self) -> None:
        """Go through the entries until the end or `q`."""
        at: int | None = 0
        with self.keyboard.open():
            while at is not None:
                at = self._ended(at) if at >= len(self.deck) else self._shown(at)
        say(["", *self._summary()])

    def _shown(self, at: int) -> int | None:
        """Show an entry and take its answer; the place of the next one, None to stop."""
        say(["", *self._above(at), screen.faint(KEYS)])
        step = self._answered(self.deck[at], at)
        return None if step is None else max(0, at + step)

    def _above(self, at: int) -> Iterator[str]:
        """An entry, without the keys."""
        card = self.deck[at]
        yield cards.title(card.entry.proposal, at + 1, self.total)
        yield from cards.lines(card, screen.now())
        yield ""

    def _ended(self, at: int) -> int | None:
        """After the last entry: the answer to it may still be taken back."""
        if not self._last:
            return None
        say(["", screen.faint("That was the last one.   u undo   any other key ends")])
        return at + step if self.keyboard.key() == "u" and (step := self._undo(at)) else None

    def _answered(self, card: Card, at: int) -> int | None:
        """Take keys until one moves on: by how many entries; None to stop."""
        while True:
            match self.keyboard.key():
                case "a":
                    moved = self._decide(card, at, "accept")
                case "e":
                    moved = self._edit(card, at)
                case "k":
                    moved = self._kind(card, at)
                case "r":
                    moved = self._decide(card, at, "reject", reason=_REASON)
                case "R":
                    moved = self._decide(card, at, "reject", reason=self._typed("Why") or _REASON)
                case "s":
                    self.counts["skipped"] += 1
                    return 1
                case "b":
                    return -1
                case "u":
                    moved = self._undo(at)
                case "q":
                    return None
                case "v":
                    moved = self._told(cards.evidence(card))
                case "?" | "h":
                    moved = self._told(screen.pairs(_HELP))
                case _:
                    continue
            if moved:
                return moved
            say([screen.faint(KEYS)])

    def _told(self, lines: Iterator[str]) -> int:
        say(lines)
        return 0

    def _edit(self, card: Card, at: int) -> int:
        asked = card.entry.proposal
        if not asked.text:
            say([screen.faint("There is no text to edit.")])
            return 0
        with self.keyboard.away():
            text = self.edit(asked.text)
        if text is None or not text.strip() or text == asked.text:
            say([screen.faint("The text is as it was; nothing was decided.")])
            return 0
        return self._decide(card, at, "accept", text=text)

    def _typed(self, words: str) -> str:
        with self.keyboard.away():
            return self.ask(words)

    def _kind(self, card: Card, at: int) -> int:
        durable = [kind for kind in KINDS if kind in PROMOTABLE_KINDS]
        say(screen.faint(row) for row in screen.body("Kinds: " + ", ".join(durable)))
        kind = self._typed("Kind").strip()
        if kind not in durable:
            say([screen.faint("No such kind; nothing was decided.")])
            return 0
        return self._decide(card, at, "accept", kind=kind)

    def _decide(self, card: Card, at: int, action: str, **fields: Any) -> int:
        """Answer an entry; 1 when it was answered, 0 when that was not possible."""
        asked, alike = card.entry.proposal, [each.id for each in card.entry.alike]
        try:
            given: Decided | Refusal = self.engine.answer(asked.id, action, alike=alike, **fields)  # type: ignore[arg-type]
        except StoreError:
            raise
        except LearntError as error:
            hint = "k accepts it as another kind." if error.error_code == "not_promotable" else error.advice
            say_error(error.message, hint, {})
            return 0
        if isinstance(given, Refusal):
            say_error(given.message, given.hint, given.details)
            return int(given.code == "conflict")
        self._last.append((at, action, (given.event, *given.folded_events)))
        self.counts[f"{action}ed"] += 1
        say(_done(given, action))
        return 1

    def _undo(self, at: int) -> int:
        """Take the last answer back and go to its entry."""
        if not self._last:
            say([screen.faint("You answered nothing yet.")])
            return 0
        place, action, events = self._last.pop()
        for event in reversed(events):
            try:
                answer = self.engine.undo(event)
            except LearntError as error:
                say_error(error.message, error.advice, {})
                return 0
            if isinstance(answer, Refusal):
                say_error(answer.message, answer.hint, answer.details)
                return 0
        self.counts[f"{action}ed"] -= 1
        say([screen.strong("Taken back.")])
        if place == at:
            say(["", *self._above(place)])
        return place - at

    def _summary(self) -> Iterator[str]:
        done = [f"{number} {word}" for word, number in self.counts.items() if number]
        left = self.engine.pending(1).entries
        waits = f"{screen.count(left, 'entry waits', 'entries wait')} now." if left else "Nothing waits now."
        yield f"{', '.join(done) or 'Nothing decided'}. {waits}"


def _done(given: Decided, action: str) -> Iterator[str]:
    word = "Accepted" if action == "accept" else "Rejected"
    made = f"  {given.memory.id}" if given.memory is not None and action == "accept" else ""
    folded = f"  and {len(given.folded)} alike" if given.folded else ""
    yield f"{screen.strong(word)}{screen.name(made)}{screen.faint(folded)}"
    for name in given.superseded:
        yield screen.faint(f"  replaced {name}")
