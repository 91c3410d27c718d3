"""Instructions a person gave or repeated, as lessons."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from learnt.capture.attempt import shortened
from learnt.capture.directive import TOOLS, directives
from learnt.capture.echo import own_words
from learnt.capture.evidence import cited
from learnt.model.anchor import command_keys
from learnt.model.lesson import Lesson
from learnt.model.symbol import code_symbols

if TYPE_CHECKING:
    from learnt.capture.directive import Directive
    from learnt.model.session import Prompt, Span

DIRECT_CHARS: Final = 400
"""A longer message is taken for a paste or a plan. Source: issue of the spine, rule (a)."""
LONGEST_CHARS: Final = 2_500
"""Beyond it a message is a document that was handed over; nothing in it is taken for a rule."""
MAX_KEPT: Final = 64
_SAME: Final = 0.6
"""Token overlap from which two instructions are one repeated."""
_PASTE_MARK: Final = "[Pasted text"


class _Said:
    """One instruction, and the words it was said in at each place."""

    __slots__ = ("at", "direct", "directive", "places", "tokens")

    def __init__(self, directive: Directive, tokens: frozenset[str], at: str, *, direct: bool) -> None:
        self.directive = directive
        self.tokens = tokens
        self.at = at
        self.direct = direct
        self.places: dict[Span, str] = {}


class Instructions:
    """A fold over prompts: `feed` each, then read `lessons`."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._said: list[_Said] = []

    def feed(self, prompt: Prompt, *, alone: bool = True) -> None:
        """Note the instructions of one message of the person; `alone` when nothing else speaks in its record."""
        words = own_words(prompt.text)
        if not words or len(words) > LONGEST_CHARS or not prompt.typed or prompt.sidechain:
            return
        direct = alone and len(words) <= DIRECT_CHARS and _PASTE_MARK not in prompt.text
        for directive in directives(words):
            if direct or directive.standing:
                self._note(directive, prompt, direct=direct and (directive.certain or not directive.standing))

    def _note(self, directive: Directive, prompt: Prompt, *, direct: bool) -> None:
        tokens = _tokens(directive.text)
        known = next((said for said in self._said if _same(said, directive, tokens)), None)
        if known is None:
            if len(self._said) >= MAX_KEPT:
                return
            known = _Said(directive, tokens, prompt.at, direct=direct)
            self._said.append(known)
        elif directive.standing and not known.directive.standing:
            known.directive, known.direct = directive, direct
        known.places.setdefault(prompt.span, directive.quote)

    def lessons(self) -> tuple[Lesson, ...]:
        """Rules first stated as rules, then those that repetition or a correction made one; in order of being said."""
        return tuple(self._lesson(said) for said in self._said if self._lasting(said))

    def _lasting(self, said: _Said) -> bool:
        repeated = len(said.places) > 1 and said.direct and len(said.tokens) >= 3
        return said.directive.standing or (repeated and _HABITS.match(said.directive.text.lower()) is not None)

    def _lesson(self, said: _Said) -> Lesson:
        directive = said.directive
        text = shortened(directive.text, 500)
        text = text if text.endswith((".", "!", "\u2026", "\u3002", "\uff01")) else text + "."
        repeated = len(said.places) > 1
        trigger = [("command", "^" + name) for name in directive.forbidden if name in TOOLS]
        trigger += [("command", key) for name in directive.forbidden if name not in TOOLS for key in command_keys(name)]
        how = "repeated it" if repeated else "corrected the agent with it" if directive.insisted else "said so"
        return Lesson(
            origin="instruction",
            kind="repo_convention",
            text=text,
            rationale=f"A person {how} in this session.",
            evidence=cited(self._session_id, islice(said.places.items(), 5), "person"),
            at=said.at,
            tags=("instruction",),
            symbols=code_symbols(directive.text)[:6],
            trigger=tuple(trigger),
            confidence=0.9 if said.direct else 0.7,
            expected_value=0.95 if repeated or directive.insisted else 0.9,
            direct=said.direct,
        )


_HABITS = re.compile(r"(?:use|run|prefer|avoid|do not|don.?t|stop|only|keep|follow|stick|ask|make sure|ensure)\b")
"""How a weaker sentence begins that its repetition turns into a rule; "create ..." twice is two tasks."""

_STOP: Final = frozenset(
    ["the", "a", "an", "to", "and", "please", "in", "it", "of", "for", "on", "is", "be", "we", "you"]
)


def _tokens(text: str) -> frozenset[str]:
    words = "".join(char if char.isalnum() else " " for char in text.lower()).split()
    return frozenset(word for word in words if word not in _STOP)


def _same(said: _Said, directive: Directive, tokens: frozenset[str]) -> bool:
    """Whether a sentence repeats another.

    Two rules that differ in one word each ("never use npm", "never use yarn") are two, however much they share.
    """
    if said.directive.forbidden != directive.forbidden or _overlap(said.tokens, tokens) < _SAME:
        return False
    return not directive.standing or not said.directive.standing or said.tokens <= tokens or tokens <= said.tokens


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity."""
    return len(one & other) / len(one | other) if one and other else 0.0
