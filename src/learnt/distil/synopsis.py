"""A session in two sentences and a slug, made of what the person asked and how it ended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from learnt.distil.draft import SUMMARY_CHARS, slug
from learnt.distil.line import clipped, prose, words_of
from learnt.distil.payload import without_blocks
from learnt.model.anchor import relative

if TYPE_CHECKING:
    from learnt.model.session import Call, Prompt, Reply, Result

_ASKED_CHARS: Final = 400
_SAID_CHARS: Final = 500
_SLUG_WORDS: Final = 6
_MAX_FILES: Final = 200
_READ_CHARS: Final = 8_000
_INTRODUCED = re.compile(r"\A\s*(?:[^\n]*:[ \t]*\n\s*)+(?=\S)")
"""Lines that only introduce what was asked: "Implement the following plan:"."""
_ENDS = re.compile(r"(?<=[.!?…。！？])\s+|\A(?:Asked|Ended): |(?<=\s)(?:Asked|Ended): ")
_WORD = re.compile(r"(?<![\w'])[A-Za-z][A-Za-z0-9]*(?![\w'])")
_STOP: Final = words_of(
    "the a an to of in on for and or is are be it this that with i you we can could please let s me my our your "
    "do does did how what why when where which who will would should have has had not but so if then there here "
    "just some any all also now ok okay yes no hi hey"
)


class Synopsis:
    """Takes what was asked, said and written, one event at a time."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._asked = ""
        self._said = ""
        self._written: dict[str, int] = {}
        self._open: dict[str, str] = {}

    def asked(self, prompt: Prompt) -> None:
        """The person's first words that say something."""
        words = prose(_INTRODUCED.sub("", without_blocks(prompt.text[:_READ_CHARS])))
        if not self._asked and len(words.split()) > 2 and not prompt.sidechain:
            self._asked = words[: 2 * _ASKED_CHARS]

    def said(self, reply: Reply) -> None:
        """The agent's last words."""
        if not reply.sidechain and reply.text.strip():
            self._said = reply.text[: 8 * _SAID_CHARS]

    def called(self, call: Call) -> None:
        """A file that is about to be written."""
        if call.action == "write" and call.target:
            self._open[call.call_id] = relative(call.target, self._root)
            if len(self._open) > _MAX_FILES:
                del self._open[next(iter(self._open))]

    def answered(self, result: Result) -> None:
        """It was."""
        path = self._open.pop(result.call_id, "")
        if path and not result.failure and (path in self._written or len(self._written) < _MAX_FILES):
            self._written[path] = self._written.get(path, 0) + 1

    def summary(self) -> str:
        """What was asked for, which files changed, and how it ended; "" for a session without a word."""
        parts = []
        if self._asked:
            asked = clipped(self._asked, _ASKED_CHARS)
            parts.append(f"Asked: {asked}{'' if asked[-1] in '.!?…。！？' else '.'}")
        if self._written:
            most = sorted(self._written, key=lambda path: (-self._written[path], path))
            more = f" and {len(most) - 5} more" if len(most) > 5 else ""
            parts.append(f"Changed: {', '.join(most[:5])}{more}.")
        if said := prose(self._said):
            parts.append(f"Ended: {clipped(said, _SAID_CHARS)}")
        return clipped(" ".join(parts), SUMMARY_CHARS)

    def slug(self) -> str | None:
        """The first words of what was asked that say something, else the files that were written most."""
        words = [word for word in _WORD.findall(self._asked[:_ASKED_CHARS].lower()) if word not in _STOP]
        if not words:
            most = sorted(self._written, key=lambda path: (-self._written[path], path))[:2]
            words = [path.rpartition("/")[2].partition(".")[0] for path in most]
        return slug(" ".join(words[:_SLUG_WORDS]))


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a synopsis, or of any text, without what a synopsis puts before them."""
    return tuple(each.strip() for each in _ENDS.split(text) if each and each.strip())
