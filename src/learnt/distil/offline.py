"""What a session taught, found without a model: the writer that people get by default.

It fills the same values as a model does, from what was done (commands and how they ended) and from what was said. A
trivial fact costs more than a missing one, so each rule asks for more than it could.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.distil.comments import Comments
from learnt.distil.commits import Commits
from learnt.distil.draft import MAX_FACTS, Draft, fact
from learnt.distil.ending import Ending
from learnt.distil.line import unquoted
from learnt.distil.near import adding, gist, same
from learnt.distil.payload import without_blocks
from learnt.distil.remarks import Remarks
from learnt.distil.sorts import DECIDED, said
from learnt.distil.synopsis import Synopsis
from learnt.model.extraction import Quote
from learnt.model.quoted import is_reported
from learnt.model.session import Call, Prompt, Reply, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from learnt.distil.near import Gist
    from learnt.model.extraction import Fact, Section, Speaker
    from learnt.model.lesson import Harvest, Lesson
    from learnt.model.memory import Reference
    from learnt.model.session import SessionEvent

_SECTION_OF: Final[dict[str, Section]] = {
    "instruction": "constraint",
    "failed_then_fixed": "failure",
    "churn_before_pass": "pitfall",
    "recipe": "workflow",
}
_CHOICES: Final[dict[str, Section]] = {"decision": "decision", "preference": "constraint"}
_SETTLED = re.compile(
    r"\b(?:decided|decision|settled on|agreed|opted|standardi[sz]e|from now on|going forward|prefer|"
    r"we (?:switched|moved|migrated)|(?:we're|we are) (?:going with|switching|moving|adopting|dropping))\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:for now|option|this time|today|this (?:pr|branch|commit|session|issue|one)|your call|if (?:you|we)|"
    r"(?:with|do|like) (?:[a-d]|\d)\b|prefere?s? (?:if|to (?:see|have|discuss)))|#\d+|\?",
    re.IGNORECASE,
)
"""A choice of the moment, or one that is not made yet."""
PROMPT_CHARS: Final = 1_500
MAX_CHOICES: Final = 4
_MARK: Final = "[REDACTED"


class Extractor:
    """A fold over the events of a session, cleaned and redacted: `feed` each, then take the `draft`.

    Args:
        risky: Whether a command is never to be suggested.
    """

    def __init__(self, *, session_id: str, root: str, risky: Callable[[str], bool]) -> None:
        self._session_id = session_id
        self._synopsis = Synopsis(root)
        self._ending = Ending(session_id, root, risky)
        self._commits = Commits(session_id)
        self._comments = Comments(session_id, root)
        self._remarks = Remarks(session_id)
        self._choices: list[Fact] = []

    def feed(self, event: SessionEvent) -> None:
        """The next event."""
        match event:
            case Prompt():
                self._synopsis.asked(event)
                self._remarks.turned()
                self._chosen(event)
            case Reply():
                self._synopsis.said(event)
                self._remarks.said(event)
            case Call():
                self._synopsis.called(event)
                self._ending.called(event)
                self._commits.called(event)
                self._comments.called(event)
            case Result():
                self._synopsis.answered(event)
                self._ending.answered(event)
                self._commits.answered(event)
                self._comments.answered(event)
            case _:
                pass

    def draft(self, harvest: Harvest) -> Draft:
        """Everything that was found.

        Args:
            harvest: What capture found in the same events.
        """
        lessons = (each for each in harvest.lessons if each.origin in _SECTION_OF)
        written = list(adding([*self._commits.facts(), *self._comments.facts()], lambda each: each.text))
        every = [
            *self._lessons(lessons),
            *self._choices,
            *self._ending.facts(harvest.recipes),
            *written,
            *self._remarks.facts(each.text for each in written),
        ]
        facts: list[Fact] = []
        told: list[Gist] = []
        dropped: dict[str, int] = {}
        for each in every:
            meant = gist(each.text)
            reason = _fault(each, meant, told)
            if reason:
                dropped[reason] = dropped.get(reason, 0) + 1
            else:
                facts.append(each)
                told.append(meant)
        return Draft(
            summary=self._synopsis.summary(),
            slug=self._synopsis.slug(),
            facts=tuple(facts),
            dropped=dict(sorted(dropped.items())),
        )

    def _chosen(self, prompt: Prompt) -> None:
        """What a person decided or prefers, where they say so in a message of their own that is no document."""
        words = unquoted(without_blocks(prompt.text))
        if not prompt.typed or prompt.sidechain or len(words) > PROMPT_CHARS or len(self._choices) >= MAX_CHOICES:
            return
        for each in said(words):
            settled = _SETTLED.search(each.text) or DECIDED.search(each.text)
            theirs = is_reported(each.text) or _PASSING.search(each.text)
            if each.sort in _CHOICES and settled and not theirs:
                quote = Quote(speaker="person", text=each.quote[:500], record=prompt.span.record)
                self._choices.append(fact(self._session_id, _CHOICES[each.sort], each.text, (quote,)))

    def _lessons(self, lessons: Iterable[Lesson]) -> Iterator[Fact]:
        for lesson in lessons:
            quotes = tuple(quote for each in lesson.evidence if (quote := _quote(each)) is not None)
            if quotes:
                yield fact(
                    self._session_id,
                    _SECTION_OF[lesson.origin],
                    lesson.text,
                    quotes,
                    files=lesson.files,
                    commands=(lesson.command,) if lesson.command else (),
                    worked=lesson.observation,
                )


def _fault(found: Fact, meant: Gist, told: list[Gist]) -> str:
    if _MARK in found.text or any(_MARK in command for command in found.commands):
        return "secret"
    if len(told) >= MAX_FACTS:
        return "too_many"
    return "repeated" if any(meant == each or same(meant, each) for each in told) else ""


def _quote(reference: Reference) -> Quote | None:
    """The quote of a lesson's reference, with its record; None when it has none."""
    record = reference.ref.rpartition("#")[2]
    speakers: dict[str, Speaker] = {"person": "person", "tool": "tool"}
    if not reference.quote.strip() or not record.isdecimal():
        return None
    return Quote(speaker=speakers.get(reference.trust, "agent"), text=reference.quote[:500], record=int(record))


def extracted(
    events: Iterable[SessionEvent], harvest: Harvest, *, session_id: str, root: str, risky: Callable[[str], bool]
) -> Draft:
    """The draft of a whole session."""
    extractor = Extractor(session_id=session_id, root=root, risky=risky)
    for event in events:
        extractor.feed(event)
    return extractor.draft(harvest)
