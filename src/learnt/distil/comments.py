"""What comments in code that a session wrote say of why: they were written for who reads the code next.

A comment that says what the line below does is left in the code. One that gives the reason for it, what would go wrong
or what must not be done saves the next change from undoing it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.distil.draft import QUOTE_CHARS, fact
from learnt.distil.line import collapsed
from learnt.distil.payload import MAX_OPEN_CALLS
from learnt.distil.signs import CODE, NAMED, OWN, section
from learnt.model.anchor import relative
from learnt.model.extraction import Quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.model.extraction import Fact
    from learnt.model.session import Call, Result

MAX_TOLD: Final = 6
"""Of one session."""
MAX_OF_WRITE: Final = 8
TEXT_CHARS: Final = 320
MIN_WORDS: Final = 8

_CODE_FILE = re.compile(
    r"\.(?:c|cc|cpp|cs|css|dart|ex|exs|go|h|hpp|java|jl|js|jsx|kt|kts|lua|mjs|mts|php|pl|proto|ps1|py|pyi|r|rb|rs|"
    r"scala|"
    r"scss|sh|sql|svelte|swift|tf|toml|ts|tsx|vue|ya?ml|zig)$|(?:^|/)(?:Dockerfile|Makefile|justfile)[^/]*$"
)
_TEST_FILE = re.compile(r"(?:^|[/_.-])(?:tests?|specs?|fixtures?|mocks?|examples?|vendor|node_modules)(?:[/_.-]|$)")
_COMMENT = re.compile(r"[ \t]*(?://[/!]?|#(?![!\[{])|--|/?\*{1,2}(?!/)) ?(?P<words>.*)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(])")
_WHY = re.compile(
    r"\b(?:because|since|otherwise|instead of|rather than|to avoid|to prevent|works? around|workaround|even (?:if|"
    r"though|"
    r"when)|unlike|must|never|cannot|can't|would|so (?!far|much|many|on\b|is\b)\w+)\b",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"(?:this|that|these|those|it|they|here|there|otherwise|instead|then|so|and|but|or|also|same|similar|see|as above|"
    r"phase|step)\b",
    re.IGNORECASE,
)
"""How a comment begins that only the code beside it explains."""
_PASSING = re.compile(
    r"\b(?:copyright|licen[cs]ed?|spdx|todo|fixme|xxx|hack|nolint|noqa|eslint|pragma|do not edit|generated|for now|"
    r"example|e\.g|i\.e|args|returns?:|@\w+)\b|https?://|#\d+|[{};=:]\s*$|^[^\w`\"'(]",
    re.IGNORECASE,
)


class Comments:
    """A fold over calls and results."""

    def __init__(self, session_id: str, root: str) -> None:
        self._session_id = session_id
        self._root = root
        self._calls: dict[str, list[Fact]] = {}
        self._told: dict[str, Fact] = {}

    def called(self, call: Call) -> None:
        """A write to a file of code waits for its answer."""
        if call.action != "write" or not call.target or not call.text or call.sidechain:
            return
        path = relative(call.target, self._root)
        if not _CODE_FILE.search(path) or _TEST_FILE.search(path):
            return
        found = [
            fact(
                self._session_id,
                section(text),
                f"`{path}`: {text}",
                (Quote(speaker="agent", text=quote[:QUOTE_CHARS], record=call.span.record),),
                files=(path,),
            )
            for text, quote, first in _reasons(call.text)
            if call.head.count(first) < 2
        ][:MAX_OF_WRITE]
        if found:
            self._calls[call.call_id] = found
            if len(self._calls) > MAX_OPEN_CALLS:
                del self._calls[next(iter(self._calls))]

    def answered(self, result: Result) -> None:
        """It was written."""
        for found in self._calls.pop(result.call_id, ()) if not result.failure else ():
            self._told[found.id] = found

    def facts(self) -> Iterator[Fact]:
        """The latest, in order."""
        yield from list(self._told.values())[-MAX_TOLD:]


def _reasons(code: str) -> Iterator[tuple[str, str, str]]:
    """Statement, quote and first line of every comment that gives a reason."""
    for lines in _blocks(code):
        words = [found["words"].strip() for line in lines if (found := _COMMENT.fullmatch(line)) is not None]
        text = _bounded(collapsed(" ".join(words)))
        prose = CODE.sub("`x`", text)
        says = len(text.split()) >= MIN_WORDS and _WHY.search(prose) and NAMED.search(text)
        if says and not (OWN.search(prose) or _POINTING.match(text) or _PASSING.search(text)):
            whole = "\n".join(lines)
            yield text, whole if whole in code else lines[0], words[0]


def _blocks(code: str) -> Iterator[list[str]]:
    """Neighbouring lines of comment; of a patch only what it adds."""
    patch = code.startswith(("*** ", "--- ", "diff ", "@@"))
    block: list[str] = []
    for line in [*code.splitlines(), ""]:
        plain = line[1:] if patch and line[:1] == "+" else "" if patch else line
        if plain.strip() and _COMMENT.fullmatch(plain):
            block.append(plain)
        elif block:
            yield block
            block = []


def _bounded(text: str) -> str:
    """The whole sentences that fit."""
    kept, room = list[str](), TEXT_CHARS
    for sentence in _SENTENCE.split(text):
        room -= len(sentence) + 1
        if room < 0:
            break
        kept.append(sentence)
    return " ".join(kept)
