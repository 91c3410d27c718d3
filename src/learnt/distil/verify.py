"""Whether a session really holds what a model says it taught: every assertion quotes a span, in the mouth it names.

One pass over the events; what is kept are the assertions, never the session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from learnt.distil.draft import FACT_CHARS, MAX_FACTS, QUOTE_CHARS, SUMMARY_CHARS, Draft, fact, slug
from learnt.distil.line import clipped, collapsed, unquoted
from learnt.distil.payload import MAX_OPEN_CALLS, spoken
from learnt.distil.support import agrees, sentence, supported
from learnt.model.extraction import Quote
from learnt.model.session import Call, Result
from learnt.model.shell import proven

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from learnt.distil.schema import Assertion, Assertions
    from learnt.model.extraction import Fact, Speaker
    from learnt.model.session import SessionEvent

MIN_QUOTE: Final = 8
"""A shorter quote is found anywhere."""
MAX_COMMANDS: Final = 12
MAX_FILES: Final = 12


@dataclass(slots=True)
class _Open:
    """An assertion that waits for its quote.

    Attributes:
        found: The record where the quote stands; `elsewhere`: it stands in another mouth.
        own: Whether it stands in a command, not in what one printed: anybody may have written that.
        ran: Which of its commands were run, and how the last run of each ended.
        files: Which of its paths the session names.
    """

    assertion: Assertion
    quote: str
    found: int | None = None
    elsewhere: bool = False
    own: bool = False
    ran: dict[str, bool] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)


class Verifier:
    """A fold over the events of a session: `feed` each, then take the `draft`.

    Args:
        risky: Whether a command is never to be suggested.
    """

    def __init__(self, assertions: Assertions, *, session_id: str, risky: Callable[[str], bool]) -> None:
        self._assertions = assertions
        self._session_id = session_id
        self._risky = risky
        self._dropped: dict[str, int] = {}
        self._open: list[_Open] = []
        self._calls: dict[str, str] = {}
        seen: set[tuple[str, str]] = set()
        for assertion in assertions.assertions:
            reason = _fault(assertion, seen)
            if reason:
                self._drop(reason)
            else:
                seen.add((assertion.section, collapsed(assertion.text).lower()))
                self._open.append(_Open(assertion, collapsed(assertion.quote)))

    def feed(self, event: SessionEvent) -> None:
        """The next event, cleaned and redacted."""
        for who, record, text in spoken((event,)):
            self._heard(who, record, text, ran=isinstance(event, Call))
        match event:
            case Call() if event.action == "shell" and event.target:
                self._calls[event.call_id] = event.target
                if len(self._calls) > MAX_OPEN_CALLS:
                    del self._calls[next(iter(self._calls))]
            case Result():
                self._answered(event)
            case Call() if event.target:
                self._heard("agent", event.span.record, event.text)
                self._named(event.target)
            case _:
                pass

    def _answered(self, result: Result) -> None:
        """A result: its words are a tool's whatever tool it was, and a command's end is noted."""
        self._heard("tool", result.span.record, result.text)
        command = self._calls.pop(result.call_id, None)
        if command is None:
            return
        whole = collapsed(command)
        parts = {whole, *(" ".join(words) for words in proven(command))}
        good = not (result.failure or result.unsaid)
        for each in self._open:
            for plain in map(collapsed, each.assertion.commands[:MAX_COMMANDS]):
                if plain in parts:
                    each.ran[plain] = good
                elif plain and plain in whole:  # a part of it: that it was run is known, that it worked is not
                    each.ran.setdefault(plain, False)

    def _heard(self, who: Speaker, record: int, text: str, *, ran: bool = False) -> None:
        plain = collapsed(text)
        theirs = collapsed(unquoted(text)) if who == "person" else plain
        for each in self._open:
            if each.found is None and each.quote in plain:
                if each.quote in theirs and each.assertion.speaker in ({who, "agent"} if ran else {who}):
                    each.found, each.own = record, ran
                    if who == "person":
                        each.quote = sentence(theirs, each.quote)
                else:
                    each.elsewhere = True
        self._named(plain)

    def _named(self, text: str) -> None:
        for each in self._open:
            each.files.update(path for path in each.assertion.files[:MAX_FILES] if path and path in text)

    def _drop(self, reason: str) -> None:
        self._dropped[reason] = self._dropped.get(reason, 0) + 1

    def draft(self) -> Draft:
        """The assertions that hold, and how many did not, by reason."""
        facts: list[Fact] = []
        for each in self._open:
            if each.found is None:
                self._drop("wrong_speaker" if each.elsewhere else "quote_not_found")
            elif any(self._risky(command) for command in each.assertion.commands):
                self._drop("risky_command")
            elif len(each.quote) > QUOTE_CHARS:
                self._drop("too_long")
            elif len(facts) >= MAX_FACTS:
                self._drop("too_many")
            else:
                facts.append(self._fact(each, each.found))
        return Draft(
            summary=clipped(collapsed(self._assertions.summary), SUMMARY_CHARS),
            slug=slug(self._assertions.slug or ""),
            facts=tuple(facts),
            dropped=dict(sorted(self._dropped.items())),
        )

    def _fact(self, each: _Open, record: int) -> Fact:
        """The fact; of a person the words themselves where the assertion says more.

        What a tool printed proves nothing: a stranger's page or issue may stand there. That commands ended well does.
        """
        assertion = each.assertion
        commands = tuple(command for command in assertion.commands if collapsed(command) in each.ran)
        files = tuple(path for path in assertion.files if path in each.files)
        holds = supported(assertion.text, (*((each.quote,) if each.own else ()), *commands, *files))
        theirs = assertion.speaker == "person" and not agrees(assertion.text, each.quote)
        ran = bool(commands) and len(commands) == len(assertion.commands) and all(each.ran.values())
        return fact(
            self._session_id,
            assertion.section,
            each.quote if theirs else assertion.text,
            (Quote(speaker=assertion.speaker, text=each.quote, record=record),),
            commands=commands,
            files=files,
            worked=ran and holds,
        )


def _fault(assertion: Assertion, seen: set[tuple[str, str]]) -> str:
    """Why an assertion is dropped unseen; "" for none."""
    text, quote = collapsed(assertion.text), collapsed(assertion.quote)
    if not text:
        return "empty"
    if len(text) > FACT_CHARS or len(quote) > QUOTE_CHARS:
        return "too_long"
    if len(quote) < MIN_QUOTE:
        return "no_quote"
    return "repeated" if (assertion.section, text.lower()) in seen else ""


def verified(
    assertions: Assertions, events: Iterable[SessionEvent], *, session_id: str, risky: Callable[[str], bool]
) -> Draft:
    """The draft of an answer, checked against the whole session."""
    verifier = Verifier(assertions, session_id=session_id, risky=risky)
    for event in events:
        verifier.feed(event)
    return verifier.draft()
