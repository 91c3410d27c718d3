"""What commit messages and pull requests of a session say of why: written for readers who were not there.

Of a message only what gives a reason or says what does not hold, about code that it names; the rest is in the log.
Nobody has checked it, so it is the agent's word like its remarks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.distil.draft import QUOTE_CHARS, fact
from learnt.distil.line import collapsed
from learnt.distil.payload import MAX_OPEN_CALLS
from learnt.distil.signs import CODE, DENIAL, NAMED, OWN, REASON
from learnt.model.extraction import Quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.extraction import Fact
    from learnt.model.session import Call, Result

MAX_TOLD: Final = 6
"""Of one session."""
COMMAND_CHARS: Final = 12_000
MAX_BODIES: Final = 4
PROSE_CHARS: Final = 420
MIN_WORDS: Final = 6

_WRITES = re.compile(r"\bgit\b[^\n|;&]{0,200}?\bcommit\b|\bgh pr (?:create|edit)\b|\bglab mr create\b")
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w{1,40})\1[^\n]*\n")
_CHAIN = re.compile(r"&&|\|\||;")
_GIVEN = re.compile(
    r"(?<!\S)(?:-[a-z]*m|--message|-t|--title|-b|--body)(?:\s+|=)?(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')", re.DOTALL
)
_ESCAPED = re.compile(r"\\([\"`$\\])")
_TRAILER = re.compile(r"[A-Z][\w-]*: \S|\W*generated (?:with|by) ", re.IGNORECASE)
_TICKET = re.compile(r"^(?:\[?[A-Z]{2,10}-\d+\]?:?\s+|\w+(?:\([^)\n]{1,40}\))?!?:\s+(?=\S))+")
_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)])\s+")
_TICKED = re.compile(r"\s*[-*]\s+\[[ xX]\]")
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]{1,60}\*\*:?$")
_TESTING = re.compile(r"test|verif|check ?list|screenshot", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+(?![\w./-])")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(])")
_PASSING = re.compile(
    r"\b(?:tests?|lint|ci|checks?) (?:now )?pass|\b(?:pr|review) (?:feedback|comments?)|\b(?:the pr|today|yet|todo|"
    r"wip|for now|"
    r"follow-?up|as requested)\b|#\d+|https?://",
    re.IGNORECASE,
)
"""What speaks of the day, not of the code."""


class Commits:
    """A fold over calls and results."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._calls: dict[str, tuple[str, int]] = {}
        self._told: dict[str, Fact] = {}

    def called(self, call: Call) -> None:
        """A command that writes a message waits for its answer."""
        if call.action == "shell" and call.target and not call.sidechain and _WRITES.search(call.target):
            self._calls[call.call_id] = (call.target[:COMMAND_CHARS], call.span.record)
            if len(self._calls) > MAX_OPEN_CALLS:
                del self._calls[next(iter(self._calls))]

    def answered(self, result: Result) -> None:
        """It was written."""
        command, record = self._calls.pop(result.call_id, ("", -1))
        if not command or result.failure:
            return
        for text, words in _told(command):
            quotes = tuple(Quote(speaker="agent", text=each[:QUOTE_CHARS], record=record) for each in words)
            found = fact(self._session_id, "decision", text, quotes)
            self._told[found.id] = found

    def facts(self) -> Iterator[Fact]:
        """The latest, in order."""
        yield from list(self._told.values())[-MAX_TOLD:]


def _told(command: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Statements with the words they rest on: the prose of a message under its first line, and each item of a list."""
    subject, prose, items = _parts(_message(command))
    if prose:
        room, kept = PROSE_CHARS, list[str]()
        for sentence in (each for part in prose for each in _SENTENCE.split(_plain(part))):
            room -= len(sentence) + 1
            if room < 0:
                break
            if not _PASSING.search(sentence):
                kept.append(sentence.rstrip(":.") + ".")
        if kept and _is_reason(" ".join(kept)):
            head = "" if _PASSING.search(subject) else _plain(subject).rstrip(".") + ". "
            yield head + " ".join(kept), tuple(prose)
    elif subject and _is_reason(_plain(subject)) and not _PASSING.search(subject):
        yield _plain(subject), (subject,)
    for item in items:
        plain = _plain(item)
        if _is_reason(plain) and not _PASSING.search(plain) and len(plain) <= PROSE_CHARS:
            yield plain, (item,)


def _message(command: str) -> str:
    """The message as it stands in the command: title first, then the body."""
    rest, bodies = _taken_apart(command)
    begun = _WRITES.search(rest)
    given = [double or single for double, single in _GIVEN.findall(rest[begun.start() :])] if begun else []
    return "\n\n".join([*(each for each in given if "$(" not in each), *bodies])


def _taken_apart(command: str) -> tuple[str, list[str]]:
    """A command without its here-documents, and those that are given to what writes a message."""
    bodies: list[str] = []
    for _ in range(MAX_BODIES):
        opened = _HEREDOC.search(command)
        if opened is None:
            break
        before = command[: opened.start()]
        lines = command[opened.end() :].split("\n")
        end = next((at for at, line in enumerate(lines) if line.strip() == opened[2]), len(lines))
        if _WRITES.search(_CHAIN.split(before.replace("\\\n", " ").rpartition("\n")[2])[-1]):
            bodies.append("\n".join(lines[:end]))
        command = "\n".join([before, *lines[end + 1 :]])
    return command, bodies


def _parts(message: str) -> tuple[str, list[str], list[str]]:
    """The first line, paragraphs of prose, and items of lists; without trailers, tick lists and plans for testing."""
    subject, _, body = message.strip().partition("\n")
    prose, items = list[str](), list[str]()
    last: list[str] | None = None
    skipped = False
    for line in body.splitlines():
        if _HEADING.match(line):
            skipped, last = _TESTING.search(line) is not None, None
        elif skipped or not line.strip() or _TICKED.match(line) or _TRAILER.match(line):
            last = None
        elif item := _ITEM.match(line):
            items.append(line[item.end() :].strip())
            last = items
        elif last is None:
            prose.append(line.strip())
            last = prose
        else:
            last[-1] += " " + line.strip()
    return subject, prose, items


def _plain(words: str) -> str:
    """Words of a message without ticket, sort of change, stress and strokes of the shell."""
    plain = _ESCAPED.sub(r"\1", _TICKET.sub("", collapsed(words).replace("**", ""), count=1))
    return plain[:1].upper() + plain[1:] if _WORD.match(plain) else plain


def _is_reason(plain: str) -> bool:
    """Whether it names something, and says why or what does not hold."""
    prose = CODE.sub("`x`", plain)
    if len(plain.split()) < MIN_WORDS or not NAMED.search(plain) or OWN.search(prose):
        return False
    return any(sign.search(prose) for sign in (REASON, DENIAL))
